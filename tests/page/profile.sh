#!/bin/sh
# weir profile: the screen says what an engineer asks, the page says it too and works in a browser, and no name of a
# program, kernel, file or policy becomes markup.
# Usage: profile.sh WEIR TREE
weir=$(realpath "$1")
tree=$2
. "$tree/tests/diff/cli.sh"
cd "$dir" || exit 1

expect 0 "$weir" cc "$tree/tests/page/transpose.cu" -o transpose
expect 0 "$weir" profile --gpu gtx480 --html page.html --json run.json ./transpose 256
says out "transpose.cu:12: each store touches 32 lines of 128 bytes; 1 would suffice"
grep -qE "[0-9]+% of issue slots wait for$" out || fail "no share: $(cat out)"
says out "tiled.h:11: bank conflicts: each shared-memory load takes 32.0 passes instead of 1"
says out "tiled.h:13: each atomic makes 32 requests for 32 lanes"
grep -qE "columns: [0-9]+% of issue slots have no warp: 64 CTAs of 1024 threads" out || fail "no idle SMs: $(cat out)"
says out "lsu_full"
grep -qE "^  naive +2 " out || fail "launches are not summed, or names not demangled: $(cat out)"
says out "Over time"
cp out first
[ "$(wc -l <out)" -le 45 ] || fail "more than a screen: $(wc -l <out) lines"
says page.html "<b>transpose.cu:12</b>: each store touches 32 lines"
says page.html "out[x * n + y] = in[y * n + x];"
says page.html "st.global"
says page.html "atom"
python3 - <<'PY' || fail "the memory chart is not that of the document: $(grep -A1 '^Memory' out)"
import base64, json, re
doc, page, out = json.load(open("run.json")), open("page.html").read(), open("out").read()
total = doc["total"]
chart = page.split('<h2 id="chart">')[1].split("</figure>")[0]
texts = re.findall(r"<text [^>]*>([^<]*)</text>", chart)
assert texts.count("hit rate") == 2 and "shared memory" in texts, texts
for text in "%.1f%%" % (100 * total["l1.hits"] / total["l1.accesses"]), "%.1f%%" % (100 * total["l2.hits"] / total["l2.accesses"]):
    assert text in texts and text in out, (text, texts)
assert "%.1f%% of peak" % (100 * total["dram.utilization"]) in texts, texts
size = lambda v: next(("%.3g %sB" % (v / at, u) for at, u in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if v >= 9.9995 * at or v >= at > 1e3))
for v in total["dram.read_bytes"], total["dram.write_bytes"], total["noc.reply.bytes"], total["noc.request.bytes"]:
    assert size(v) in texts and size(v) in out, (v, size(v), texts)
loaded = sum(32 * l["sectors"] for l in doc["loads"] if l["class"] in ("load", "atom", "tex") and l.get("served"))
assert size(loaded) in texts, (loaded, texts)
# A chart for each kernel; every launch in the course of the run, and a map for SMs, slices, channels and banks.
assert page.count('class="chart"') == 1 + len({k["kernel"] for k in doc["kernels"]})
course = page.split('class="chart course"')[1].split("</figure>")[0]
assert course.count(": launch ") == len(doc["kernels"]) and course.count("data:image/bmp") == 5, course.count("data:image/bmp")
picture = re.search("svg.xml;base64,([^\"]*)", page.split('<h2 id="roofline">')[1])
assert not picture or all(level + ": " in base64.b64decode(picture.group(1)).decode() for level in ("L1", "L2", "DRAM"))
PY

# Loads of one line that are unlike are spoken of one by one: not of the mean of a gather and the load of its index.
expect 0 "$weir" cc "$tree/tests/page/mixed.cu" -o mixed
expect 0 "$weir" profile --gpu gtx480 --html mixed.html ./mixed
says mixed.html "<b>mixed.cu:13</b>: each load (1 of 2 on this line) touches 32 lines of 128 bytes; 2 would suffice"
says mixed.html "<b>mixed.cu:19</b>: each load (1 of 4 on this line) touches 4.0 lines of 128 bytes; 1 would suffice"
grep -q "mixed.cu:19</b>: [0-9]*% of issue slots wait for this load (3 of 4 on this line)" mixed.html ||
    fail "loads that are alike do not speak together: $(cat out)"

# And by name: the parameter that the source names, in the order of the PTX; unrolled copies are one row.
python3 - <<'PY' || fail "loads are not told apart: $(grep mixed.cu:19 out)"
import re
page = open("mixed.html").read()
rows = page.split('<h2 id="memory">')[1].split("</table>")[0].split("<tr>")[1:]
pointers = {r[2] for r in (re.findall(r"<td[^>]*>([^<]*)</td>", row) for row in rows) if len(r) > 2 and r[0] == "mixed.cu:19"}
assert pointers == {"out", "a", "b", "c", "d"}, pointers
ptx = page.split('<h2 id="ptx">')[1]
assert "ld.global" in ptx and "out[i] = in[index[i]];" in ptx
PY
cat >unrolled.cu <<'EOF'
#include <cuda_runtime.h>
__global__ void rows(float *to,   // the sums
                     const float *from, int n = 8)
{
    float s = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        s += from[threadIdx.x * 9 + i];
    to[threadIdx.x] = s + n;
}
int main()
{
    float *p;
    cudaMalloc(&p, 1 << 16);
    rows<<<1, 64>>>(p, p + 1024, 3);
    return cudaDeviceSynchronize() != cudaSuccess;
}
EOF
expect 0 "$weir" cc unrolled.cu -o unrolled
expect 0 "$weir" profile --gpu h200 --html unrolled.html --json unrolled.json ./unrolled
grep -q "from +0 … +28 (8 copies)" unrolled.html || fail "unrolled copies are not grouped: $(cat out)"
python3 - <<'PY' || fail "the order of scheduled code is not that of a permutation"
import json
order = [i["scheduled"] for i in json.load(open("unrolled.json"))["instructions"] if "scheduled" in i]
assert len(order) > 10 and len(set(order)) == len(order)
PY

# The line of a file with a long name is shown, too.
cp "$tree/tests/page/mixed.cu" a_file_with_a_rather_long_name.cu
expect 0 "$weir" cc a_file_with_a_rather_long_name.cu -o long
expect 0 "$weir" profile --gpu gtx480 ./long
grep -qE "^  a_file_with_a_rathe\.\.:[0-9]+ +[0-9.]+%" out || fail "no line of a long file: $(cat out)"

# Energy, where it is asked for.
expect 0 "$weir" profile --energy --html energy.html ./transpose 64
says energy.html "<h2 id=\"energy\">"
says out " mJ, "

# The document again, from a file and from a pipe; without the sources; without counts.
expect 0 "$weir" run -q --gpu gtx480 --with gto --profile --json gto.json ./transpose 256
expect 0 "$weir" compare --html both.html run.json gto.json
expect 0 "$weir" profile run.json
cmp -s out first || fail "the document shows something else"
expect 0 sh -c "cat run.json | '$weir' profile -"
cmp -s out first || fail "the document shows something else through a pipe"
sed 's|"src_file": ".*transpose.cu"|"src_file": "/moved/transpose.cu"|' run.json >moved.json
expect 0 "$weir" profile --html moved.html moved.json
says moved.html "/moved/transpose.cu cannot be read; use weir profile --source DIR"
expect 0 "$weir" profile --html moved.html --source "$tree/tests/page" moved.json
grep -q "cannot be read" moved.html && fail "the source in --source was not found"
expect 0 "$weir" run -q --gpu gtx480 --json plain.json ./transpose 64
expect 0 "$weir" profile --html plain.html plain.json
says out "--profile"
says plain.html "weir run --profile"
expect 2 "$weir" profile nosuchprogram
says err "the suite has no program"

# Bad input.
echo '{"schema": 1' >broken.json
expect 2 "$weir" profile broken.json
says err "broken.json"
says err "is not JSON"
echo '{"total": {}}' >other.json
expect 2 "$weir" profile other.json
says err "is not the statistics document of a run"
expect 2 "$weir" profile absent.json
expect 2 "$weir" profile --gpu gtx480 run.json
says err "is a finished run"
expect 2 "$weir" profile --html no/such/folder/page.html run.json
expect 2 "$weir" profile

# Words that would be markup.
python3 - run.json evil.json <<'PY' || fail "no hostile document"
import json, sys
evil = "\"'><img src=x onerror=\"window.evil=1\"><script>window.evil=2</script></style></title><!--&lt;%n"
doc = json.load(open(sys.argv[1]))
doc["machine"] = "m" + evil
doc["provenance"] = {"program": "p" + evil, "arguments": evil, "weir": evil, "date": evil}
doc["policies"] = {"k" + evil: "v" + evil}
doc["config"]["c" + evil] = "w" + evil
doc["total"]["t" + evil] = 1
for member in "kernels", "loads", "instructions":
    for o in doc[member]:
        o["kernel"] += evil
        o.update({k: o[k] + evil for k in ("inst", "class", "space", "limiter") if k in o})
        if "src_file" in o:
            o["src_file"] = "/nowhere/" + evil.replace("/", "|")
for m in doc["parts"]["maps"]:
    m.update({"name": m["name"] + evil, "of": evil, "title": evil})
doc["timelines"] = {"t" + evil: {"cycles": 100, "bin_cycles": 1, "sms": 1, "phases": {"f" + evil: [1] * 100}}}
json.dump(doc, open(sys.argv[2], "w"))
PY
expect 0 "$weir" profile --html evil.html evil.json
grep -q '<img src=x\|<script>window\|</style></title>' evil.html && fail "a name became markup"

if ! command -v gnuplot >/dev/null; then
    echo "there is no gnuplot: the pages were not opened"
    exit 77
fi
python3 "$tree/tests/page/browser.py" page.html both.html plain.html evil.html
