#!/bin/sh
# What weir run and weir record say and return for programs that end in every possible way.
# usage: cudart_run.sh WEIR CUDA-PROGRAM PLAIN-PROGRAM
weir=$1 app=$2 plain=$3 failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# expect STATUS TEXT COMMAND...: its exit status, and text that its output must contain
expect() {
    want=$1 text=$2
    shift 2
    "$@" >"$dir/out" 2>&1
    got=$?
    if [ $got != $want ] || ! grep -qF -e "$text" "$dir/out"; then
        echo "FAILED: $*: status $got, expected $want and '$text'; it said:"
        sed 's/^/    /' "$dir/out"
        failed=1
    fi
}

expect 0 "right" "$weir" run --functional "$app"
expect 0 "warp insts" "$weir" run --functional --stats "$app"
expect 1 "exited with status 7" "$weir" run --functional "$app" exit 7
expect 1 "ended by signal 6 (Aborted)" "$weir" run --functional "$app" abort
expect 1 "illegal address in kernel gather" "$weir" run --functional "$app" fault
expect 1 "despite a fault on the device" "$weir" run --functional "$app" fault
expect 1 "runaway kernel" "$weir" run --functional --max-insn 1000 "$app"
expect 0 "child 5" "$weir" run --functional "$app" fork
expect 0 "called no CUDA function" "$weir" run --functional "$plain"
expect 2 "links the CUDA runtime statically and would run unsimulated; rebuild it with: nvcc -cudart shared" \
    "$weir" run "$plain-static"

# The driver API, opened by its name.
expect 0 "NVIDIA H200 (weir h200): error 0, back 7" "$weir" run --functional "$plain-driver"

# Behind a script: the real program is found, a static runtime is stopped.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$app" >"$dir/good.sh"
printf '#!/bin/sh\n"%s"\nexit 0\n' "$plain-static" >"$dir/bad.sh"
chmod +x "$dir/good.sh" "$dir/bad.sh"
expect 0 "right" "$weir" run --functional "$dir/good.sh"
expect 1 "exited with status 3" "$weir" run --functional "$dir/good.sh" exit 3
expect 2 "would run unsimulated" "$weir" run --functional "$dir/bad.sh"

# Bad input.
expect 2 "No such file" "$weir" run "$dir/nothing"
expect 2 "as in ./nothing" "$weir" run nothing
expect 2 "is a folder" "$weir" run "$dir"
echo text >"$dir/text"
expect 2 "is not executable" "$weir" run "$dir/text"
chmod +x "$dir/text"
expect 2 "neither an ELF executable nor a script" "$weir" run "$dir/text"
expect 2 "no program given" "$weir" run
expect 2 "there is no machine" "$weir" run --gpu nonesuch "$app"
expect 2 "no effect" "$weir" run --functional --with gto "$app"
expect 2 "no effect" "$weir" run --functional --engine tick "$app"
expect 2 "no effect" "$weir" record --json x -o "$dir/x.wt" "$app"
expect 0 '"thread_insts"' "$weir" run --functional --json - "$app"
expect 2 "not a number" "$weir" run --max-insn many "$app"
expect 0 "Examples:" "$weir" run --help
expect 0 "Examples:" "$weir" record --help

# Recordings.
expect 0 "6 launches" "$weir" record -o "$dir/app.wt" "$app"
expect 0 ": valid;" "$weir" trace check "$dir/app.wt"
expect 0 "child 5" "$weir" record -o "$dir/fork.wt" "$app" fork
expect 0 ": valid;" "$weir" trace check "$dir/fork.wt"
expect 0 "child 5" "$weir" run --gpu gtx480 "$app" fork
expect 1 "was not written" "$weir" record -o "$dir/dead.wt" "$app" abort
[ ! -e "$dir/dead.wt" ] || { echo "FAILED: a recording that was never closed is left behind"; failed=1; }
expect 2 "cannot create" "$weir" record -o "$dir/none/app.wt" "$app"
expect 2 "nothing to record" "$weir" record -o "$dir/plain.wt" "$plain"
exit $failed
