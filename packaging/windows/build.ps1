# Builds the installer dist\SciRead-VERSION-windows-x64.exe from dist\SciRead, the output of the spec.
# UNTESTED: no Windows machine was available.
#
# Needs Inno Setup 6 (ISCC.exe). $env:SIGN_THUMBPRINT: the certificate with which signtool signs.
$ErrorActionPreference = "Stop"
Set-Location (Join-Path $PSScriptRoot "..\..")

if (-not (Test-Path "dist\SciRead\sciread.exe")) {
    throw "There is no dist\SciRead\sciread.exe: build it first (packaging/README.md)."
}
$iscc = (Get-Command ISCC.exe -ErrorAction SilentlyContinue).Source
if (-not $iscc) { $iscc = "${env:ProgramFiles(x86)}\Inno Setup 6\ISCC.exe" }
if (-not (Test-Path $iscc)) { throw "Inno Setup 6 is not here: ISCC.exe is looked for on the PATH." }

$python = if ($env:PYTHON) { $env:PYTHON } else { "python" }
$version = & $python -c "import sys; sys.path.insert(0, 'packaging'); import about; print(about.version())"
& $python packaging\icons.py
if ($LASTEXITCODE) { throw "The icons could not be drawn." }

$arguments = @("/DVersion=$version")
if ($env:SIGN_THUMBPRINT) {
    $stamp = "http://timestamp.digicert.com"
    $sign = "signtool sign /sha1 $env:SIGN_THUMBPRINT /fd sha256 /td sha256 /tr $stamp"
    Invoke-Expression "$sign dist\SciRead\sciread.exe"
    if ($LASTEXITCODE) { throw "The program could not be signed." }
    $arguments += "/DSign", "/Ssign=$sign `$f"
} else {
    Write-Warning "SIGN_THUMBPRINT is not set: the installer is not signed, and Windows will say so."
}
& $iscc @arguments packaging\windows\sciread.iss
if ($LASTEXITCODE) { throw "Inno Setup has failed." }
