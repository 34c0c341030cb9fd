#!/bin/sh
# Policies from outside the tree, with an installed weir: every kind is started from its template and passes its own
# test, runs live and replayed alike, reports, keys results; what is wrong with a plugin is said in a sentence.
# Usage: plugin.sh BUILD-FOLDER SOURCE-ROOT PROGRAM TELLER.c
build=$(realpath "$1")
root=$(realpath "$2")
program=$(realpath "$3")
teller=$(realpath "$4")
. "$(dirname "$0")/cli.sh"

DESTDIR="$dir/installed" meson install -C "$build" --no-rebuild --quiet >"$dir/install.log" 2>&1 || fail "$(cat "$dir/install.log")"
weir=$(find "$dir/installed" -path '*/bin/weir')
[ -x "$weir" ] || fail "no weir was installed"
WEIR=$weir
export WEIR
# The compiler as weir calls it; it must be shown nothing of the source tree.
cat >"$dir/cc" <<SH
#!/bin/sh
echo "\$@" >>"$dir/cc.log"
exec cc "\$@"
SH
chmod +x "$dir/cc"
CC=$dir/cc
export CC
mkdir "$dir/work"
cd "$dir/work" || exit 1

# Every kind: new, its test as it is written, and the same file again is refused.
for kind in $(cd "$root/plugin/templates" && ls ./*.c); do
    kind=$(basename "$kind" .c)
    name=my_$(echo "$kind" | tr - _)
    expect 0 "$weir" plugin new "$name" --kind "$kind"
    says out "weir run --plugin ./$name.so --with $name"
    expect 0 "./${name}_test.sh"
    says out "$name: all well"
    expect 2 "$weir" plugin new "$name" --kind "$kind"
    says err "remove it, or choose another name"
done
grep -q -- "-I$dir/installed" "$dir/cc.log" || fail "the installed headers were not used"
! grep -qF -- "$root" "$dir/cc.log" || fail "the source tree was used: $(head -n 1 "$dir/cc.log")"

# Without --kind: a replacement policy. Live, recorded and replayed: the same document, which names the plugin.
expect 0 "$weir" plugin new mine
expect 0 "$weir" plugin build mine.c
says out "mine.so"
expect 0 "$weir" run -q --plugin mine.so --with mine --set mine.spare=yes --json live.json "$program"
expect 0 "$weir" record -q -o app.wt "$program"
expect 0 "$weir" replay -q --plugin ./mine.so --with mine --set mine.spare=yes --json replay.json app.wt
cmp live.json replay.json || fail "live and replay differ"
grep -q '"file": "mine.so"' live.json || fail "the document does not name the plugin"
expect 0 "$weir" list policies --plugin ./mine.so
says out "mine"
expect 0 "$weir" explain mine --plugin ./mine.so
says out "parameter mine.spare"
expect 0 "$weir" explain mine.dead --plugin ./mine.so
expect 0 "$weir" config show gtx480 --plugin ./mine.so --with mine --only mine
says out "mine.spare"
expect 2 "$weir" replay --with mine app.wt
says err "mine"

# Any kind reports: two policies of one plugin, side by side.
cp "$teller" teller.c
expect 0 "$weir" plugin build teller.c -o t.so
[ ! -s "$dir/err" ] || fail "the compiler warns: $(cat "$dir/err")"
recording=$root/tests/golden/stats/gather-4096.wt
expect 0 "$weir" replay -q --gpu mesh28 --plugin ./t.so --with teller,far,apcm --explain-loads --json t.json "$recording"
says out "as decided by apcm, far, teller"
says out "its hits"
python3 - <<'PY' || fail "the document is not as docs/statistics.md says"
import json
doc = json.load(open("t.json"))
total = doc["total"]
told = [l for l in doc["loads"] if "teller" in l]
assert told and sum(l["teller"]["accesses"] for l in told) == total["teller.accesses"]
assert sum(total["teller.since"]["counts"]) == total["teller.accesses"] and total["teller.since"]["bounds"] == [100, 1000, 10000]
for l in told:
    t, far = l["teller"], l["far"]
    assert t["habit"] in ("hits", "never") and t["decided"] == t["instances"] == sum(v["instances"] for v in t["verdicts"])
    assert t["hits"] <= t["accesses"] and 0 < t["last"] <= total["cycles"]
    assert far["asked"] >= t["accesses"] and far["hops"] >= far["asked"] and "verdicts" not in far
assert doc["plugins"]["teller"] == doc["plugins"]["far"] and len(doc["plugins"]["far"]["hash"]) == 16
PY
expect 2 "$weir" replay --plugin ./t.so --with teller --set teller.fault=3 app.wt
says err "fault 3 was asked for on SM 0; teller.fault=0"
expect 2 "$weir" replay --plugin ./t.so --with teller --set teller.loads=99999 app.wt
says err "99999 loads are more than the"

# Sweeps: the plan names the plugin; another build of it is another result, the same one is not run again.
cat >plan.ini <<'INI'
[figure]
title    = plugins
programs = asyncapi
plugin   = mine.so
metric   = ipc
[variant a]
with = mine
[variant base]
with = lru
INI
expect 0 "$weir" sweep plan.ini --size tiny -j 1
says err "2 simulations"
expect 0 "$weir" sweep plan.ini --size tiny -j 1
says err "0 simulations"
sed -i 's/->filled + /->filled + 1 + /' mine.c
expect 0 "$weir" plugin build mine.c
expect 0 "$weir" sweep plan.ini --size tiny -j 1
says err "1 simulation"
grep -v '^plugin' plan.ini >bare.ini
expect 0 "$weir" sweep bare.ini --plugin mine.so --size tiny -j 1
says err "0 simulations"
expect 0 "$weir" suite run asyncapi --size tiny --plugin mine.so --with mine --json suite.json
grep -q '"mine.evicted"' suite.json || fail "the suite ran without the plugin"

# What is wrong is said.
expect 2 "$weir" replay --plugin ./none.so app.wt
says err "none.so: cannot read"
echo text >text.so
expect 2 "$weir" run --plugin ./text.so --with mine "$program"
says err "text.so: cannot be loaded"
echo 'int x;' >empty.c
expect 0 "$weir" plugin build empty.c
expect 2 "$weir" list policies --plugin ./empty.so
says err "is no plugin of weir"
sed 's/^WEIR_PLUGIN/#undef WEIR_PLUGIN_VERSION\n#define WEIR_PLUGIN_VERSION 99\nWEIR_PLUGIN/' mine.c >old.c
expect 0 "$weir" plugin build old.c
expect 2 "$weir" replay --plugin ./old.so --with mine app.wt
says err "is made for version 99 of the plugin interface, and this weir has version"
says err "weir plugin build"
sed 's/^WEIR_PLUGIN/#undef WEIR_SIZE_OF\n#define WEIR_SIZE_OF(name) 1 + (uint32_t)sizeof(struct name),\nWEIR_PLUGIN/' mine.c >size.c
expect 0 "$weir" plugin build size.c
expect 2 "$weir" replay --plugin ./size.so --with mine app.wt
says err "was compiled against other headers: its struct policy_info has"
sed 's/"mine"/"lru"/' mine.c >taken.c
expect 0 "$weir" plugin build taken.c
expect 2 "$weir" replay --plugin ./taken.so app.wt
says err "there is a policy 'lru' of kind l1-management already; give yours another name"
cp mine.so twin.so
expect 2 "$weir" config show gtx480 --plugin ./mine.so --plugin ./twin.so
says err "there is a policy 'mine' of kind l1-management already"
expect 0 "$weir" config show gtx480 --plugin ./mine.so --plugin mine.so
sed 's/"mine"/"dram"/' mine.c >section.c
expect 0 "$weir" plugin build section.c
expect 2 "$weir" list policies --plugin ./section.so
says err "name of a section"
sed 's/^    .pick = pick,//; s/"my_l2_order"/"unpicked"/' my_l2_order.c >unpicked.c
"$weir" plugin build unpicked.c >/dev/null 2>&1
expect 2 "$weir" list policies --plugin ./unpicked.so
says err "the l2-order 'unpicked' lacks init, take_in, pick or taken"
sed 's/WEIR_L1_MANAGEMENT/WEIR_PREFETCHER/' mine.c >kind.c
expect 2 "$weir" plugin build kind.c
says err "kind.c was not built"
expect 2 "$weir" plugin build mine.so
says err "one C file"
expect 2 "$weir" plugin build nothing.c
expect 2 "$weir" plugin new Wrong-Name
says err "small letters"
expect 2 "$weir" plugin new other --kind l3
says err "choose from: l1-management"
expect 2 "$weir" plugin new gto --kind scheduler
says err "already"
CC=$dir/no-such-compiler
expect 2 "$weir" plugin build mine.c
says err "there is no C compiler"
