#!/bin/sh
# Files that somebody else wrote: what they name is read only if it is a plain file, executed only with the user's word
# and never by a report; what they call things does not reach the terminal as commands to it.
# Usage: hostile.sh WEIR CUDA-PROGRAM PTX-RUNNER RECORDING
weir=$(realpath "$1") app=$(realpath "$2") runner=$(realpath "$3") wt=$(realpath "$4")
. "$(dirname "$0")/../diff/cli.sh"
cd "$dir" || exit 1
refuse() { # refuse TEXT COMMAND...: soon, without a terminal to ask on
    text=$1
    shift
    expect 2 timeout 60 "$@" </dev/null
    says err "$text"
}
mkfifo pipe

# ---- files named in files ----
printf '[figure]\ntitle = t\nprograms = mine\nbase = base.ini\npublished = published.ini\n[program mine]\nrun = mine.wt\n[variant a]\nwith = lrr\n' >plan.ini
cp "$wt" mine.wt
printf '[claim a]\nfigure = 1\nkind = at_least\nof = a\nover = a\npublished = 0%%\nquote = s\n' >published.ini
printf '[variant b]\nwith = gto\n' >base.ini
expect 0 "$weir" sweep plan.ini -o bad
for what in /dev/zero pipe; do
    for key in base published; do
        sed "s|^$key = .*|$key = $what|" plan.ini >bad.ini
        refuse "is not a plain file" "$weir" sweep bad.ini -o bad
    done
    sed "s|^base = .*|plugin = $what|" plan.ini >bad.ini
    refuse "is not a plain file" "$weir" sweep --trust bad.ini -o bad
    printf 'base = %s\n' "$(realpath -s $what)" >machine.ini
    refuse "is not a plain file" "$weir" config check machine.ini
    printf 'base = gtx480\n[machine]\nenergy = %s\n' "$(realpath -s $what)" >machine.ini
    refuse "is not a plain file" "$weir" replay -q --energy --gpu machine.ini mine.wt
    refuse "is not a plain file" "$weir" run "$(realpath -s $what)"
    refuse "is not a plain file" "$weir" check --suppressions "$(realpath -s $what)" "$app" exit 0
    printf 'kernel-1.traceg\n' >kernelslist.g
    ln -sf "$what" kernel-1.traceg
    refuse "is not a plain file" "$weir" trace import kernelslist.g -o imported.wt
done
head -c 17000000 /dev/zero | tr '\0' '#' >large.ini
sed "s|^base = .*|base = large.ini|" plan.ini >bad.ini
refuse "has more than" "$weir" sweep bad.ini -o bad
printf '[figure]\ntitle = a\000b\n' >bad.ini
refuse "bad.ini:2: there is a control character" "$weir" sweep bad.ini -o bad

# ---- what plans execute ----
printf '#!/bin/sh\ntouch %s/executed\nexec %s "$@"\n' "$dir" "$app" >mine.sh
chmod +x mine.sh
printf '#include <fcntl.h>\n__attribute__((constructor)) static void f(void) { creat("%s/loaded", 0600); }\n' "$dir" >plugin.c
${CC:-cc} -shared -fPIC plugin.c -o plugin.so || fail "no plugin"
sed 's|^run = .*|run = ./mine.sh a.wt|' plan.ini >runs.ini
sed 's|^programs = .*|programs = ./mine.sh|' plan.ini >names.ini
sed 's|^base = .*|plugin = plugin.so|' plan.ini >loads.ini
sed 's|^\[figure\]|[paper]\ncflags = -fplugin=plugin.so\n[figure]|; s|^programs = .*|programs = transpose|' plan.ini >compiles.ini
for plan in runs names loads compiles; do
    refuse "the plan would" "$weir" sweep $plan.ini --size tiny -o bad
    says err "$plan.ini:"
    says err "add --trust"
    mkdir -p "folder-$plan" && cp ./*.wt ./*.sh ./*.so base.ini published.ini "folder-$plan" && cp $plan.ini "folder-$plan/fig1.ini"
    refuse "the plan would" "$weir" reproduce "folder-$plan" --size tiny -o bad
    expect 2 "$weir" report --trust $plan.ini --size tiny -o bad
    [ -e executed ] && fail "$plan.ini executed a program"
    [ -e loaded ] && fail "$plan.ini loaded a plugin"
done
says err "there is no recording of 'transpose' at size tiny"
expect 2 "$weir" report loads.ini -o bad
says err "loads.ini:4: plugin = plugin.so: a report loads no plugin that only the plan names"
sed 's|^run = .*|run = ./mine.sh|' plan.ini >runs.ini
expect 2 "$weir" report runs.ini -o bad
says err "there is no recording of 'mine'"
expect 0 "$weir" sweep --trust runs.ini -o bad
[ -e executed ] || fail "--trust does not trust"
rm executed
expect 0 "$weir" report runs.ini -o bad
says err "0 simulations"
[ -e executed ] && fail "a report executed a program"
says out "mine "
expect 2 "$weir" sweep --trust loads.ini -o bad
[ -e loaded ] || fail "--trust does not load"

# ---- names on the terminal ----
esc=$(printf '\033')
quiet() { # quiet COMMAND...: no escape in what it prints
    expect 0 "$@"
    grep -q "$esc" out err && fail "an escape was printed by: $*"
    return 0
}
cat >evil.traceg <<TRACE
-kernel name = evil$esc[31m
-kernel id = 1
-grid dim = (1,1,1)
-block dim = (32,1,1)
-shmem = 0
-nregs = 16
-binary version = 70
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-nvbit version = 1.5
-accelsim tracer version = 5
-enable lineinfo = 0

#BEGIN_TB

thread block = 0,0,0

warp = 0
insts = 2
0000 ffffffff 1 R1 MOV 0 0
0010 ffffffff 0 EXIT 0 0

#END_TB
TRACE
expect 0 "$weir" trace import evil.traceg -o evil.wt
for command in "trace info" "trace dump" "trace check" analyze "replay --explain-loads" profile; do
    quiet "$weir" $command evil.wt
done
"$weir" replay -q --profile --json - evil.wt | sed 's/evil?/evil\\u001b/; s/"evil"/"evil\\u001b[0m"/' >evil.json
quiet "$weir" profile evil.json
quiet "$weir" compare evil.json evil.json
sed "s|^title = .*|title = a$esc[31mb|" plan.ini >bad.ini
expect 2 "$weir" sweep bad.ini -o bad
grep -q "$esc" err && fail "an escape was printed"
expect 2 "$weir" replay "$esc[31m.wt"
grep -q "$esc" err && fail "the escape of a file's name was printed"

mkdir set
printf 'row,variant,mean,value\n%s[31mone,%s[0m,,1\n' "$esc" "$esc" >set/fig1.csv
cp -r set other
sed -i 's/,1$/,2/' other/fig1.csv
quiet "$weir" compare set other
{ echo row,variant,mean,value && seq -f "row%.0f,a,,1" 300000; } >set/fig1.csv
cp set/fig1.csv other
expect 0 timeout 60 "$weir" compare set other
"$weir" replay -q --json - evil.wt | sed 's/"sm.stall.memory"/"sm.stall.\\u001b[31m"/' >key.json
grep -q 'u001b' key.json || fail "no escape in a key"
sed -i 's/"cycles": *[0-9]*/"cycles": 99/' key.json
quiet "$weir" compare --all evil.json key.json
python3 - evil.sqlite key.json <<'PY' || fail "no store"
import sqlite3, sys
con = sqlite3.connect(sys.argv[1])
con.execute("CREATE TABLE result (key TEXT PRIMARY KEY, program TEXT, size TEXT, machine TEXT, policies TEXT,"
            " settings TEXT NOT NULL, document TEXT NOT NULL) WITHOUT ROWID")
for key in "abcdef0123456789", "\x1b[31m":
    con.execute("INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, ?)", (key, *["\x1b[31m" + key] * 5, open(sys.argv[2]).read()))
con.commit()
PY
quiet "$weir" compare --all evil.sqlite evil.sqlite
quiet "$weir" compare --results evil.sqlite abcdef01 evil.json
quiet "$weir" export evil.sqlite
printf '"program","kernel","ID","sm__cycles_elapsed.max"\n"","","",""\n"evil","evil%s[31m","0","10"\n' "$esc" >ncu.csv
"$weir" correlate ncu.csv evil.json >out 2>err
grep -q "$esc" out err && fail "an escape of a table was printed"

# ---- names of files ----
odd=$(printf "a'b\"c d\ne,f%%")
mkdir "$odd"
cp "$app" "$odd/a'p\"p"
cp mine.wt "$odd/m'i\"n e.wt"
printf 'base = gtx480\n[l1]\nsize = 32KiB\n' >"$odd/machine.ini"
expect 0 "$weir" sweep -o bad --results r.sqlite "$odd/m'i\"n e.wt" -- "./$odd/a'p\"p" exit 0
expect 0 "$weir" run -q --gpu "$odd/machine.ini" "./$odd/a'p\"p" exit 0
expect 0 "$weir" record -q --set l1.size=32KiB -o "$odd/o'u\"t.wt" "./$odd/a'p\"p" exit 0
expect 0 "$weir" replay -q --json "$odd/j.json" "$odd/o'u\"t.wt"

# ---- a full device ----
"$weir" list parameters >/dev/full 2>err && fail "a full device is none"
says err "No space left on device"
"$weir" replay -q --json - mine.wt >/dev/full 2>err && fail "a full device is none"
says err "No space left on device"

# ---- clusters of CTAs ----
cat >cluster.ptx <<'PTX'
.version 8.0
.target sm_90
.address_size 64
.visible .entry pair() .explicitcluster .reqnctapercluster 2, 1, 1
{
    ret;
}
PTX
expect 0 "$weir" ptx dump cluster.ptx
says out ".reqnctapercluster 2, 1, 1"
