# Sourced by the other scripts: system packages, where there is apt-get and we may use it.

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Fails without a word where we may not; whoever calls says what is missing.
apt_install() {
    command -v apt-get >/dev/null && as_root true 2>/dev/null || return 1
    echo "Installing system packages:" "$@"
    as_root apt-get update -qq </dev/null >/dev/null || true
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}
