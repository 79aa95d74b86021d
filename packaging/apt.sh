# Sourced by the other scripts: installs system packages with apt-get, if available and permitted.

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Fails silently without apt-get or root; the caller reports the missing packages. Another program
# that installs packages, such as automatic updates, is given time to finish.
apt_install() {
    command -v apt-get >/dev/null && as_root true 2>/dev/null || return 1
    echo "Installing system packages:" "$@"
    as_root apt-get update -qq </dev/null >/dev/null || true
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}
