#!/bin/sh
# Removes the SciRead that install.sh has installed, and leaves the library.
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
# All but a library that somebody keeps beside the program.
find "$program" -mindepth 1 -maxdepth 1 ! -name SciRead-home -exec rm -rf {} +
rmdir "$program" 2>/dev/null || true
for tool in "update-mime-database $prefix/share/mime" \
    "update-desktop-database $prefix/share/applications"; do
    # shellcheck disable=SC2086  # a command and its argument
    command -v ${tool%% *} >/dev/null && $tool >/dev/null 2>&1 || true
done

echo "SciRead is removed."
for home in "$program/SciRead-home" "${SCIREAD_HOME:-}" \
    "${XDG_DATA_HOME:-$HOME/.local/share}/SciRead"; do
    if [ -n "$home" ] && [ -d "$home" ]; then
        echo "Your library is still there, with its models and backups: $home"
    fi
done
