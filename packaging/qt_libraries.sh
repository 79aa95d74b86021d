#!/bin/sh
# Installs missing system libraries that Qt loads at run time, if permitted.
#
# Names those that remain missing, and fails.
set -eu
cd "$(dirname "$0")/.."
. packaging/apt.sh

[ "$(uname)" = Linux ] || exit 0

packages="libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libfreetype6 libxkbcommon0
    libxkbcommon-x11-0 libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1
    libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-shm0 libxcb-sync1 libxcb-util1
    libxcb-xfixes0 libxcb-xkb1 fonts-dejavu-core"

# Missing libraries of the widgets and of the xcb and offscreen platforms.
missing_libraries() {
    qt=$(.venv/bin/python -c 'import PySide6; print(PySide6.__path__[0])')
    ldd "$qt/Qt/lib/libQt6Widgets.so.6" "$qt/Qt/plugins/platforms/libqxcb.so" \
        "$qt/Qt/plugins/platforms/libqoffscreen.so" 2>/dev/null |
        awk '/not found/ { print $1 }' | sort -u | tr '\n' ' '
}

# Without any font, Qt draws empty boxes instead of letters.
missing_fonts() {
    for folder in /usr/share/fonts /usr/local/share/fonts "${HOME:-/}/.fonts" \
        "${HOME:-/}/.local/share/fonts"; do
        [ -d "$folder" ] && find "$folder" -name '*.[ot]t[fc]' 2>/dev/null | grep -q . && return
    done
    echo fonts
}

missing() {
    echo "$(missing_libraries)$(missing_fonts)"
}

[ -n "$(missing)" ] || exit 0
# shellcheck disable=SC2086  # a list of words
apt_install $packages && [ -z "$(missing)" ] && exit 0
echo "Qt needs system libraries that are not here: $(missing)" >&2
echo "On Debian or Ubuntu, install them with: sudo apt-get install" $packages >&2
exit 1
