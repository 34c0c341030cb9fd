#!/bin/sh
# Builds the Debian package and tries it in a clean Debian 12: installs it there with what it depends on and runs the demo.
# Needs root, debootstrap and a Debian mirror; takes a few minutes. CI checks the files alone (tests/project/debian.sh).
# Usage: tools/deb.sh [--container] [FOLDER]    FOLDER keeps the package and the chroot (default: a temporary one)
#        --container: runs the RUN lines of the Containerfile in the chroot instead
cd "$(dirname "$0")/.." || exit 2
source=$PWD container=no
[ "$1" = --container ] && container=yes && shift
work=${1:-$(mktemp -d)}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
stop() { echo "weir: tools/deb.sh: $*" >&2; exit 1; }
mkdir -p "$work" || exit 2

if [ ! -x "$work/chroot/usr/bin/apt-get" ]; then
    command -v "${DEBOOTSTRAP:-debootstrap}" >/dev/null || stop "debootstrap is not installed"
    "${DEBOOTSTRAP:-debootstrap}" --variant=minbase bookworm "$work/chroot" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        stop "debootstrap failed; see $work/debootstrap.log"
fi
mount -t proc proc "$work/chroot/proc" 2>/dev/null
trap 'umount "$work/chroot/proc" 2>/dev/null' EXIT
cp /etc/resolv.conf "$work/chroot/etc/" 2>/dev/null
inside() { chroot "$work/chroot" /usr/bin/env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -c "$1"; }

rm -rf "$work/chroot/usr/src/weir"
mkdir -p "$work/chroot/usr/src/weir"
git archive HEAD | tar -x -C "$work/chroot/usr/src/weir" || stop "the tree could not be copied"
if [ $container = yes ]; then
    sed -n 's/^RUN //p' Containerfile >"$work/run"
    while read -r line; do
        inside "cd /usr/src/weir && $line" </dev/null || stop "failed: RUN $line"
    done <"$work/run"
else
    rm -rf "$work/tree" && mkdir "$work/tree" && git archive HEAD | tar -x -C "$work/tree" || exit 2
    (cd "$work/tree" && dpkg-buildpackage -us -uc -b) >"$work/build.log" 2>&1 || stop "dpkg-buildpackage failed; see $work/build.log"
    package=$(ls "$work"/weir_*.deb) || stop "no package was made"
    cp "$package" "$work/chroot/root/" || exit 2
    inside "apt-get update -qq && apt-get install -y --no-install-recommends /root/$(basename "$package")" >"$work/install.log" 2>&1 ||
        stop "the package could not be installed; see $work/install.log"
fi
cd "$source" || exit 2
inside 'cd /usr/src/weir && weir --version && WEIR=weir tools/demo.sh /root/weir-demo && [ -s /root/weir-demo/report.html ]' ||
    stop "the demo failed in the chroot"
echo "weir: installed and ran the demo in $work/chroot"
