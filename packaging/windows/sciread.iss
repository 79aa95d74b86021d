; The installer for Windows, built with Inno Setup 6 by packaging\windows\build.ps1.
; UNTESTED: no Windows machine was available.
;
; Installs for one user, without an administrator; /ALLUSERS installs for all. The library is in
; %LOCALAPPDATA%\SciRead and is kept when the program is updated or removed.

#ifndef Version
  #error "Name the version: ISCC /DVersion=0.1.0 sciread.iss"
#endif

[Setup]
; Must never change: Windows identifies the program by it.
AppId={{8F0E7A52-6D1B-4C58-9E55-2B6C1B0C7A31}
AppName=SciRead
AppVersion={#Version}
AppPublisher=SciRead contributors
DefaultDirName={autopf}\SciRead
DefaultGroupName=SciRead
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=commandline
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
LicenseFile=..\..\LICENSE
SetupIconFile=..\..\build\icons\sciread.ico
UninstallDisplayIcon={app}\sciread.exe
OutputDir=..\..\dist
OutputBaseFilename=SciRead-{#Version}-windows-x64
Compression=lzma2
SolidCompression=yes
ChangesAssociations=yes
ChangesEnvironment=yes
CloseApplications=yes
#ifdef Sign
SignTool=sign
SignedUninstaller=yes
#endif

[Tasks]
Name: desktopicon; Description: "An icon on the desktop"; Flags: unchecked
Name: path; Description: "sciread in every terminal (PATH)"

[InstallDelete]
; Remove all files of the previous version.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\..\dist\SciRead\*"; DestDir: "{app}"; Flags: ignoreversion recursesubdirs createallsubdirs

[Icons]
Name: "{group}\SciRead"; Filename: "{app}\sciread.exe"; AppUserModelID: "SciRead"
Name: "{autodesktop}\SciRead"; Filename: "{app}\sciread.exe"; Tasks: desktopicon

[Registry]
; SciRead opens bibliographies by default unless another program does, and is offered for PDFs.
Root: HKA; Subkey: "Software\Classes\SciRead.papers"; ValueType: string; ValueData: "Bibliography"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\SciRead.papers\DefaultIcon"; ValueType: string; ValueData: "{app}\sciread.exe,0"
Root: HKA; Subkey: "Software\Classes\SciRead.papers\shell\open\command"; ValueType: string; ValueData: """{app}\sciread.exe"" ""%1"""
Root: HKA; Subkey: "Software\Classes\.bib\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.bibtex\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.ris\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.nbib\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.enw\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.ciw\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKA; Subkey: "Software\Classes\.pdf\OpenWithProgids"; ValueType: string; ValueName: "SciRead.papers"; ValueData: ""; Flags: uninsdeletevalue
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path; Check: NotOnPath

[Run]
Filename: "{app}\sciread.exe"; Description: "Start SciRead"; Flags: nowait postinstall skipifsilent

[Code]
function NotOnPath: Boolean;
var
  Paths: string;
begin
  if not RegQueryStringValue(HKCU, 'Environment', 'Path', Paths) then
    Paths := '';
  Result := Pos(';' + Uppercase(ExpandConstant('{app}')) + ';', ';' + Uppercase(Paths) + ';') = 0;
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
var
  Home: string;
begin
  Home := ExpandConstant('{localappdata}\SciRead');
  if (Step = usPostUninstall) and DirExists(Home) and not UninstallSilent then
    MsgBox('SciRead is removed. Your library is still there: ' + Home, mbInformation, MB_OK);
end;
