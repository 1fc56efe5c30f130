# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Bare root directories of Debian, by debootstrap, from where the running system has its packages. Sourced by
# deploy/container/make-image and t/platforms/run.

running_release() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# package_sources RELEASE: the sources of the running system for that release, as lines of sources.list.
package_sources() {
    # shellcheck disable=SC2016  # the words are apt's
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -nE "s/^(\S+) $(running_release)(|-updates|-security) main$/deb \1 $1\2 main/p" | sort -u
}

# bare_root RELEASE DIRECTORY [PACKAGE,...]: the least that is Debian, and these packages; says what debootstrap says.
bare_root() {
    local release=$1 root=$2 mirror
    [[ $EUID -eq 0 ]] || { echo "only root can make root directories" >&2; return 1; }
    [[ -n $(command -v debootstrap) ]] || { echo "debootstrap is missing: apt install debootstrap" >&2; return 1; }
    mirror=$(package_sources "$release" | sed -n "s/^deb \(\S*\) $release main$/\1/p" | head -n 1)
    [[ -n $mirror ]] || { echo "the package sources of this system name no mirror of $(running_release)" >&2; return 1; }
    rm -rf "$root"
    debootstrap --variant=minbase ${3:+--include="$3"} "$release" "$root" "$mirror" || return
    package_sources "$release" >"$root/etc/apt/sources.list"
}
