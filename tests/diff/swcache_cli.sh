#!/bin/sh
# weir reproduce swcache from the outside: one application at size tiny on the three machines. Its JSON holds what the
# table shows, nothing is simulated twice, an application that computes something else is an error, bad options are
# refused. The device is played by scripts.
# Usage: swcache_cli.sh WEIR
weir=$1
. "$(dirname "$0")/cli.sh"

reproduce() { "$weir" reproduce swcache --size tiny -o "$dir/out.d" "$@"; }

expect 0 reproduce --app crc --json "$dir/crc.json"
says err "9 simulations"
says out "by hand"
says out "a twelfth of an H200"
for f in report.md gtx480.svg gtx780.gp h200-12.svg; do
    [ -s "$dir/out.d/$f" ] || fail "there is no $f"
done
python3 - "$dir/crc.json" "$dir/out" <<'PY' || fail "the JSON is not as it should be"
import json, math, sys
all = json.load(open(sys.argv[1]))
table = open(sys.argv[2]).read()
assert all["schema"] == "weir-swcache-1"
assert [m["machine"] for m in all["machines"]] == ["gtx480", "gtx780", "h200/12"]
cycles = set()
for m in all["machines"]:
    assert m["simulated"] and m["size"] == "tiny"
    (p,) = m["programs"]
    assert (p["program"], p["group"]) == ("crc", "streaming") and "failure" not in p
    plain = p["plain"]
    for variant in "plain", "hand", "auto":
        v = p[variant]
        s = v["statistics"]
        assert v["cycles"] == s["cycles"] > 1000 and s["launches"] == 1, (variant, s["launches"])
        assert math.isclose(v["speedup"], plain["cycles"] / v["cycles"], rel_tol=1e-9)
        cycles.add(v["cycles"])
    # A scan reads 16 or 32 bytes at a time where the plain kernel reads one.
    for variant in "hand", "auto":
        assert p[variant]["statistics"]["l1.accesses"] < 0.6 * plain["statistics"]["l1.accesses"]
    mean = m["means"]["streaming"]
    assert mean["programs"] == 1 and math.isclose(mean["hand"], p["hand"]["speedup"], rel_tol=1e-9)
    assert "others" not in m["means"]
    assert f" {plain['cycles']:.0f} " in table and f" {p['hand']['speedup']:.3f} " in table
assert len(cycles) >= 6, cycles
PY

# Again: nothing is simulated, the same table; one machine only.
cp "$dir/out" "$dir/out2"
expect 0 reproduce --app crc
says err "0 simulations"
cmp "$dir/out" "$dir/out2" || fail "results from the store differ"
expect 0 reproduce --app crc --gpu gtx780
says err "3 reused"
expect 0 reproduce --app crc --gpu gtx780 --set l1.size=32KiB
says err "3 simulations"
says out "gtx780 l1.size=32KiB"
grep -q gtx480 "$dir/out" && fail "a machine that was not asked for"

expect 2 reproduce --app crc --set l1.sizes=32KiB
says err "did you mean 'l1.size'?"
expect 2 reproduce --app crc --set l1.size=3KiB
expect 2 reproduce --app crc --set apcm.mode=bypass
says err "is not selected"

# A program that fails is named. The kept program is exchanged for one that fails, with a sum that is right (see cc/artifact_cache.h).
seal() { # seal FILE: writes FILE.sum
    python3 - "$1" <<'PY'
import struct, sys
data = open(sys.argv[1], "rb").read()
h = 0x6c62272e07bb014262b821756295c58d
for byte in data + struct.pack("<Q", len(data)):
    h = (h ^ byte) * ((1 << 88) + 0x13b) % (1 << 128)
open(sys.argv[1] + ".sum", "w").write("%032x" % h)
PY
}
program=$(ls "$dir"/cache/weir/swcache/crc-*/program)
printf '#!/bin/sh\nexit 1\n' >"$program"
seal "$program"
rm "$(dirname "$program")"/*.wt
expect 1 reproduce --app crc
says err "crc"
says out "Failed: crc"

# --device: a compiler and a GPU that are not there, and that give known times.
mkdir "$dir/bin"
cat >"$dir/bin/nvcc" <<'SH'
#!/bin/sh
for out; do :; done # the last word
case "$*" in
*apps/crc/app.cu*apps/crc/plain.cu*apps/crc/hand.cu*/auto.cu*) auto=', "auto": {"median_ms": 2.5}' ;;
*apps/crc/app.cu*apps/crc/plain.cu*apps/crc/hand.cu*) auto= ;;
*) exit 1 ;;
esac
cat >"$out" <<APP
#!/bin/sh
[ "\$1 \$2 \$5" = "--size full --json" ] || exit 1
cat >"\$6" <<JSON
{"app": "crc", "device": "No GPU", "variants": {"plain": {"median_ms": 4}, "hand": {"median_ms": 2}$auto}}
JSON
APP
chmod +x "$out"
SH
chmod +x "$dir/bin/nvcc"
echo 'int cuInit(unsigned f) { return (int)f; } int cuDeviceGetCount(int *n) { *n = GPUS; return 0; }' >"$dir/driver.c"
on_device() { PATH="$dir/bin:$PATH" LD_LIBRARY_PATH="$dir/bin" "$weir" reproduce swcache --device --app crc -o "$dir/out.d"; }
${CC:-cc} -shared -fPIC -DGPUS=0 "$dir/driver.c" -o "$dir/bin/libcuda.so.1" || fail "no C compiler"
expect 2 on_device
says err "no CUDA-capable GPU found"
${CC:-cc} -shared -fPIC -DGPUS=1 "$dir/driver.c" -o "$dir/bin/libcuda.so.1"
expect 0 on_device
says out "No GPU"
grep -q 'crc  *4.000  *2.000  *1.600$' "$dir/out" || fail "not 4 ms and speed-ups of 2 and 1.6: $(cat "$dir/out")"
program=$(grep -l '"median_ms": 2}' "$dir"/cache/weir/swcache/crc-*/program)
sed -i 's/"median_ms": 2}/"fastest_ms": 2}/' "$program"
seal "$program"
expect 1 on_device
says out "Failed: crc"
grep -q 'crc  *-  *-  *-$' "$dir/out" || fail "numbers of a program that failed: $(cat "$dir/out")"

# Where the transformer cannot run, here without a real libclang, the others do.
clang=$(ldd "$(dirname "$weir")/swcache/transform/libweir-swcache.so" | awk '/libclang/ { print $1 }')
${CC:-cc} -shared -fPIC -DGPUS=1 "$dir/driver.c" -o "$dir/bin/$clang"
XDG_CACHE_HOME=$dir/other expect 0 on_device
says out "No automatic variants"
grep -q 'crc  *4.000  *2.000  *-$' "$dir/out" || fail "not 4 ms and a speed-up of 2: $(cat "$dir/out")"
rm "$dir/bin/$clang"

# A program that launches its kernel once gets the cached one, and is faster by it.
cat >"$dir/once.cu" <<'CU'
#include <cuda_runtime.h>
__global__ void count(const char *__restrict__ text, int *__restrict__ out, int n)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    int words = 0;
    for (int i = 0; i < n; i++)
        words += text[t * n + i] == ' ';
    out[t] = words;
}
int main()
{
    const int threads = 15 * 256, n = 256;
    char *text;
    int *out;
    cudaMalloc(&text, threads * n);
    cudaMalloc(&out, threads * sizeof *out);
    count<<<15, 256>>>(text, out, n);
    return cudaDeviceSynchronize();
}
CU
cycles() { "$weir" run --gpu gtx480 -q --json - "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["total"]["cycles"])'; }
expect 0 "$weir" swcache transform "$dir/once.cu" -o "$dir/once.cached.cu"
expect 0 "$weir" cc "$dir/once.cu" -o "$dir/once"
expect 0 "$weir" cc "$dir/once.cached.cu" -o "$dir/once.cached"
plain=$(cycles "$dir/once") cached=$(cycles "$dir/once.cached")
[ "$((2 * cached))" -lt "$plain" ] || fail "one launch takes $plain cycles plain, $cached transformed"

# A libclang that crashes costs a message, not the output that was there.
echo 'void clang_visitChildren(void) { __builtin_trap(); }' >"$dir/crash.c"
${CC:-cc} -shared -fPIC "$dir/crash.c" -o "$dir/crash.so"
echo '__global__ void k() {}' >"$dir/k.cu"
echo "what was there" >"$dir/k.out.cu"
mkdir "$dir/tmp"
expect 2 env TMPDIR="$dir/tmp" LD_PRELOAD="$dir/crash.so" "$weir" swcache transform "$dir/k.cu" -o "$dir/k.out.cu"
says err "k.cu: the transformer or libclang failed on this file (Illegal instruction)"
[ "$(cat "$dir/k.out.cu")$(ls "$dir/tmp")" = "what was there" ] || fail "after a crash: $(cat "$dir/k.out.cu") $(ls "$dir/tmp")"

# Bad options.
expect 2 reproduce --app crcc
says err "did you mean 'crc'?"
expect 2 reproduce --app nothing
says err "choose from: blackscholes crc"
expect 2 reproduce --app crc --gpu gtx48
says err "did you mean 'gtx480'?"
expect 2 reproduce --size huge
expect 2 reproduce -j none
exit 0
