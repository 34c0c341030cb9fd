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
for kind in scheduler l1-management l1-organization prefetcher l1-order l2-order; do
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
expect 0 "$weir" sweep --trust plan.ini --size tiny -j 1
says err "2 simulations"
expect 0 "$weir" sweep --trust plan.ini --size tiny -j 1
says err "0 simulations"
sed -i 's/->filled + /->filled + 1 + /' mine.c
expect 0 "$weir" plugin build mine.c
expect 0 "$weir" sweep --trust plan.ini --size tiny -j 1
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
says err "is not a weir plugin"
sed 's/^WEIR_PLUGIN/#undef WEIR_PLUGIN_VERSION\n#define WEIR_PLUGIN_VERSION 99\nWEIR_PLUGIN/' mine.c >old.c
expect 0 "$weir" plugin build old.c
expect 2 "$weir" replay --plugin ./old.so --with mine app.wt
says err "uses plugin interface version 99; this weir has version"
says err "weir plugin build"
sed 's/^WEIR_PLUGIN/#undef WEIR_SIZE_OF\n#define WEIR_SIZE_OF(name) 1 + (uint32_t)sizeof(struct name),\nWEIR_PLUGIN/' mine.c >size.c
expect 0 "$weir" plugin build size.c
expect 2 "$weir" replay --plugin ./size.so --with mine app.wt
says err "was compiled against other headers: its struct policy_info has"
sed 's/"mine"/"lru"/' mine.c >taken.c
expect 0 "$weir" plugin build taken.c
expect 2 "$weir" replay --plugin ./taken.so app.wt
says err "a policy 'lru' of kind l1-management already exists; choose another name"
cp mine.so twin.so
expect 2 "$weir" config show gtx480 --plugin ./mine.so --plugin ./twin.so
says err "a policy 'mine' of kind l1-management already exists"
expect 0 "$weir" config show gtx480 --plugin ./mine.so --plugin mine.so
sed 's/"mine"/"dram"/' mine.c >section.c
expect 0 "$weir" plugin build section.c
expect 2 "$weir" list policies --plugin ./section.so
says err "name of a section"
sed 's/^    .pick = pick,//; s/"my_l2_order"/"unpicked"/' my_l2_order.c >unpicked.c
"$weir" plugin build unpicked.c >/dev/null 2>&1
expect 2 "$weir" list policies --plugin ./unpicked.so
says err "the l2-order 'unpicked' needs init, enqueue, pick and on_accept"

# What a hook answers against its contract ends the run with the policy's name. wrong NAME KIND TYPE HOOK CODE
wrong() {
    printf '#include <weir/plugin.h>\n%s\nstatic const struct %s %s = {.info = {.name = "%s", .doc = "wrong"}, %s};\nWEIR_PLUGIN(%s(%s))\n' \
        "$5" "$3" "$1" "$1" "$4" "$2" "$1" >"$1.c"
    expect 0 "$weir" plugin build "$1.c"
}
wrong w_way WEIR_L1_MANAGEMENT l1_management '.victim = f' \
    'static uint32_t f(void *s, const struct l1_access *a, uint64_t c) { (void)s, (void)a; return (unsigned)__builtin_ctzll(~c); }'
expect 2 "$weir" replay --plugin w_way.so --with w_way "$recording"
says err "weir: error in policy 'w_way': victim returned way"
says err "but the candidates are 0x"
wrong w_far_way WEIR_L1_MANAGEMENT l1_management '.victim = f' \
    'static uint32_t f(void *s, const struct l1_access *a, uint64_t c) { (void)s, (void)a, (void)c; return 77; }'
expect 2 "$weir" replay --plugin w_far_way.so --with w_far_way "$recording"
says err "victim returned way 77"
wrong w_first WEIR_L1_ORGANIZATION l1_organization '.preferred_victims = f' \
    'static uint64_t f(void *s, uint32_t set, uint64_t c) { (void)s, (void)set; return ~c; }'
expect 2 "$weir" replay --plugin w_first.so --with w_first "$recording"
says err "error in policy 'w_first': preferred_victims returned ways 0x"
wrong w_verdict WEIR_L1_MANAGEMENT l1_management '.decide = f' \
    'static enum l1_decision f(void *s, struct l1_access *a) { (void)s, (void)a; return (enum l1_decision)4; }'
expect 2 "$weir" replay --plugin w_verdict.so --with w_verdict "$recording"
says err "error in policy 'w_verdict': decide returned 4"
expect 2 "$weir" run --plugin w_verdict.so --with w_verdict "$program"
says err "error in policy 'w_verdict': decide returned 4"
wrong w_warp WEIR_SCHEDULER sm_sched '.pick = f' \
    'static int f(void *s, const struct sched_view *v) { (void)s; return __builtin_ctzll(~v->issuable); }'
expect 2 "$weir" replay --plugin w_warp.so --with w_warp "$recording"
says err "error in policy 'w_warp': pick returned warp"
wrong w_no_warp WEIR_SCHEDULER sm_sched '.pick = f' \
    'static int f(void *s, const struct sched_view *v) { (void)s, (void)v; return 64; }'
expect 2 "$weir" replay --plugin w_no_warp.so --with w_no_warp "$recording"
says err "pick returned warp 64"
home='static enum l1_route f(void *s, const struct req *r, uint64_t l, uint32_t t, uint32_t *h) { (void)s, (void)r, (void)t; *h = l % 2 ? 1 : 999; return L1_ROUTE_REMOTE; }'
wrong w_home WEIR_L1_ORGANIZATION l1_organization '.remote = true, .route = f' "$home"
expect 2 "$weir" replay --gpu mesh28 --plugin w_home.so --with w_home "$recording"
says err "error in policy 'w_home': route returned home SM 999; there are 28"
wrong w_unsaid WEIR_L1_ORGANIZATION l1_organization '.route = f' "$(echo "$home" | sed 's/999/2/')"
expect 2 "$weir" replay --gpu mesh28 --plugin w_unsaid.so --with w_unsaid "$recording"
says err "error in policy 'w_unsaid': route returned another SM as home, but the policy does not set .remote = true"
wrong w_slot WEIR_L1_ORDER order_policy '.init = i, .enqueue = t, .pick = p, .on_accept = d' \
    'static int i(void *s, const void *q, struct order_host *h, struct err *e) { (void)s, (void)q, (void)e; h->capacity = 4; return 0; }
static bool t(void *s, uint32_t n, const struct req *r, uint64_t now) { (void)s, (void)n, (void)r, (void)now; return true; }
static uint32_t p(const void *s, uint64_t now) { (void)s, (void)now; return 3; }
static void d(void *s, uint32_t n) { (void)s, (void)n; }'
expect 2 "$weir" replay --plugin w_slot.so --with w_slot "$recording"
says err "error in policy 'w_slot': pick returned slot 3, which holds no request"

wrong w_word WEIR_L1_ORGANIZATION l1_organization '.route = f' \
    'static enum l1_route f(void *s, const struct req *r, uint64_t l, uint32_t t, uint32_t *h) { (void)s, (void)r, (void)l, (void)t, (void)h; return (enum l1_route)9; }'
expect 2 "$weir" replay --plugin w_word.so --with w_word "$recording"
says err "error in policy 'w_word': route returned 9, which is not a value of enum l1_route"
wrong w_reply WEIR_L1_ORGANIZATION l1_organization '.remote = true, .route = f, .reply_bytes = b' \
    "$(echo "$home" | sed 's/999/2/')
static uint32_t b(void *s, const struct req *r) { (void)s, (void)r; return 1000000; }"
expect 2 "$weir" replay --gpu mesh28 --plugin w_reply.so --with w_reply "$recording"
says err "error in policy 'w_reply': reply_bytes returned 1000000 bytes for a line of 128"
wrong w_minus WEIR_SCHEDULER sm_sched '.pick = f' \
    'static int f(void *s, const struct sched_view *v) { (void)s, (void)v; return -5; }'
expect 2 "$weir" replay --plugin w_minus.so --with w_minus "$recording"
says err "error in policy 'w_minus': pick returned warp -5"
for when in now now-1; do
    wrong w_epoch WEIR_L1_MANAGEMENT l1_management '.on_epoch = f' \
        "static uint64_t f(void *s, uint64_t now) { (void)s; return now < 9 ? 9 : $when; }"
    expect 2 "$weir" replay --plugin w_epoch.so --with w_epoch "$recording"
    says err "error in policy 'w_epoch': on_epoch in cycle"
done
order() { # NAME CAPACITY VERDICT: a first-in-first-out order of the L2
    wrong "$1" WEIR_L2_ORDER order_policy '.state_bytes = sizeof(struct s), .init = i, .enqueue = t, .pick = p, .on_accept = d, .on_reject = c' \
        "struct s { struct order_host *h; struct order_queue q; };
static int i(void *st, const void *q, struct order_host *h, struct err *e) { struct s *s = st; (void)q, (void)e; s->h = h; s->q = ORDER_QUEUE_EMPTY; h->capacity = $2; return 0; }
static bool t(void *st, uint32_t n, const struct req *r, uint64_t now) { struct s *s = st; (void)r, (void)now; order_queue_push(s->h, &s->q, n); return true; }
static uint32_t p(const void *st, uint64_t now) { const struct s *s = st; (void)now; return s->q.head; }
static void d(void *st, uint32_t n) { struct s *s = st; order_queue_remove(s->h, &s->q, n); }
static enum order_action c(void *st, uint32_t n, enum stall why) { (void)st, (void)n, (void)why; return (enum order_action)$3; }"
}
order w_refused 4 9
expect 2 "$weir" replay --set l2.mshrs=2 --set l2.max_merges=1 --plugin w_refused.so --with w_refused "$recording"
says err "error in policy 'w_refused': on_reject returned 9, which is not a value of enum order_action"
order w_huge 4000000000u 0
expect 2 "$weir" replay --plugin w_huge.so --with w_huge "$recording"
says err "w_huge: a buffer for 4000000000 requests; at most 65536 are possible"

# What a policy refuses without a word, or finds wrong with itself, is said with its name.
wrong w_mute WEIR_L1_MANAGEMENT l1_management '.init = f' \
    'static int f(void *s, const void *p, struct l1_host *h, struct err *e) { (void)s, (void)p, (void)h, (void)e; return -1; }'
expect 2 "$weir" replay --plugin w_mute.so --with w_mute "$recording"
says err "init of policy 'w_mute' failed without an error message"
wrong w_check WEIR_L1_MANAGEMENT l1_management '.check = f' \
    'static int f(const void *s, struct err *e) { (void)s; return err_set(e, "two and two are five"); }'
expect 1 "$weir" replay -q --plugin w_check.so --with w_check "$recording"
says err "two and two are five; this is a bug of the policy 'w_check'"
! grep -q "bug of weir" "$dir/err" || fail "a policy's own fault is called a bug of weir"
wrong w_idle WEIR_SCHEDULER sm_sched '.pick = f' \
    'static int f(void *s, const struct sched_view *v) { (void)s, (void)v; return SCHED_NONE; }'
expect 3 "$weir" replay -q --plugin w_idle.so --with w_idle "$recording"
says err "the scheduler policy 'w_idle', which picks none of the"

# What is wrong with its tables is said when it is loaded.
state='struct s { uint64_t a[9]; }; struct p { uint32_t n; };
static const struct stat_def far[] = {STAT_NAMED(struct s, a[8], "far", "", "d"), STAT_END};
static const struct stat_def two[] = {STAT_NAMED(struct s, a[0], "x", "", "d"), STAT_NAMED(struct s, a[1], "x", "", "d"), STAT_END};
static const struct cfg_field high[] = {CFG_ROW(struct p, n, CFG_INT, "", "100", 1, 10, NULL, "d"), CFG_END};
static const struct cfg_field twice[] = {CFG_ROW(struct p, n, CFG_INT, "", "1", 1, 10, NULL, "d"), CFG_ROW(struct p, n, CFG_INT, "", "1", 1, 10, NULL, "d"), CFG_END};
void *unused[] = {(void *)far, (void *)two, (void *)high, (void *)twice};'
wrong w_far WEIR_L1_MANAGEMENT l1_management '.info.stats = far, .state_bytes = sizeof(struct s) - 8' "$state"
expect 2 "$weir" list policies --plugin w_far.so
says err "w_far.so: the statistic w_far.far is outside the 64 bytes of state_bytes; set state_bytes"
wrong w_two WEIR_L1_MANAGEMENT l1_management '.info.stats = two, .state_bytes = sizeof(struct s)' "$state"
expect 2 "$weir" list policies --plugin w_two.so
says err "w_two.so: duplicate statistic w_two.x"
wrong w_high WEIR_L1_MANAGEMENT l1_management '.info.params = high, .info.params_bytes = sizeof(struct p)' "$state"
expect 2 "$weir" list policies --plugin w_high.so
says err "w_high.so: the default of the parameter w_high.n: 100 is out of range; choose from 1 to 10"
wrong w_small WEIR_L1_MANAGEMENT l1_management '.info.params = high' "$state"
expect 2 "$weir" list policies --plugin w_small.so
says err "w_small.so: the parameter w_small.n is outside the 0 bytes of params_bytes"
wrong w_twice WEIR_L1_MANAGEMENT l1_management '.info.params = twice, .info.params_bytes = sizeof(struct p)' "$state"
expect 2 "$weir" list policies --plugin w_twice.so
says err "w_twice.so: duplicate parameter w_twice.n"

ratio() { # NAME NUMERATOR DENOMINATOR
    wrong "$1" WEIR_L1_MANAGEMENT l1_management '.info.stats = r, .state_bytes = sizeof(struct s)' \
        "struct s { uint64_t a; }; static const struct stat_def r[] = {STAT_ROW(struct s, a, \"\", \"d\"), STAT_QUOTIENT(\"x\", \"\", \"$2\", \"$3\", \"d\"), STAT_END};"
}
ratio w_ratio w_ratio.a+l1.hit cycles
expect 2 "$weir" list policies --plugin w_ratio.so
says err "w_ratio.so: the statistic w_ratio.x is a ratio of 'l1.hit', and there is no such count"
ratio w_below w_below.a w_below.b
expect 2 "$weir" list policies --plugin w_below.so
says err "is a ratio of 'w_below.b'"
ratio w_fine w_fine.a+l1.hits-l1.misses cycles
expect 0 "$weir" list policies --plugin w_fine.so
for name in baseline energy; do
    wrong $name WEIR_L1_MANAGEMENT l1_management '.state_bytes = 8' ''
    expect 2 "$weir" list policies --plugin $name.so
    says err "$name.so: '$name' is reserved and cannot be a policy's name; choose another name, for example my_$name"
    expect 2 "$weir" plugin new $name
    says err "choose another name, for example my_$name"
done

# A crash may be the plugin's: of a replay, of a run, in a sweep.
wrong w_crash WEIR_L1_MANAGEMENT l1_management '.decide = f' \
    'static enum l1_decision f(void *s, struct l1_access *a) { (void)s, (void)a; __builtin_trap(); }'
"$weir" replay --plugin w_crash.so --with w_crash "$recording" >"$dir/out" 2>"$dir/err" && fail "a replay whose plugin crashes ends well"
says err "weir: crashed: a fault of a plugin (w_crash.so) or a bug of weir"
expect 1 "$weir" run --plugin w_crash.so --with w_crash "$program"
says err "the cause may be the program, a fault of a plugin (w_crash.so) or a bug of weir"
sed 's/mine/w_crash/' plan.ini >crash.ini
"$weir" sweep --trust crash.ini --size tiny -j 1 >"$dir/out" 2>"$dir/err" && fail "a sweep whose plugin crashes ends well"
grep -qF "): a fault of a plugin (w_crash.so) or a bug of weir" weir-crash/report.html || fail "the report does not name the plugin"

sed 's/WEIR_L1_MANAGEMENT/WEIR_PREFETCHER/' mine.c >kind.c
expect 2 "$weir" plugin build kind.c
says err "kind.c was not built"
expect 2 "$weir" plugin build mine.so
says err "one C file"
expect 2 "$weir" plugin build nothing.c
expect 2 "$weir" plugin new Wrong-Name
says err "lower-case letters"
for name in int static l1 dram; do
    expect 2 "$weir" plugin new $name
    says err "cannot be a policy's name; choose another name, for example my_$name"
done
cp mine.c ./-dash.c
expect 0 "$weir" plugin build -- -dash.c
[ -f ./-dash.so ] || fail "-dash.c was not built"
expect 2 "$weir" plugin new other --kind l3
says err "choose from: l1-management"
expect 2 "$weir" plugin new gto --kind scheduler
says err "already"
CC=$dir/no-such-compiler
expect 2 "$weir" plugin build mine.c
says err "there is no C compiler"
