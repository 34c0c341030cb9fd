#!/bin/sh
# What weir keeps: compiled programs, recordings, results. Several weirs at once, damaged files, flags, other trees,
# folders of others.
# Usage: artifact_cache.sh WEIR SOURCE-TREE
weir=$(realpath "$1")
source=$2
. "$(dirname "$0")/cli.sh"
export XDG_CACHE_HOME="$dir/cache"

# On a cold cache, several at once: all succeed, and one program is kept.
for i in 1 2 3; do
    { "$weir" suite run histogram --size tiny --functional >"$dir/run$i" 2>&1; echo "status $?" >>"$dir/run$i"; } &
done
wait
for i in 1 2 3; do
    grep -q 'status 0' "$dir/run$i" || fail "run $i of three at once: $(cat "$dir/run$i")"
done
programs() { ls "$dir/cache/weir" | grep -c "^$1-[0-9a-f]*$"; }
[ "$(programs histogram)" = 1 ] || fail "kept: $(ls "$dir/cache/weir")"
[ "$(ls "$dir/cache/weir" | grep -cv '^histogram-[0-9a-f]*\(\.sum\)\?$')" = 0 ] || fail "left behind: $(ls "$dir/cache/weir")"

# A damaged program is made again: cut short, or one byte changed.
binary=$(ls "$dir"/cache/weir/histogram-* | grep -v sum)
truncate -s 3000 "$binary"
expect 0 "$weir" suite run histogram --size tiny --functional
printf 'X' | dd of="$binary" bs=1 seek=5000 conv=notrunc 2>/dev/null
expect 0 "$weir" suite run histogram --size tiny --functional

# So is a damaged recording; and a whole one is not.
cat >"$dir/plan.ini" <<'INI'
[figure]
title    = t
programs = histogram
[variant lrr]
with = lrr
INI
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out1"
recording=$(ls "$dir"/cache/weir/recordings/*.wt)
cp "$recording" "$dir/whole.wt"
truncate -s 200 "$recording"
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out1"
cmp -s "$recording" "$dir/whole.wt" || fail "a damaged recording was not made again"
says err "0 simulations"

# Flags: every word counts, however many there are, and every letter of them.
many="-DA1 -DA2 -DA3 -DA4 -DA5 -DA6 -DA7 -DA8 -DA9 -DA10 -DA11 -DA12 -DA13 -DA14 -DA15 -DA16 -DA17 -DA18 -DA19 -DA20"
many="$many -DA21 -DA22 -DA23 -DA24 -DA25 -DA26 -DA27 -DA28 -DA29 -DA30 -DA31 -DA32 -DA33 -DA34 -DA35 -DA36 -DA37 -DA38"
expect 2 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out2" --cflags "$many -no-such-flag"
says err "no-such-flag"
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out2" --cflags "$many -DLAST=1"
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out2" --cflags "$many -DLAST=2"
[ "$(programs histogram)" = 3 ] || fail "flags that differ late share a program: $(ls "$dir/cache/weir")"

# Two installations at different places share everything.
for tree in here/tree "there, too"; do
    mkdir -p "$dir/$tree/bin" "$dir/$tree/lib/weir" "$dir/$tree/share/weir/suite"
    cp "$weir" "$dir/$tree/bin/weir"
    cp "$(dirname "$weir")"/src/frontend/cudart/libcuda.so.1 "$(dirname "$weir")"/src/frontend/cudart/libcudart.so.13 "$dir/$tree/lib/weir/"
    cp -r "$source/include/weir/cuda" "$source/configs" "$source/swcache" "$dir/$tree/share/weir/"
    cp -r "$source/suite/histogram" "$source/suite/common" "$dir/$tree/share/weir/suite/"
done
export XDG_CACHE_HOME="$dir/other"
expect 0 "$dir/here/tree/bin/weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out3"
says err "1 simulation"
expect 0 "$dir/there, too/bin/weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out4"
[ "$(ls "$dir/other/weir" | grep -c '^histogram-[0-9a-f]*$')" = 1 ] || fail "the path of the tree is in the key: $(ls "$dir/other/weir")"
rm -r "$dir/other/weir/recordings" "$dir/other"/weir/histogram*
expect 0 "$dir/there, too/bin/weir" sweep "$dir/plan.ini" --size tiny -o "$dir/out4"
says err "0 simulations" # the recording is the same, byte for byte

# Folders that others own or may write are refused: what is in them is executed.
export XDG_CACHE_HOME="$dir/third"
mkdir -p "$dir/third/weir"
chmod 777 "$dir/third/weir"
expect 2 "$weir" suite run histogram --size tiny --functional
says err "others may write to the folder"
chmod 755 "$dir/third/weir"
chmod 777 "$dir/third"
expect 2 "$weir" suite run histogram --size tiny --functional
says err "others may write to the folder"
chmod 755 "$dir/third"
if [ "$(id -u)" = 0 ]; then
    chown nobody "$dir/third/weir"
    expect 2 "$weir" suite run histogram --size tiny --functional
    says err "belongs to another user"
    chown root "$dir/third/weir"
    # Without a home there is no folder in common places.
    expect 2 setpriv --reuid=65432 --clear-groups env -u HOME -u XDG_CACHE_HOME "$weir" suite run histogram --size tiny --functional
    says err "no home folder"
fi
exit 0
