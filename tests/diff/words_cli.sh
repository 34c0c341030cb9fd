#!/bin/sh
# What weir says of itself: lists, explanations, differences, the summary's words and shares, the cache folder, exit statuses.
# Usage: words_cli.sh WEIR RECORDING CUDA-PROGRAM
weir=$1 wt=$2 app=$3
. "$(dirname "$0")/cli.sh"

# The summary names each kind of policy; its shares add up.
expect 0 "$weir" replay --gpu mesh28 --with gto,apcm "$wt"
head -n 1 "$dir/out" | grep -q '^mesh28: scheduler gto, L1 management apcm, L1 organization private, prefetcher none, L1 order fifo, L2 order fifo$' ||
    fail "kinds are not named: $(head -n 1 "$dir/out")"
for line in schedulers L1 L2; do
    sum=$(grep "^  $line " "$dir/out" | grep -oE '[0-9.]+%' | tr -d %. | awk '{ s += $1 } END { print s }')
    [ "$sum" = 1000 ] || fail "the shares of '$line' make $sum tenths of a percent: $(grep "^  $line " "$dir/out")"
done
# Each stall that it shows can be asked.
for word in $(grep '^  schedulers' "$dir/out" | grep -oE '% [a-z_]+' | tr -d '% '); do
    [ "$word" = issue ] && continue
    expect 0 "$weir" explain "$word"
    says out "sm.stall.$word: a statistic"
done
expect 0 "$weir" explain lsu_full
says out "finds the load/store unit's queue full"
expect 2 "$weir" explain lsu_fulll
says err "did you mean"

# Every statistic of a run is in the list, and every one of the list can be explained; so can every parameter.
expect 0 "$weir" list statistics
sed -n 's/^  \([a-z0-9_.]*\) .*/\1/p' "$dir/out" | sort >"$dir/statistics"
"$weir" replay -q --gpu mesh28 --with apcm,cart --json "$dir/run.json" "$wt" || fail "replay"
python3 - "$dir/run.json" "$dir/statistics" <<'PY' || fail "statistics of a run that are not listed"
import json, sys
listed = set(open(sys.argv[2]).read().split())
missing = [name for name in json.load(open(sys.argv[1]))["total"] if name not in listed]
assert len(listed) > 150 and not missing, (len(listed), missing)
PY
expect 0 "$weir" list parameters
sed -n 's/^  \([a-z0-9_.]*\) .*/\1/p' "$dir/out" | sort >"$dir/parameters"
"$weir" config show gtx480 --with apcm | awk 'NR > 1 { print $1 }' | sort >"$dir/shown"
[ "$(comm -13 "$dir/parameters" "$dir/shown")" = "" ] || fail "not listed: $(comm -13 "$dir/parameters" "$dir/shown")"
# Policies of two kinds have parameters of both.
for name in ccws.vta_entries ccws.vta_assoc pcal.warps pcal.tokens; do
    grep -qx "$name" "$dir/parameters" || fail "$name is not listed"
done
for name in $(awk 'NR % 40 == 1' "$dir/statistics" "$dir/parameters"); do
    expect 0 "$weir" explain "$name"
done
expect 2 "$weir" list everything
says err "statistics or parameters"

# What differs between two machines, parameters of policies included.
expect 0 "$weir" config diff gtx480 gtx780
grep -q '^machine.sms  *15  *16  *streaming multiprocessors$' "$dir/out" || fail "no difference in SMs"
grep -q '^l1.line' "$dir/out" && fail "equal values are shown"
printf 'base = gtx480\n[l1]\nsize = 32KiB\n[sm]\nscheduler = two_level\n' >"$dir/mine.ini"
expect 0 "$weir" config diff "$dir/mine.ini" gtx480
[ "$(wc -l <"$dir/out")" = 4 ] || fail "not three differences: $(cat "$dir/out")"
grep -q '^two_level.ready  *[0-9]*  *-  ' "$dir/out" || fail "a parameter that only one has: $(cat "$dir/out")"
expect 0 "$weir" config diff gtx480 gtx480
says out "the machines are identical"
expect 2 "$weir" config diff gtx480
expect 2 "$weir" config diff gtx480 gtx48
says err "did you mean 'gtx480'?"

# The cache folder: listed, cleaned by age, results only when asked.
mkdir -p "$dir/cache/weir/recordings"
printf 12345678 >"$dir/cache/weir/old-1"
printf 1234 >"$dir/cache/weir/recordings/new-1.wt"
printf 12 >"$dir/cache/weir/results.sqlite"
touch -d "40 days ago" "$dir/cache/weir/old-1"
chmod -R go-w "$dir/cache"
expect 0 "$weir" cache list --files
grep -qE '^ +8 B +40 days +old-1$' "$dir/out" || fail "not listed: $(cat "$dir/out")"
grep -qE '^  total +14 B$' "$dir/out" || fail "no total: $(cat "$dir/out")"
expect 0 "$weir" cache clean --older-than 30
says out "1 file removed, 8 B"
expect 0 "$weir" cache clean
says out "1 file removed, 4 B"
[ "$(find "$dir/cache/weir" -type f)" = "$dir/cache/weir/results.sqlite" ] || fail "left: $(find "$dir/cache/weir" -type f)"
expect 0 "$weir" cache clean --results
[ "$(find "$dir/cache" -type f)" = "" ] || fail "left: $(find "$dir/cache" -type f)"
expect 2 "$weir" cache empty
expect 2 "$weir" cache clean --older-than soon

# A recording's text has operands, and its head says when it was written.
cp "$wt" "$dir/copy.wt"
touch -d "2024-02-29 12:30 UTC" "$dir/copy.wt"
expect 0 "$weir" trace info "$dir/copy.wt"
says out "written   2024-02-29 12:30 UTC"
says out "machine   not recorded" # a recording of format 1
says out "version   not recorded"
says out "weir recording, format 1"
version=$("$weir" --version)
expect 0 "$weir" record -q --gpu gtx780 --set machine.sms=4 -o "$dir/new.wt" "$app"
expect 0 "$weir" trace info "$dir/new.wt"
says out "machine   gtx780 machine.sms=4"
says out "version   $version"
says out "weir recording, format 6"
expect 0 "$weir" trace info --json "$dir/new.wt"
says out "\"weir\": \"${version#weir }\""
says out "\"machine\": \"gtx780 machine.sms=4\""
printf 'base = gtx480\n' >"$dir/own.ini"
expect 0 "$weir" record -q --gpu "$dir/own.ini" -o "$dir/own.wt" "$app"
expect 0 "$weir" trace info "$dir/own.wt"
says out "machine   own.ini"
expect 0 "$weir" record -q --gpu "$dir/own.ini" -o "$dir/again.wt" "$app" # equal, byte for byte, whenever
cmp "$dir/own.wt" "$dir/again.wt" || fail "two recordings of one program differ"
expect 0 "$weir" trace dump --limit 200 "$wt"
grep -qE ' (add|mad|mul)[a-z0-9.]* +r[0-9]+ <- r[0-9]+( r[0-9]+)* ' "$dir/out" || fail "no operands: $(head -n 5 "$dir/out")"

expect 0 "$weir" trace info "$dir/own.wt"
grep -q '_Z[0-9]' "$dir/out" && fail "mangled names: $(cat "$dir/out")"

expect 2 "$weir" trace dump --cta 99999999 "$wt"
says err "CTA 99999999 does not exist: there are "
expect 2 "$weir" trace dump --warp 99 "$wt"
says err "warp 99 does not exist: there are "

# The suite: a list of some, and what contradicts itself.
expect 0 "$weir" suite list bfs
[ "$(wc -l <"$dir/out")" = 3 ] || fail "not the one program: $(cat "$dir/out")"
expect 2 "$weir" suite list --json -
says err "'list' runs nothing"
expect 2 "$weir" suite run --all bfs
says err "--all cannot be combined with names ('bfs')"

# An argument of the wrong command: the message names the right one.
chmod -x "$dir/own.wt"
expect 2 "$weir" run "$dir/own.wt"
says err "weir replay $dir/own.wt"
for command in compare energy correlate; do
    expect 2 "$weir" $command "$dir/run.json" "$dir/own.wt"
    [ $command = correlate ] || says err "'weir replay --json FILE $dir/own.wt' creates a statistics document"
done
expect 2 "$weir" profile --energy "$dir/run.json"
says err "use 'weir energy $dir/run.json'"
expect 2 "$weir" config show --only l9
says err "did you mean 'l1'?"
expect 2 "$weir" replay "$app"
says err "record a program first: weir record"
expect 2 "$weir" sweep -o "$dir/report" bfs -- "$app" -- "$dir/own.wt" --metric ipc
says err "--metric: options must precede the programs"
expect 2 env XDG_CACHE_HOME="$dir/none/cache" "$weir" suite run bfs --size tiny
says err "set XDG_CACHE_HOME to another folder"
expect 2 env TMPDIR="$dir/none" "$weir" profile "$dir/own.wt"
says err "set TMPDIR to another folder"
cp "$dir/own.wt" "$dir/mine.wt"
expect 2 "$weir" sweep --size tiny -o "$dir/report" --results "$dir/mine.wt" "$dir/own.wt" # which is no store to be removed
says err "file is not a database; name another file with --results"
cmp "$dir/own.wt" "$dir/mine.wt" || fail "a file that is no store was changed"
for with in '' ,; do
    expect 2 "$weir" replay --with "$with" "$wt"
    says err "--with: no policy given"
done
expect 0 "$weir" replay --gpu mesh28 --with dyneb "$wt"
says out "% forwarded"
sum=$(grep "^  L1 " "$dir/out" | grep -oE '[0-9.]+%' | tr -d %. | awk '{ s += $1 } END { print s }')
[ "$sum" = 1000 ] || fail "the shares of shared L1s make $sum tenths of a percent: $(grep "^  L1 " "$dir/out")"

# Every statistic that a run prints is listed, and so explained: those of observers, partitions, energy and its components.
expect 0 "$weir" list statistics
awk '{ print $1 }' "$dir/out" >"$dir/known"
documents=
for run in "mesh28 dyneb --set l1.observe=yes --energy" "h200 racb" "gtx480 apcm --energy" "xbar28 cart --energy" "bfly36 mrpb --energy"; do
    # shellcheck disable=SC2086 # words
    set -- $run
    gpu=$1 with=$2
    shift 2
    expect 0 "$weir" replay -q --gpu "$gpu" --with "$with" "$@" --json "$dir/$gpu.json" "$wt"
    documents="$documents $dir/$gpu.json"
done
# shellcheck disable=SC2086 # words
python3 - "$dir/known" $documents <<'PY' || fail "a statistic that weir does not explain"
import json, sys
known = set(open(sys.argv[1]).read().split())
missing = sorted({name for path in sys.argv[2:] for name in json.load(open(path))["total"]} - known)
print("unknown:", *missing, file=sys.stderr)
sys.exit(bool(missing))
PY
for name in energy.dyneb_j l1.home.max_load l2.remote_partition.fetches l2.eager_write_backs; do
    expect 0 "$weir" explain $name
    says out "$name: a statistic"
done
# Buckets of histograms, which plans take; sections, with all that stands below their name.
expect 0 "$weir" explain apcm.psb.duration.le_100
says out "apcm.psb.duration.le_100: bucket of the histogram apcm.psb.duration, in"
expect 2 "$weir" explain apcm.psb.duration.le_101
expect 0 "$weir" explain dram
says out "dram: a section of the configuration: "
says out "parameter dram.banks = 16 banks: banks of a channel"
says out "statistic dram.row_hits:"
expect 0 "$weir" explain l1.accesses
says out "counts as remote here and by its outcome there"

# Values that contradict each other: the one that was set last is named, and what to do.
expect 2 "$weir" replay -q --set l2.line=64B "$wt"
says err "l2.line=64B: a line of l1 (l1.line=128B) would span two L2 lines; choose l1.line of at most 64B, or l2.line of at least 128B"
expect 2 "$weir" config check --set l1.line=64B --set l2.line=64B gtx480
says err "tex.line=128B"
expect 0 "$weir" replay -q --set l1.line=64B --set tex.line=64B --set l2.line=64B "$wt"
printf 'base = gtx480\n[l1]\nsize = 33KiB\n' >"$dir/size.ini"
expect 2 "$weir" config check "$dir/size.ini"
says err "size.ini:3: l1.size=33KiB:"
# Every fault of a file at once; of one without, totals, and what no GPU has. Nothing of the machines here is doubted.
printf 'base = gtx480\n[l1]\nsixe = 4\nassoc = many\n[l22]\nx = 1\n[dram]\nrc = 1\n[sm]\nscheduler = gtoo\n' >"$dir/faults.ini"
expect 2 "$weir" config check "$dir/faults.ini"
says err "faults.ini:3: there is no key 'sixe' in [l1]; did you mean 'l1.size'?"
says err "faults.ini:4: l1.assoc=many:"
says err "faults.ini:6: there is no section [l22]"
says err "faults.ini:8: dram.rc=1: tRC = 1 is less than tRAS = 28"
says err "faults.ini:10: sm.scheduler=gtoo:"
expect 2 "$weir" run -q --gpu "$dir/faults.ini" "$app"
[ "$(wc -l <"$dir/err")" = 1 ] || fail "a run told more than the first fault"
expect 0 "$weir" config check --set l2.size=40MiB h200
says out "40MiB a slice, 96 slices, 3840MiB in all"
says out "doubtful: l2.size: 40MiB is the size of one slice"
for machine in $("$weir" list gpus | awk '{ print $1 }'); do
    expect 0 "$weir" config check "$machine"
    ! grep doubtful "$dir/out" || fail "$machine is doubted"
done
printf 'base = gtx480\n[l1\nsize = 32KiB\n' >"$dir/section.ini"
expect 2 "$weir" config check "$dir/section.ini"
says err "section.ini:2: a section's name ends with ]"
expect 2 "$weir" replay -q --set memory.address_map=RRR "$wt"
says err '--set memory.address_map=RRR: address mapping "RRR" names 3 bits'
# Banks that the map does not name would share rows; banks that it names and that are not there would, too.
for banks in 8 32; do
    expect 2 "$weir" config check --set dram.banks=$banks gtx480
    says err "--set dram.banks=$banks: memory.address_map names 16 banks (2 to the number of its Bs and Ls), but dram.banks x dram.pseudo_channels is $banks"
done
expect 0 "$weir" config check --set memory.address_map=RRRRRRRRRRRRRRRR.BBBCCCCC.CCSSSSSS --set dram.banks=8 gtx480
expect 2 "$weir" config check --set l1.line=256B gtx480
says err "256B is out of range; choose from 32B to 128B"
expect 2 "$weir" config check --set line=64B gtx480
says err "--set line=64B: the key has no section; write it like --set l1.size=32KiB"
# A request that needs more MSHRs than there are would wait for ever.
expect 2 "$weir" config check --set l2.sectored=yes --set l2.split_sectors=yes --set l2.mshrs=3 gtx480
says err "--set l2.mshrs=3: a request of a line takes an MSHR for each of its 4 sectors (l2.split_sectors)"
expect 2 "$weir" config check --set l2.sectored=yes --set l2.split_sectors=yes --set l2.mshrs=7 --set l2.partitions=2 gtx480
says err "would never be enough"
expect 0 "$weir" config check --set l2.sectored=yes --set l2.split_sectors=yes --set l2.mshrs=4 gtx480

# A program of the suite, a plug-in's policy: what to type instead.
weir=$(realpath "$weir")
(cd "$dir" && expect 2 "$weir" run -q bfs) || exit 1
says err "weir: bfs: not found; to run the suite's program of that name: weir suite run bfs"
(cd "$dir" && expect 2 "$weir" run -q nothing) || exit 1
says err "give the path of a CUDA program, as in ./nothing"
(cd "$dir" && expect 2 "$weir" config show gtx480 --with drrip) || exit 1
says err "a plug-in's policy needs --plugin FILE.so"
: >"$dir/drrip.c"
(cd "$dir" && expect 2 "$weir" config show gtx480 --with drrip) || exit 1
says err "build it with 'weir plugin build drrip.c' and load it with --plugin ./drrip.so"
: >"$dir/drrip.so"
(cd "$dir" && expect 2 "$weir" config show gtx480 --with drrip) || exit 1
says err "load it with --plugin ./drrip.so"
expect 0 "$weir" list papers
says out "apcm             figures 1, 3,"

# The board's rows make the values of its machine's file, but for two that take more than a formula.
expect 0 "$weir" calibrate "$(dirname "$0")/../../silicon/probes" -o "$dir/mine.ini"
says out "l2.latency               145              140"
says out "52 values measured; 2 differ from h200"
expect 0 "$weir" config check "$dir/mine.ini"
mkdir "$dir/results"
expect 2 "$weir" calibrate "$dir/results"
says err "there are no results of the probes here; 'silicon/probes/collect.sh"
printf 'name\tA board\nsms\t10\nl2_bytes\t1310720\nbus_bits\t256\n' >"$dir/results/device.tsv"
printf 'probe\tvariant\tlaunch_a\tlaunch_b\tcycles_a\tcycles_b\toperations\nlatency\tfp_add\t1\t2\t100\t700\t100\n' >"$dir/results/inst.tsv"
expect 0 "$weir" calibrate "$dir/results"
says out "lat.fp_add = 6              # latency fp_add: 6"
says out "channels = 2                # device bus_bits: 256, in channels of 128"
says out "size = 327680B              # device l2_bytes: 1310720, in 4 slices"
expect 2 "$weir" calibrate --name 'one # two' "$dir/results"
says err "weir: a device name cannot have '#', ';' or control characters; give another with --name TEXT"
printf 'sms\t10\nl2_bytes\t1310721\nbus_bits\t999999\n' >"$dir/results/device.tsv"
expect 2 "$weir" calibrate "$dir/results" -o "$dir/none.ini"
says err "weir: $dir/results: l2.size=83B: 83B is out of range; choose from 1KiB to 4GiB"
[ ! -e "$dir/none.ini" ] || fail "calibrate leaves a machine that it refuses"

# Exit statuses: done, the program failed, bad input, deadlock.
expect 0 "$weir" run -q --functional "$app"
expect 1 "$weir" run -q --functional /bin/false
expect 2 "$weir" run -q --gpu gtx48 "$app"
expect 3 "$weir" replay -q --gpu gtx480 --set dram.latency=1000 --set clock.core=2800MHz --set l2.max_merges=64 \
    --set machine.deadlock_cycles=1000 "$wt"
# What a command would refuse is not in its help; the refusal says why.
"$weir" analyze --help | grep -q -e --with && fail "analyze --help has --with"
expect 2 "$weir" analyze --with gto "$wt"
says err "an analysis has no timing model, so --with has no effect"
"$weir" suite --help | grep -q -e --profile && fail "suite --help has --profile"
expect 2 "$weir" suite run bfs --profile
says err "weir profile bfs"
for command in run replay; do
    "$weir" $command --help >"$dir/out"
    says out "--with="
    says out "--profile"
    says out "--progress="
done
exit 0
