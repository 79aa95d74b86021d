#!/bin/sh
# Installs SciRead below PREFIX, by default ~/.local, without root: sh install.sh [PREFIX]
# Replaces an installed version; the library is in another folder and is kept.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${1:-$HOME/.local}
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd)
program=$prefix/lib/sciread

if [ ! -x "$here/SciRead/sciread" ]; then
    echo "There is no program beside this script. Unpack the whole archive and try again." >&2
    exit 1
fi
mkdir -p "$prefix/lib" "$prefix/bin" "$prefix/share"
rm -rf "$program.new"
cp -R "$here/SciRead" "$program.new"
# Keep a library beside the program.
if [ -d "$program/SciRead-home" ]; then
    mv "$program/SciRead-home" "$program.new/SciRead-home"
fi
rm -rf "$program"
mv "$program.new" "$program"

ln -sf ../lib/sciread/sciread "$prefix/bin/sciread"
cp "$here/sciread-trainer" "$prefix/bin/sciread-trainer"
(cd "$here/share" && find . -type f) | sed "s|^\./|$prefix/share/|" >"$program/installed.txt"
cp -R "$here/share/." "$prefix/share/"
cp "$here/uninstall.sh" "$program/uninstall.sh"
# The desktop's PATH may lack our bin folder, so the entry has the full path.
entry=$prefix/share/applications/sciread.desktop
sed "s|^Exec=sciread |Exec=\"$program/sciread\" |" "$here/share/applications/sciread.desktop" >"$entry"

tell_desktop() {
    command -v "$1" >/dev/null && "$@" >/dev/null 2>&1 || true
}
tell_desktop update-mime-database "$prefix/share/mime"
tell_desktop update-desktop-database "$prefix/share/applications"
tell_desktop gtk-update-icon-cache -q -t "$prefix/share/icons/hicolor"

echo "SciRead is installed in $program, and in the menu of your desktop."
case ":$PATH:" in
*":$prefix/bin:"*) echo "In a terminal: sciread --help" ;;
*) echo "In a terminal: $prefix/bin/sciread --help ($prefix/bin is not on your PATH)" ;;
esac
echo "To remove it: sh $program/uninstall.sh"
