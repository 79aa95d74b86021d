#!/bin/sh
# Removes SciRead as installed by install.sh and keeps the library.
set -eu
program=$(cd "$(dirname "$0")" && pwd)
prefix=$(dirname "$(dirname "$program")")
if [ ! -f "$program/installed.txt" ]; then
    echo "This is not where SciRead was installed: start the uninstall.sh in PREFIX/lib/sciread." >&2
    exit 1
fi

while IFS= read -r file; do
    rm -f "$file"
done <"$program/installed.txt"
rm -f "$prefix/bin/sciread" "$prefix/bin/sciread-trainer"
# Keep a library beside the program.
find "$program" -mindepth 1 -maxdepth 1 ! -name SciRead-home -exec rm -rf {} +
rmdir "$program" 2>/dev/null || true

tell_desktop() {
    command -v "$1" >/dev/null && "$@" >/dev/null 2>&1 || true
}
tell_desktop update-mime-database "$prefix/share/mime"
tell_desktop update-desktop-database "$prefix/share/applications"
tell_desktop gtk-update-icon-cache -q -t "$prefix/share/icons/hicolor"

echo "SciRead is removed."
for home in "$program/SciRead-home" "${SCIREAD_HOME:-}" \
    "${XDG_DATA_HOME:-$HOME/.local/share}/SciRead"; do
    if [ -n "$home" ] && [ -d "$home" ]; then
        echo "Your library is still there, with its models and backups: $home"
    fi
done
