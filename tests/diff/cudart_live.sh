#!/bin/sh
# A program that runs beside the machine, and its recording replayed, give the same statistics, byte for byte; and so
# does the same program run twice.
# usage: cudart_live.sh WEIR PROGRAM
weir=$1 app=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export SOURCE_DATE_EPOCH=86400
for machine in gtx480 h200; do
    "$weir" run -q --gpu $machine --json "$dir/live.json" "$app" || exit 1
    "$weir" run -q --gpu $machine --json "$dir/again.json" "$app" || exit 1
    "$weir" record -q --gpu $machine -o "$dir/app.wt" "$app" || exit 1
    "$weir" replay -q --gpu $machine --json "$dir/replay.json" "$dir/app.wt" || exit 1
    diff "$dir/live.json" "$dir/again.json" || { echo "$machine: two live runs differ"; exit 1; }
    diff "$dir/live.json" "$dir/replay.json" || { echo "$machine: live and replay differ"; exit 1; }
    grep -q '"warp_insts": [1-9]' "$dir/live.json" || { echo "$machine: nothing was counted"; exit 1; }
done
# Whose instructions are counted is said where it is not PTX.
said="operations of scheduled code, not PTX"
"$weir" replay --gpu h200 "$dir/app.wt" 2>&1 | grep -q "$said" || { echo "not said of the replay: $said"; exit 1; }
"$weir" replay --gpu h200 --set sm.code=ptx "$dir/app.wt" 2>&1 | grep -q "$said" && { echo "said of PTX: $said"; exit 1; }
"$weir" trace info "$dir/app.wt" | grep -q "warp instructions of PTX" || { echo "trace info does not say what it counts"; exit 1; }
