#!/bin/bash
# Builds dist/SciRead-VERSION-macos-MACHINE.dmg from dist/SciRead.app, the output of the spec.
# UNTESTED: no Mac was available. Each step follows the documentation of its tool.
#
# SIGN_IDENTITY="Developer ID Application: ..."  signs it; unsigned, users must allow it by hand
# NOTARY_PROFILE=NAME  notarises it; NAME as given to `xcrun notarytool store-credentials`
set -eu
cd "$(dirname "$0")/../.."

app=dist/SciRead.app
[ "$(uname)" = Darwin ] || { echo "A .dmg can only be made on macOS." >&2; exit 1; }
[ -d "$app" ] || { echo "There is no $app: build it first (packaging/README.md)." >&2; exit 1; }
version=$("${PYTHON:-python3}" -c 'import sys; sys.path.insert(0, "packaging")
from about import version; print(version())')
image=dist/SciRead-$version-macos-$(uname -m).dmg

sign() {
    codesign --force --options runtime --timestamp --sign "$SIGN_IDENTITY" "$@"
}

if [ -n "${SIGN_IDENTITY:-}" ]; then
    # From the inside out: a signature covers the signatures within.
    find "$app/Contents" -type f \( -name '*.so' -o -name '*.dylib' \) -print0 |
        while IFS= read -r -d '' file; do sign "$file"; done
    find "$app/Contents/Frameworks" -type d -name '*.framework' -prune -print0 2>/dev/null |
        while IFS= read -r -d '' folder; do sign "$folder"; done
    sign --entitlements packaging/macos/entitlements.plist "$app"
    codesign --verify --deep --strict "$app"
else
    echo "SIGN_IDENTITY is not set: the program is not signed." >&2
fi

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
cp -R "$app" "$staging/"
ln -s /Applications "$staging/Applications"
rm -f "$image"
hdiutil create -volname "SciRead $version" -srcfolder "$staging" -format UDZO -ov "$image"

if [ -n "${SIGN_IDENTITY:-}" ] && [ -n "${NOTARY_PROFILE:-}" ]; then
    codesign --timestamp --sign "$SIGN_IDENTITY" "$image"
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
    spctl --assess --type open --context context:primary-signature "$image"
fi
echo "$image"
