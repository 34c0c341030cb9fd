#!/bin/sh
# weir trace import from the outside: a recording that is written as Accel-Sim's traces and imported again is timed the
# same, compressed or not; what is wrong is reported and leaves nothing behind.
# Usage: import_cli.sh WEIR GOLDEN-FOLDER SCRIPTS-FOLDER
weir=$1
golden=$2
scripts=$3
. "$(dirname "$0")/cli.sh"

traces() { # traces RECORDING FOLDER
    "$weir" trace info --json "$1" >"$dir/info.json" || fail "info of $1"
    "$weir" trace dump "$1" | python3 "$scripts/import_from_dump.py" "$dir/info.json" "$2" || fail "no traces of $1"
}

# The same program by another way: every statistic, under policies that look at loops (APCM) and at addresses (CAPS), too.
same() { # same RECORDING IMPORTED OPTION...
    one=$1
    two=$2
    shift 2
    expect 0 "$weir" replay -q --gpu gtx480 "$@" --json "$dir/a.json" "$one"
    expect 0 "$weir" replay -q --gpu gtx480 "$@" --json "$dir/b.json" "$two"
    python3 - "$dir/a.json" "$dir/b.json" <<'PY' || fail "$two $* differs from $one"
import json, sys
a, b = (json.load(open(name))["total"] for name in sys.argv[1:])
b["sm.insts.ret"], b["sm.insts.exit"] = b["sm.insts.exit"], b["sm.insts.ret"]  # a kernel's ret is SASS' EXIT
wrong = {n: (a[n], b.get(n)) for n in a if a[n] != b.get(n)}
sys.exit(str(wrong)[:2000] if wrong else 0)
PY
}
for name in stats/gather-4096 peer/matmul-128; do
    traces "$golden/$name.wt" "$dir/traces"
    expect 0 "$weir" trace import "$dir/traces" -o "$dir/imported.wt"
    says out "1 kernels, 1 launches"
    says out "traced on sm_70"
    for policy in baseline apcm caps; do
        [ $policy = baseline ] && same "$golden/$name.wt" "$dir/imported.wt" || same "$golden/$name.wt" "$dir/imported.wt" --with $policy
    done
done
expect 0 "$weir" trace check "$dir/imported.wt"

# Copies that no memory could hold, with numbers that wrap, are refused with their line.
for copy in 0x0,18446744073709551615 0xffffffffffffffff,4096 0x7f0000000000,99999999999999999999999 -1,-1 0x0,-18446744073709551615; do
    printf 'MemcpyHtoD,%s\n' "$copy" >"$dir/wrong.g"
    expect 2 "$weir" trace import "$dir/wrong.g" -o "$dir/wrong.wt"
    says err "wrong.g:1: 'MemcpyHtoD,$copy'"
    [ -e "$dir/wrong.wt" ] && fail "a recording of $copy was left"
done
# A fence that writes a register, which the next instruction reads.
{
    sed '/^warp = /,$d' "$dir/traces/"*1.traceg | sed 's/^-grid dim = .*/-grid dim = (1,1,1)/; s/^-block dim = .*/-block dim = (32,1,1)/'
    printf 'warp = 0\ninsts = 3\n0000 ffffffff 1 R4 MEMBAR 0 0\n0010 ffffffff 1 R5 IADD 1 R4 0\n0020 ffffffff 0 EXIT 0 0\n\n#END_TB\n'
} >"$dir/fence.traceg"
expect 0 "$weir" trace import "$dir/fence.traceg" -o "$dir/fence.wt"
expect 0 "$weir" replay -q "$dir/fence.wt"
expect 0 "$weir" trace dump --limit 3 "$dir/imported.wt"
says out "LDC"
expect 0 "$weir" replay --gpu h200 "$dir/imported.wt"
expect 0 "$weir" profile "$dir/imported.wt"
says out "matmul.sass:"
expect 0 "$weir" analyze "$dir/imported.wt"
says out "matmul.sass:"
expect 0 "$weir" sweep --with baseline --with apcm --results "$dir/r.sqlite" -o "$dir/sweep" "$dir/imported.wt"

# Shared memory, barriers, several kernels and launches: as many accesses and instructions.
traces "$golden/stats/dwt2d-tiny.wt" "$dir/dwt2d"
expect 0 "$weir" trace import "$dir/dwt2d/kernelslist.g" -o "$dir/dwt2d.wt"
expect 0 "$weir" replay -q --gpu gtx480 --json "$dir/a.json" "$golden/stats/dwt2d-tiny.wt"
expect 0 "$weir" replay -q --gpu gtx480 --json "$dir/b.json" "$dir/dwt2d.wt"
python3 - "$dir/a.json" "$dir/b.json" <<'PY' || fail "dwt2d"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
assert len(a["kernels"]) == len(b["kernels"])
for n in ("warp_insts", "thread_insts", "l1.accesses", "sm.smem_passes", "sm.barriers", "sm.fetch_redirects"):
    if n in a["total"]:
        assert a["total"][n] == b["total"][n], (n, a["total"][n], b["total"][n])
PY

# Compressed; one trace alone; copies.
traces "$golden/stats/gather-4096.wt" "$dir/xz"
python3 - "$dir/xz/kernel-1.traceg" <<'PY'
import lzma, os, sys
data = open(sys.argv[1], "rb").read()
lzma.open(sys.argv[1] + ".xz", "wb").write(data)
os.remove(sys.argv[1])
PY
printf 'MemcpyHtoD,0x0000200000000000,16384\nkernel-1.traceg.xz\n\n' >"$dir/xz/kernelslist.g"
expect 0 "$weir" trace import "$dir/xz" -o "$dir/xz.wt"
expect 0 "$weir" trace info "$dir/xz.wt"
says out "2 events"
expect 0 "$weir" trace import "$dir/xz/kernel-1.traceg.xz" -o "$dir/one.wt"
same "$golden/stats/gather-4096.wt" "$dir/one.wt"

# Errors: the file, the line, what to do; no half recording.
rm -f "$dir/no.wt"
expect 2 "$weir" trace import
says err "name the traces"
expect 2 "$weir" trace import "$dir/xz"
says err "give the output recording with -o"
expect 2 "$weir" trace import "$dir/nowhere" -o "$dir/no.wt"
says err "nowhere"
says err "name kernelslist.g, the folder that holds it"
expect 2 "$weir" trace import "$dir/xz" -o "$dir/none/no.wt"
says err "none"
expect 2 "$weir" trace imprt "$dir/xz" -o "$dir/no.wt"
says err "did you mean 'import'"
expect 2 "$weir" trace import --outptu x "$dir/xz"
says err "did you mean"
printf 'kernel-1.trace\n' >"$dir/raw.g"
expect 2 "$weir" trace import "$dir/raw.g" -o "$dir/no.wt"
says err "raw.g:1"
says err "post-traces-processing"
printf '\nncclAllReduce\n' >"$dir/nccl.g"
expect 2 "$weir" trace import "$dir/nccl.g" -o "$dir/no.wt"
says err "nccl.g:2"
printf 'kernel-7.traceg\n' >"$dir/missing.g"
expect 2 "$weir" trace import "$dir/missing.g" -o "$dir/no.wt"
says err "missing.g:1"
: >"$dir/empty.g"
expect 2 "$weir" trace import "$dir/empty.g" -o "$dir/no.wt"
says err "names no kernel"
head -c 20000 "$dir/traces/kernel-1.traceg" >"$dir/cut.traceg"
expect 2 "$weir" trace import "$dir/cut.traceg" -o "$dir/no.wt"
says err "cut.traceg:"
[ ! -e "$dir/no.wt" ] || fail "half a recording was left"

# Opcodes that are not known, or whose accesses are not traced, are named once.
{
    printf -- '-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#x\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 4\n'
    printf '0000 ffffffff 1 R1 NEWOP.X 0 0\n0010 ffffffff 1 R1 NEWOP.Y 0 0\n0020 ffffffff 1 R4 TEX.SCR 2 R2 R3 0\n0030 ffffffff 0 EXIT 0 0\n#END_TB\n'
} >"$dir/new.traceg"
expect 0 "$weir" trace import "$dir/new.traceg" -o "$dir/new.wt"
[ "$(grep -c 'NEWOP is not known' "$dir/err")" = 1 ] || fail "unknown opcodes: $(cat "$dir/err")"
says err "no addresses for TEX"
expect 0 "$weir" replay "$dir/new.wt"
