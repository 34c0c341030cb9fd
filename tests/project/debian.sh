#!/bin/sh
# Usage: debian.sh ROOT VERSION: the Debian package and the container need what the Makefile installs, and are of this version; what
# Meson installs can be packaged. tools/deb.sh builds and tries them.
root=$1 version=$2
fail() { echo "FAIL: $*" >&2; exit 1; }
head -n 1 "$root/debian/changelog" | grep -q "^weir ($version) " || fail "debian/changelog: $(head -n 1 "$root/debian/changelog"), and weir is $version"
field() { # field NAME: the packages of a field of debian/control
    awk -v name="$1" '$0 ~ "^" name ":" { on = 1; sub(/^[^:]*:/, "") } /^[A-Z]/ && $0 !~ "^" name ":" { on = 0 } on' "$root/debian/control" | tr ',\n' '  '
}
for p in $("$root/tools/deps.sh" --list build); do
    case " $(field Build-Depends) " in *" $p "*) ;; *) fail "debian/control: Build-Depends lacks $p, which tools/deps.sh has" ;; esac
done
for p in $("$root/tools/deps.sh" --list run); do
    case " $(field Depends) " in *" $p "*) ;; *) fail "debian/control: Depends lacks $p, which tools/deps.sh has" ;; esac
done
for p in $(field Build-Depends); do
    case " $("$root/tools/deps.sh" --list build run) " in *" $p "*) ;; *) fail "tools/deps.sh lacks $p, which debian/control builds with" ;; esac
done
make -n -C "$root" -f debian/rules binary >/dev/null || fail "debian/rules is no makefile"
for word in "make deps" "make install"; do
    grep -q "^RUN .*$word" "$root/Containerfile" || fail "Containerfile does not '$word'"
done
sh -n "$root/tools/deb.sh" || fail "tools/deb.sh"
