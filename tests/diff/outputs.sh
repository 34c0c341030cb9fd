#!/bin/sh
# Outputs: a file that cannot be written is an error before anything is simulated; one that was there stays until the new
# one is whole; and no command takes a full standard output for success.
# usage: outputs.sh WEIR CUDA-PROGRAM RECORDING
weir=$1 app=$2 wt=$3 failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; sed 's/^/    /' "$dir/out"; failed=1; }

# expect STATUS TEXT COMMAND...
expect() {
    want=$1 text=$2
    shift 2
    "$@" >"$dir/out" 2>&1
    got=$?
    [ $got = "$want" ] && grep -qF -e "$text" "$dir/out" || fail "$*: status $got, expected $want and '$text'"
}
# same FILE TEXT: the file holds just that
same() { [ "$(cat "$1")" = "$2" ] || fail "$1 was changed"; }

# A recording that is not whole leaves the one that was there.
cp "$app" "$dir/app"
for end in abort fault syscall; do
    echo good >"$dir/old.wt"
    expect 1 "was not written" "$weir" record -o "$dir/old.wt" "$dir/app" $end
    same "$dir/old.wt" good
    expect 1 "was not written" "$weir" record -o "$dir/new.wt" "$dir/app" $end
    [ ! -e "$dir/new.wt" ] || fail "$end left a recording"
done
expect 0 "6 launches" "$weir" record -o "$dir/old.wt" "$dir/app"
expect 0 ": valid;" "$weir" trace check "$dir/old.wt"
# Neither the program nor what is no file is replaced.
expect 2 "is the program file" "$weir" record -o "$dir/app" "$dir/app"
cmp -s "$app" "$dir/app" || fail "the program was overwritten by its recording"
mkfifo "$dir/fifo"
expect 2 "is a folder" "$weir" record -o "$dir" "$dir/app"
expect 1 "was not written" "$weir" record -o /dev/null "$dir/app" abort
[ -c /dev/null ] || fail "/dev/null is gone"
[ "$(ls -A "$dir" | sort | tr '\n' ' ')" = "app fifo old.wt out " ] || fail "something is left behind: $(ls -A "$dir")"

# A name that cannot be written is an error before the program runs or the recording is read.
not_started() {
    "$@" >"$dir/out" 2>&1
    got=$?
    [ $got = 2 ] && grep -q "cannot create\|is a folder" "$dir/out" && ! grep -q "right\|cycles\|compil" "$dir/out" ||
        fail "$*: status $got"
}
for bad in "$dir/none/x" "$dir"; do
    not_started "$weir" run --json "$bad" "$app"
    not_started "$weir" run --functional --json "$bad" "$app"
    not_started "$weir" record -o "$bad" "$app"
    not_started "$weir" replay --json "$bad" "$wt"
    not_started "$weir" analyze --json "$bad" "$wt"
    not_started "$weir" suite run transpose --json "$bad"
    not_started "$weir" suite check bfs --json "$bad"
done
expect 2 "cannot create the folder" "$weir" analyze --figures "$app/folder" "$wt"
printf '[figure]\ntitle = t\nprograms = bfs\nmetric = ipc\n[variant a]\nset = l1.size=16KiB\n' >"$dir/plan.ini"
expect 2 "cannot create the folder" "$weir" sweep "$dir/plan.ini" --size tiny -o "$app/folder"
expect 2 "cannot create the folder" "$weir" reproduce apcm --figure 12 --size tiny -o "$app/folder"

# A full disk, as a limit of the size of files: the old file stays, and it is an error.
limited() { (ulimit -f 8 && trap '' XFSZ && exec "$@"); }
echo good >"$dir/old.json"
for command in "run -q --gpu gtx480 --json $dir/old.json $app full-disk" "replay -q --gpu gtx480 --json $dir/old.json $wt"; do
    case $command in run*) "$weir" $command ;; *) limited "$weir" $command ;; esac >/dev/null 2>"$dir/err"
    got=$?
    cp "$dir/err" "$dir/out"
    [ $got = 2 ] && grep -q "cannot write: File too large" "$dir/err" || fail "weir $command on a full disk: status $got"
    same "$dir/old.json" good
done

# A picture that could not be drawn leaves the one that was there; the script draws it again by hand.
if command -v gnuplot >/dev/null; then
    expect 0 "" "$weir" analyze --figures "$dir/pictures" "$wt"
    cp "$dir/pictures/types.svg" "$dir/drawn.svg"
    rm "$dir/pictures/types.svg"
    gnuplot "$dir/pictures/types.gp" && cmp -s "$dir/drawn.svg" "$dir/pictures/types.svg" || fail "the script draws something else"
    mkdir "$dir/bin"
    printf '#!/bin/sh\necho half\nexit 1\n' >"$dir/bin/gnuplot"
    chmod +x "$dir/bin/gnuplot"
    PATH="$dir/bin:$PATH" expect 2 "gnuplot could not draw" "$weir" analyze --figures "$dir/pictures" "$wt"
    cmp -s "$dir/drawn.svg" "$dir/pictures/types.svg" || fail "a failed picture replaced the one that was there"
    printf '#!/bin/sh\necho "<svg>half"\n' >"$dir/bin/gnuplot" # its disk is full, and it does not notice
    PATH="$dir/bin:$PATH" expect 2 "gnuplot could not draw" "$weir" analyze --figures "$dir/pictures" "$wt"
    cmp -s "$dir/drawn.svg" "$dir/pictures/types.svg" || fail "half a picture replaced the one that was there"
    PATH="$dir/bin:$PATH" expect 2 "gnuplot could not draw" "$weir" profile --html "$dir/profile.html" "$wt" # the page is there
    grep -q "Figure not available: gnuplot could not draw" "$dir/profile.html" || fail "the page does not say what it lacks"
fi

# A document on standard output stands there alone, whatever the program and the summary say; and it tells where its
# numbers come from.
document() { # document COMMAND...: its standard output is JSON
    "$@" >"$dir/doc" 2>"$dir/out" && python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$dir/doc" 2>>"$dir/out" ||
        fail "$*: standard output is no JSON document"
}
document "$weir" replay --gpu gtx480 --gpgpusim-stats --explain-loads --json - "$wt"
document "$weir" run --gpu gtx480 --functional --json - "$app" exit 0
document "$weir" run --gpu gtx480 --gpgpusim-stats --explain-loads --json - "$app" exit 0
python3 - "$dir/doc" "$app" <<'PY' || fail "the document does not say where it comes from"
import json, re, sys
d = json.load(open(sys.argv[1]))
p = d["provenance"]
assert p["program"] == sys.argv[2] and p["arguments"] == "exit 0", p
assert re.fullmatch(r"\d+\.\d+\.\d+", p["weir"]) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", p["date"]), p
for k in d["kernels"]:
    warps = k["ctas_per_sm"] * -(-k["block"][0] * k["block"][1] * k["block"][2] // 32)
    assert abs(k["occupancy"] - warps / int(d["config"]["sm.max_warps"])) < 1e-9 and k["registers"] > 0 and k["shared_bytes"] >= 0, k
    assert k["limiter"] in ("ctas", "warps", "registers", "shared_memory", "grid"), k
    full = k["ctas_per_sm"] * int(d["config"]["machine.sms"])
    assert (k["limiter"] == "grid") == (k["grid"][0] * k["grid"][1] * k["grid"][2] < full), k
PY
SOURCE_DATE_EPOCH=86400 document "$weir" replay --gpu gtx480 --json - "$wt"
grep -q '"date": "1970-01-02T00:00:00Z"' "$dir/doc" || fail "SOURCE_DATE_EPOCH is not the date"

# Standard output that takes nothing.
[ -w /dev/full ] || exit $failed
ptx=$dir/k.ptx
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n' >"$ptx"
full() {
    "$weir" "$@" >/dev/full 2>"$dir/out"
    got=$?
    [ $got = 2 ] && grep -q "cannot write" "$dir/out" || fail "weir $* >/dev/full: status $got"
}
full --help
full --version
for command in $("$weir" --help | awk '/^Commands:/ { on = 1; next } on && NF { print $1 } on && !NF { exit }'); do
    full $command --help
done
full list gpus
full list policies
full list workloads
full explain gto
full explain apcm --cost
full config show gtx480
full config check "$(dirname "$0")/../../configs/gtx480.ini"
full trace info "$wt"
full trace info --json "$wt"
full trace check "$wt"
full trace dump --limit 20 "$wt"
full trace dump "$wt"
full replay --gpu gtx480 "$wt"
full replay --gpu gtx480 -q --json - "$wt"
full replay --gpu gtx480 -q --gpgpusim-stats "$wt"
full run -q --gpu gtx480 --json - "$app" exit 0
full run -q --gpu gtx480 --gpgpusim-stats "$app" exit 0
full run --functional --json - "$app" exit 0
full analyze "$wt"
full analyze --json - "$wt"
full suite list
full ptx check "$ptx"
full ptx info "$ptx"
full ptx dump "$ptx"
exit $failed
