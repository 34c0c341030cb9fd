#!/bin/sh
# weir sweep --on slurm on a real single-node Slurm (munge, slurmctld, slurmd), started as root in a folder of its own, on
# ports of its own: one array job, results in the store as a local sweep has them, a task that fails, is canceled or is put on
# hold is resubmitted, alone, one that always fails is reported, Ctrl-C cancels the job.
# Usage: slurm.sh WEIR RECORDING; exits 77 (skipped) where Slurm is not installed or the user is not root.
PATH=$PATH:/usr/sbin
weir=$(realpath "$1") wt=$(realpath "$2")
for tool in munged slurmctld slurmd sbatch; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: slurmd wants to be root"; exit 77; }
. "$(dirname "$0")/cli.sh"
s=$dir/slurm
mkdir -p "$s/state" "$s/spool"
chmod 755 "$dir"
administrator=
trap '[ -n "$administrator" ] && kill $administrator; for d in slurmd slurmctld munged; do [ -f "$s/$d.pid" ] && kill "$(cat "$s/$d.pid")"; done; sleep 0.2; rm -rf "$dir"' EXIT
port=$(python3 -c 'import socket
a, b = socket.socket(), socket.socket()
a.bind(("", 0)), b.bind(("", 0))
print(a.getsockname()[1], b.getsockname()[1])')
head -c 1024 /dev/urandom >"$s/munge.key"
chmod 600 "$s/munge.key"
cat >"$s/slurm.conf" <<CONF
ClusterName=weir
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$s/munge.sock
SlurmctldPort=${port% *}
SlurmdPort=${port#* }
StateSaveLocation=$s/state
SlurmdSpoolDir=$s/spool
SlurmctldPidFile=$s/slurmctld.pid
SlurmdPidFile=$s/slurmd.pid
SlurmctldLogFile=$s/slurmctld.log
SlurmdLogFile=$s/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
SlurmdParameters=config_overrides
TaskProlog=$s/prolog
Prolog=$s/node_prolog
MaxArraySize=600
NodeName=node NodeHostname=$(hostname) NodeAddr=127.0.0.1 CPUs=64 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
CONF
# Before each task: 'once' makes task 1 fail the first time, 'always' each time, 'kill' kills it; 'slow' takes a while.
cat >"$s/prolog" <<SH
#!/bin/sh
echo "\$SLURM_ARRAY_TASK_ID" >>"$s/started"
[ -e "$s/slow" ] && sleep 3
[ "\$SLURM_ARRAY_TASK_ID" = 1 ] || exit 0
[ -e "$s/always" ] && exit 1
[ -e "$s/once" ] && rm "$s/once" && exit 1
[ -e "$s/kill" ] && rm "$s/kill" && kill -9 \$PPID
exit 0
SH
# On the node before a job: 'hold' makes it fail, and Slurm puts that task on hold and drains the node.
cat >"$s/node_prolog" <<SH
#!/bin/sh
[ -e "$s/hold" ] && rm "$s/hold" && exit 1
exit 0
SH
chmod +x "$s/prolog" "$s/node_prolog"
export SLURM_CONF="$s/slurm.conf"
munged --force --socket="$s/munge.sock" --key-file="$s/munge.key" --pid-file="$s/munged.pid" --log-file="$s/munged.log" \
    --seed-file="$s/munge.seed" --num-threads=1 || fail "munged does not start"
slurmctld -f "$SLURM_CONF" || fail "slurmctld does not start"
slurmd -f "$SLURM_CONF" -N node || fail "slurmd does not start: $(tail -n 3 "$s/slurmd.log")"
i=0
until sinfo -h -o %T 2>/dev/null | grep -q idle; do
    i=$((i + 1))
    [ $i -lt 100 ] || fail "the node does not come up: $(tail -n 3 "$s/slurmctld.log")"
    sleep 0.2
done

until_some_are() { # STATE
    i=0
    until squeue -h -t "$1" | grep -q .; do
        i=$((i + 1))
        [ $i -lt 300 ] || fail "no task is $1: $(cat "$dir/err")"
        sleep 0.1
    done
}

# One array job, one task for each point; task 1 fails at first and is the only one that is resubmitted.
sweep="--set l1.size=16KiB,32KiB --with lrr --with gto"
touch "$s/once"
expect 0 "$weir" sweep $sweep --on slurm -o "$dir/far" "$wt"
says err "4 simulations"
says err "1 tasks resubmitted"
cp "$dir/out" "$dir/far.out"
[ "$(sort "$s/started" | tr '\n' ' ')" = "0 1 1 2 3 " ] || fail "tasks: $(cat "$s/started")"
[ "$(squeue -h -t all -o %F | sort -u | wc -l)" = 2 ] || fail "jobs: $(squeue -t all)"
[ -z "$(ls "$dir/cache/weir/slurm")" ] || fail "left behind: $(ls -R "$dir/cache/weir/slurm")"
# The store has what a local sweep simulates.
expect 0 "$weir" sweep $sweep -o "$dir/far" "$wt"
says err "0 simulations"
expect 0 "$weir" sweep $sweep --results "$dir/near.sqlite" -o "$dir/near" "$wt"
cmp "$dir/out" "$dir/far.out" || fail "Slurm and this computer give different tables"
python3 - "$dir/cache/weir/results.sqlite" "$dir/near.sqlite" <<'PY' || fail "Slurm and this computer keep different results"
import sqlite3, sys
far, near = (sqlite3.connect(p).execute("SELECT key, document FROM result ORDER BY key").fetchall() for p in sys.argv[1:])
assert far == near and len(far) == 4
PY

# A task that fails again and again costs its own point; the message names its log.
touch "$s/always"
expect 1 "$weir" sweep --set l1.size=16KiB --with gto --set l1.mshrs=8,16 --on slurm --slurm "--comment=weir --time=5" -o "$dir/far" "$wt"
says err "1 failed"
says out "ended without a result; see"
log=$(sed -n 's/.*without a result; see \(.*\)/\1/p' "$dir/out")
grep -q TaskProlog "$log" || fail "no log at '$log'"
rm "$s/always"
# A simulation that fails is no failed task: it is reported at once, as on this computer.
expect 1 "$weir" sweep --set dram.latency=1000 --set clock.core=2800MHz --set machine.deadlock_cycles=1000,100000 \
    --set l1.mshrs=7 --on slurm -o "$dir/far" "$wt"
says out "deadlock"
grep -q "resubmitted" "$dir/err" && fail "a deadlock was resubmitted"

# A task that is killed is resubmitted.
touch "$s/kill"
expect 0 "$weir" sweep --set l1.mshrs=9,10 --on slurm -o "$dir/far" "$wt"
says err "2 simulations"
says err "1 tasks resubmitted"
# Slurm drains a node that could not start a task, or that starts one once more behind a controller that came back.
administrator() {
    while sleep 0.5; do
        sinfo -h -o %T 2>/dev/null | grep -q drain && scontrol update nodename=node state=resume
    done
}
administrator &
administrator=$!

# A task that Slurm puts on hold, and one that somebody cancels, are resubmitted.
touch "$s/hold"
expect 0 timeout 120 "$weir" sweep --set l1.mshrs=13,14 --on slurm -o "$dir/far" "$wt"
says err "2 simulations"
says err "1 tasks resubmitted"
touch "$s/slow"
timeout 120 "$weir" sweep --set l1.mshrs=15,17 --on slurm -o "$dir/far" "$wt" >"$dir/out" 2>"$dir/err" &
pid=$!
until_some_are running
rm "$s/slow"
scancel --name=weir
wait $pid || fail "canceled tasks: $(cat "$dir/err")"
says err "2 simulations"
says err "2 tasks resubmitted"

# A controller that dies and comes back loses nothing.
touch "$s/slow"
"$weir" sweep --set l1.mshrs=11,12 --on slurm -o "$dir/far" "$wt" >"$dir/out" 2>"$dir/err" &
pid=$!
until_some_are running
kill -9 "$(cat "$s/slurmctld.pid")"
rm "$s/slow"
sleep 1
slurmctld -f "$SLURM_CONF" || fail "slurmctld does not start again"
wait $pid || fail "a controller that died: $(cat "$dir/err") $(squeue -t all)"
says err "2 simulations"
scancel --name=weir # what the controller no longer knows to have ended

# Ten thousand points, in as many tasks as the cluster allows: the controller and then the sweep itself are killed on the way,
# and the same command goes on with what is left.
rm -f "$s/started"
printf '%s\n' '__global__ void one(int *p) { *p = 1; }' \
    'int main() { int *p; cudaMalloc(&p, 4); one<<<1, 1>>>(p); return cudaDeviceSynchronize(); }' >"$dir/one.cu"
expect 0 "$weir" cc "$dir/one.cu" -o "$dir/one"
expect 0 "$weir" record -q -o "$dir/one.wt" "$dir/one"
many() {
    exec "$weir" sweep --set machine.sms=1 --set "l1.mshrs=$(seq -s, 2 101)" --set "l1.miss_queue=$(seq -s, 2 101)" \
        --on slurm --progress 0 -o "$dir/many" "$dir/one.wt" >"$dir/out" 2>"$dir/err"
}
tasks() { # until so many have started
    i=0
    until [ "$(cat "$s/started" 2>/dev/null | wc -l)" -ge "$1" ]; do
        i=$((i + 1))
        [ $i -lt 600 ] || fail "$1 tasks do not start: $(cat "$dir/err")"
        sleep 0.1
    done
}
many &
pid=$!
tasks 20
kill -9 "$(cat "$s/slurmctld.pid")"
sleep 0.5
slurmctld -f "$SLURM_CONF" || fail "slurmctld does not start again"
tasks 60
kill -9 $pid
wait $pid
scancel --name=weir
(many) || fail "ten thousand points: $(tail -n 5 "$dir/err")"
python3 - "$dir/cache/weir/results.sqlite" "$dir/err" <<'PY' || fail "ten thousand points: $(tail -n 5 "$dir/err")"
import re, sqlite3, sys
n, = sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM result WHERE settings LIKE '%machine.sms=1%'").fetchone()
simulated, reused = map(int, re.search(r"(\d+) simulations in .*, (\d+) reused, 0 failed", open(sys.argv[2]).read()).groups())
print(n, "results,", simulated, "simulated,", reused, "reused")
assert n == simulated + reused == 10000 and reused >= 200
PY
kill $administrator
administrator=

# Ctrl-C cancels what waits.
scontrol update nodename=node state=drain reason=test
"$weir" sweep --set l1.mshrs=5,6 --on slurm -o "$dir/far" "$wt" >"$dir/out" 2>"$dir/err" &
pid=$!
until_some_are pending
kill -INT $pid
wait $pid
[ $? = 1 ] && grep -q "stopped" "$dir/err" || fail "Ctrl-C: $(cat "$dir/err")"
[ -z "$(squeue -h -t pending,running)" ] || fail "the job is still there"

expect 2 env SLURM_CONF="$dir/none.conf" "$weir" sweep --on slurm -o "$dir/far" "$wt"
says err "Slurm does not answer"
expect 2 env PATH=/nowhere "$weir" sweep --on slurm -o "$dir/far" "$wt"
says err "slurm-client"
expect 2 "$weir" sweep --on mars "$wt"
exit 0
