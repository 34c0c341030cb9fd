#!/bin/sh
# Every command that takes --with and --set takes every parameter of every policy, and refuses the parameter of a policy
# that is not chosen before it starts anything.
# usage: policy_params.sh WEIR CUDA-PROGRAM RECORDING
weir=$1 app=$2 wt=$3 failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; sed 's/^/    /' "$dir/out"; failed=1; }
# takes COMMAND...; refuses COMMAND...: with a word about the policy, and without having run or compiled anything
takes() { "$@" >"$dir/out" 2>&1 </dev/null || fail "$*: status $?"; }
refuses() {
    "$@" >"$dir/out" 2>&1 </dev/null
    got=$?
    [ $got = 2 ] && grep -q "is not selected" "$dir/out" && ! grep -q "right\|cycles\|warp insts" "$dir/out" ||
        fail "$*: status $got"
}

# "POLICY KEY VALUE" for each parameter, with the value it has anyway. A policy of two kinds is chosen in both.
"$weir" list policies | awk '/^  [a-z]/ && !seen[$1]++ { print $1 }' |
    while read -r policy; do
        "$weir" config show gtx480 --with "$policy" | awk -v p="$policy" 'index($1, p ".") == 1 { print p, $1, $2 }'
    done >"$dir/params"
[ "$(wc -l <"$dir/params")" -ge 10 ] || fail "only $(wc -l <"$dir/params") parameters were found"

# One plan for each machine, with a variant for each parameter.
for gpu in gtx480 mesh28; do
    printf '[figure]\nnumber = 1\ntitle = parameters\nmachine = %s\nprograms = transpose\nmetric = ipc\n[variant plain]\nlabel = plain\n' $gpu >"$dir/$gpu.ini"
done
first=
while read -r policy key value; do
    if [ "$first" != "$policy" ]; then # L1s that are shared need SMs that reach each other
        gpu=gtx480
        "$weir" replay -q --gpu gtx480 --with "$policy" "$wt" 2>&1 </dev/null | grep -q "noc.core_to_core" && gpu=mesh28
    fi
    takes "$weir" run -q --gpu $gpu --with "$policy" --set "$key=$value" "$app"
    takes "$weir" replay -q --gpu $gpu --with "$policy" --set "$key=$value" "$wt"
    takes "$weir" suite run transpose --size tiny --gpu $gpu --with "$policy" --set "$key=$value"
    takes "$weir" config show $gpu --with "$policy" --set "$key=$value"
    printf '[variant %s]\nwith = %s\nset = %s\n' "$key" "$policy" "$key=$value" >>"$dir/$gpu.ini"
    [ "$first" = "$policy" ] && continue # once for each policy is enough for what is refused
    first=$policy
    for command in "run $app" "record -o $dir/x.wt $app" "run --functional $app" "replay $wt" "analyze $wt" "analyze $app" \
        "config show gtx480" "suite run transpose" "suite check transpose"; do
        set -- $command
        verb=$1
        shift
        case $verb in
        suite) set -- "$1" --set "$key=$value" "$2" ;;
        config) set -- "$@" --set "$key=$value" ;;
        *) set -- --set "$key=$value" "$@" ;;
        esac
        refuses "$weir" "$verb" "$@"
    done
done <"$dir/params"
for gpu in gtx480 mesh28; do
    takes "$weir" sweep "$dir/$gpu.ini" --size tiny --results "$dir/results.sqlite" -o "$dir/report"
    grep -q "^weir: [0-9]* simulations.* 0 failed" "$dir/out" || fail "sweep $gpu.ini"
    takes "$weir" reproduce "$dir/$gpu.ini" --size tiny --results "$dir/results.sqlite" -o "$dir/report"
    grep -q "^weir: 0 simulations" "$dir/out" || fail "reproduce $gpu.ini: something is simulated again"
done
[ $(($(grep -c "^set" "$dir/gtx480.ini") + $(grep -c "^set" "$dir/mesh28.ini"))) = "$(wc -l <"$dir/params")" ] ||
    fail "not every parameter is in a plan"
# A policy that says what it costs takes its own parameters there, too.
takes "$weir" explain apcm --cost --set apcm.mta_entries=64
# Where there is no timing a policy has no effect, and that is said before anything starts.
for command in "run --functional" "record -o $dir/x.wt" "analyze" "suite check"; do
    "$weir" $command --with apcm "$app" >"$dir/out" 2>&1
    got=$?
    [ $got = 2 ] && grep -q "no effect" "$dir/out" || fail "weir $command --with apcm: status $got"
done
exit $failed
