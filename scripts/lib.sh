# Sourced by the scripts beside it: the toolchain, the Debian packages, and where the package lies.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# Says one line and ends with the sysexits code for a wrong set-up.
stop() {
    echo "scripts/$(basename "$0"): $*" >&2
    exit 78
}

# need_swift: a toolchain on PATH, new enough for the package.
need_swift() {
    local wanted=6.2 version
    command -v swift >/dev/null ||
        stop "no Swift toolchain on PATH: install Swift $wanted or newer from https://www.swift.org/install/linux/"
    version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || stop "swift --version fails: $(swift --version 2>&1 | head -n 1)"
    [ "$(printf '%s\n' "$wanted" "$version" | sort -V | head -n 1)" = "$wanted" ] ||
        stop "Swift $version is too old: install Swift $wanted or newer from https://www.swift.org/install/linux/"
}

# need_packages GROUP...: installs what is missing of scripts/packages.txt, asking nothing; `all` holds `build`.
need_packages() {
    local name group words missing=()
    if ! command -v dpkg-query >/dev/null; then
        echo "scripts/$(basename "$0"): not Debian, so nothing is installed; see scripts/packages.txt" >&2
        return
    fi
    while read -r name group; do
        [[ " $* " == *" $group "* || "$group in $*" == "build in all"* ]] || continue
        [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null) == ii* ]] || missing+=("$name")
    done < <(grep -v -e '^#' -e '^$' scripts/packages.txt)
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || stop "no sudo here; run as root: apt-get install ${missing[*]}"
    echo "Installing ${missing[*]}" >&2
    words=$({ apt_get update && apt_get install -y --no-install-recommends "${missing[@]}"; } 2>&1) || {
        echo "$words" >&2
        stop "apt-get could not install ${missing[*]}"
    }
}

# As root, whoever we are; it never asks.
apt_get() {
    local as=()
    [ "$(id -u)" = 0 ] || as=(sudo)
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
}
