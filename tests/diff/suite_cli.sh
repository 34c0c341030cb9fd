#!/bin/sh
# weir suite takes what weir run takes: options reach every run, what they print is shown program by program, what they
# count is in the document; and those that make no sense are refused before anything is compiled.
# Usage: suite_cli.sh WEIR
weir=$1
. "$(dirname "$0")/cli.sh"
expect 0 "$weir" suite run bfs transpose --size tiny -j 2 --explain-loads --sample 5k --json "$dir/more.json"
says out "---- bfs"
says out "bfs.cu:"
says out "---- transpose"
expect 0 "$weir" suite run bfs transpose --size tiny -j 2 --gpgpusim-stats
says out "gpu_tot_sim_cycle"
expect 0 "$weir" suite run bfs transpose --size tiny -j 2 --json "$dir/less.json"
python3 - "$dir" <<'PY' || fail "the documents are not what was asked for"
import json, sys
more, less = (json.load(open(f"{sys.argv[1]}/{n}.json"))["programs"] for n in ("more", "less"))
for m, l in zip(more, less):
    assert m["total"]["cycles"] == l["total"]["cycles"], (m["name"], "options that only look change the run")
    assert m["run"]["total"] == m["total"] and m["run"]["loads"], m["name"]
    assert m["run"]["samples"], m["name"]
    assert "run" not in l, l["name"]
PY
expect 0 "$weir" suite run bfs -g gtx780 --size tiny --quiet
[ ! -s "$dir/err" ] || fail "not quiet: $(cat "$dir/err")"
for option in "--with apcm" "--sample 5k" "--explain-loads" "--energy" "--ncu-names" "--gpgpusim-stats"; do
    expect 2 "$weir" suite check bfs $option
    says err "${option%% *} has no effect"
    expect 2 "$weir" suite list $option
    says err "'list' runs nothing"
done
expect 2 "$weir" suite run bfs --profile
says err "weir profile bfs"
expect 2 "$weir" suite run bfs --sample often
says err "example: 10k"
