#!/bin/sh
# Energy from the outside: --energy in summary and JSON, the same from a stored run, two runs compared, coefficients of
# one's own, energy.* in sweeps, faults.
# Usage: energy_cli.sh WEIR RECORDING PROGRAM
weir=$1
trace=$2
program=$3
. "$(dirname "$0")/cli.sh"

expect 0 "$weir" replay --gpu gtx480 --energy --json "$dir/with.json" "$trace"
says out "  energy "
says out " W, "
expect 0 "$weir" replay -q --gpu gtx480 --json "$dir/without.json" "$trace"
grep -q '"energy\.' "$dir/without.json" && fail "energy without being asked"
expect 0 "$weir" replay -q --gpu gtx480 --with apcm --json "$dir/apcm.json" "$trace"

# A stored run has the same energy as the run itself, and energy changes nothing else.
expect 0 "$weir" energy --json "$dir/later.json" "$dir/without.json"
says out "shared_memory"
says out "coefficients: "
python3 - "$dir" <<'PY' || fail "energy of a run and of its document differ"
import json, sys
at = lambda n: json.load(open(sys.argv[1] + "/" + n))
now, plain, later = at("with.json"), at("without.json"), at("later.json")["runs"][0]
energy = {n: v for n, v in now["total"].items() if n.startswith("energy.")}
assert {n: v for n, v in now["total"].items() if n not in energy} == plain["total"]
assert {n: v for n, v in later.items() if n != "run"} == energy and len(energy) > 20
parts = [v for n, v in energy.items() if n.endswith("_j") and n not in ("energy.total_j", "energy.dynamic_j", "energy.static_j")]
near = lambda a, b: abs(a - b) <= 1e-9 * abs(b)
assert near(sum(parts), energy["energy.total_j"])
assert near(energy["energy.dynamic_j"] + energy["energy.static_j"], energy["energy.total_j"])
assert near(energy["energy.power_w"] * plain["total"]["cycles"] / 700e6, energy["energy.total_j"])
assert near(sum(k["energy.total_j"] for k in now["kernels"]), energy["energy.total_j"])
PY

expect 0 "$weir" energy "$dir/without.json" "$dir/apcm.json"
for row in l1_data noc dram_read apcm total time power "per watt" "per joule"; do
    grep -q "^  $row " "$dir/out" || fail "no row '$row' in the comparison"
done

# In the program's own process.
expect 0 "$weir" run --gpu gtx480 --energy --json "$dir/live.json" "$program"
says err "  energy "
grep -q '"energy.total_j"' "$dir/live.json" || fail "no energy in the document of a live run"
expect 2 "$weir" run --functional --energy "$program"
says err "--energy has no effect"

# One's own coefficients: 1 uJ for each warp instruction.
cat >"$dir/mine.ini" <<'INI'
[technology]
node = 45nm
[all]
warp_insts = 1uJ
INI
expect 0 "$weir" energy --coefficients "$dir/mine.ini" --json - "$dir/without.json"
python3 - "$dir" <<'PY' || fail "a microjoule each"
import json, sys
j = json.load(open(sys.argv[1] + "/out"))["runs"][0]["energy.total_j"]
assert abs(j - 1e-6 * json.load(open(sys.argv[1] + "/without.json"))["total"]["warp_insts"]) < 1e-12
PY
expect 0 "$weir" replay --set machine.energy="$dir/mine.ini" --energy "$trace"
says out "all 100.0%"
sed 's/warp_insts/warp_instructions/' "$dir/mine.ini" >"$dir/bad.ini"
expect 2 "$weir" energy --coefficients "$dir/bad.ini" "$dir/without.json"
says err "bad.ini:4: there is no statistic called 'warp_instructions'"
expect 2 "$weir" replay --set machine.energy="$dir/bad.ini" --energy "$trace"
says err "bad.ini:4: "
expect 0 "$weir" replay -q --set machine.energy="$dir/bad.ini" "$trace" # not asked for, not read

expect 2 "$weir" energy --coefficients fermi4 "$dir/without.json"
says err "did you mean 'fermi40'?"
# Runs that are none, and machines without coefficients.
expect 2 "$weir" replay --gpu h200 --energy "$trace"
says err "has no energy coefficients"
expect 0 "$weir" replay -q --gpu h200 --json "$dir/h200.json" "$trace"
expect 2 "$weir" energy "$dir/h200.json"
says err "h200.json: the machine of this run, h200, has no energy coefficients; give --coefficients"
expect 2 "$weir" energy "$dir/no-such.json"
expect 2 "$weir" energy "$dir/mine.ini"
says err "is not JSON"
echo '{"schema": "weir-counts-1"}' >"$dir/counts.json"
expect 2 "$weir" energy "$dir/counts.json"
says err "not a weir statistics document"
expect 2 "$weir" energy
expect 2 "$weir" energy "$dir/with.json" "$dir/with.json" "$dir/with.json"
sed 's/"l1.assoc": "4"/"l1.assoc": "5"/' "$dir/without.json" >"$dir/odd.json"
expect 2 "$weir" energy "$dir/odd.json"

# In plans: from rows that were stored without energies, with names that are checked.
cp "$trace" "$dir/app.wt"
plan() { # plan METRIC MACHINE
    cat >"$dir/plan.ini" <<INI
[figure]
title     = energy
machine   = $2
programs  = app.wt
metric    = $1
[variant lru]
with = lru
[variant apcm]
with = apcm
INI
}
plan energy.power_w gtx480
expect 0 "$weir" sweep "$dir/plan.ini" -j 1 -o "$dir/sweep"
python3 - "$dir" <<'PY' || fail "a sweep tells another power than the run"
import json, sys
w = json.load(open(sys.argv[1] + "/with.json"))["total"]["energy.power_w"]
row = [l.split() for l in open(sys.argv[1] + "/out") if l.split()[:1] == ["app.wt"]][0]
assert abs(float(row[1]) - w) < 0.01 and len(row) == 3, (w, row)
PY
plan "thread_insts / energy.total_j" gtx480
expect 0 "$weir" sweep "$dir/plan.ini" -j 1 -o "$dir/sweep"
says err "0 simulations"
plan energy.l1_dta_j gtx480
expect 2 "$weir" sweep "$dir/plan.ini" -j 1
says err "plan.ini:5: energy.l1_dta_j"
plan energy.total_j h200
expect 2 "$weir" sweep "$dir/plan.ini" -j 1
says err "plan.ini:5: the machine 'h200' has no energy coefficients"

expect 0 "$weir" explain energy.noc_j
says out "in joules"

# Area beside the storage.
expect 0 "$weir" explain cart --cost --gpu cart28
says out "area of these arrays at 45 nm"
says out "1.7% of an L2 slice"
