#!/bin/sh
# Usage: help.sh WEIR ROOT BUILD: every command has help with an example, the same by both ways, and a manual page that
# has every option of it; an unknown option is bad input.
. "$(dirname "$0")/../diff/cli.sh"
weir=$1 root=$2 build=$3
commands=$(sed -n 's/^COMMAND(\([a-z0-9]*\),.*/\1/p' "$root/src/cli/commands.def")
[ -n "$commands" ] || fail "no commands in commands.def"
expect 0 "$weir" --help
for c in $commands; do
    says out "  $c "
done
expect 0 "$weir" help
says out "Usage: weir COMMAND"
for c in $commands; do
    expect 0 "$weir" "$c" --help
    cp "$dir/out" "$dir/help"
    expect 0 "$weir" help "$c"
    cmp -s "$dir/out" "$dir/help" || fail "weir help $c and weir $c --help differ"
    says out "Usage: weir $c "
    says out "Example"
    says out "weir $c"
    broken=$(awk '/^Examples:/ { e = 1; next } /^$/ { e = 0 } e && !/^  /' "$dir/help")
    [ -z "$broken" ] || fail "an example of $c does not fit into a line: $broken"
    page=$build/weir-$c.1
    [ -s "$page" ] || fail "no manual page of $c"
    sed 's/\\-/-/g; s/\\&//g; s/\\(aq/'\''/g' "$page" >"$dir/page"
    for option in $(sed -n '/^  *-/s/   *[^ -].*//p' "$dir/help" | grep -oE -- '-[A-Za-z-]+'); do
        says page "$option"
    done
    for heading in NAME SYNOPSIS DESCRIPTION EXAMPLES 'SEE ALSO'; do
        says page ".SH $heading"
    done
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >"$dir/lint" 2>&1
        ! grep -v 'missing date' "$dir/lint" || fail "mandoc complains about $page"
    fi
    expect 2 "$weir" "$c" --no-such-option
done
expect 2 "$weir" help no-such-command
says err "not a command"
expect 2 "$weir" no-such-command

# What is misspelled is answered with what may be meant: commands, options (abbreviated and in any place), programs, machines.
meant() { # meant WORD COMMAND...
    word=$1
    shift
    expect 2 "$weir" "$@"
    says err "did you mean '$word'?"
}
meant replay rpelay x
meant --gpu replay --gup gtx480 x.wt
meant --json replay -q x.wt --jsn=out
meant --with run --whit apcm ./x
meant --figure reproduce apcm --figrue 3
meant --jobs suite run bfs --jbos 2
meant bfs suite run bsf
meant bfs analyze bsf
meant bfs profile bsf
meant gtx480 config show gtx490
meant l1.misses explain l1.mises
# Words that say what to do, and values of options.
meant info trace inof x.wt
meant statistics list statistcs
meant clean cache claen
meant new plugin nwe x
meant l1-management plugin new x --kind l1-managment
meant transform swcache transfrom a.cu
meant --split swcache transform --splt=auto a.cu
meant inner swcache transform --split=iner a.cu
meant --nvcc cc --nvvc a.cu
meant show config shwo gtx480
meant run suite rnu bfs
meant dump ptx dmup x.ptx
meant tiny suite run bfs --size tnyi
meant full reproduce swcache --size ful
meant tick suite run bfs --engine tik
meant slurm sweep --on slrum bfs
meant png sweep --format pgn bfs
meant apcm analyze --classes=cart,apmc
meant gto config show gtx480 --set sm.scheduler=gtoo
meant bypass config show gtx480 --with apcm --set apcm.mode=bypas
meant first sweep --normalize=fisrt bfs
meant gtx480 sweep --gpu gtx48 bfs
meant apcm sweep --with apmc bfs
meant ipc sweep --metric icp bfs
# Keys, sections and values of plans and machines.
meant_in() { # meant_in WORD COMMAND... FILE, with the file's lines from standard input
    eval "file=\${$#}"
    cat >"$file"
    meant "$@"
}
plan() { # plan OLD NEW: a plan with one line changed
    printf '[figure]\ntitle = t\nprograms = bfs\naverage = geometric\nmeans = bfs\n[variant a]\nwith = lrr\n' | sed "s/$1/$2/"
}
plan title titel | meant_in title sweep "$dir/p.ini"
plan geometric geomtric | meant_in geometric sweep "$dir/p.ini"
plan 'programs = bfs' 'programs = bsf' | meant_in bfs sweep "$dir/p.ini"
plan 'means = bfs' 'means = all bsf' | meant_in bfs sweep "$dir/p.ini"
plan lrr lrrr | meant_in lrr sweep "$dir/p.ini"
plan 'variant a' 'varaint a' >"$dir/p.ini"
expect 2 "$weir" sweep "$dir/p.ini"
says err "did you mean [variant a]?"
printf 'base = gtx48\n' | meant_in gtx480 config check "$dir/m.ini"
printf '[l1]\nsixe = 1\n' | meant_in l1.size config check "$dir/m.ini"
expect 2 "$weir" replay --gpu gtx480 --set --jsn x.wt # a value is no option
grep -q "did you mean" "$dir/err" && fail "a value was taken for an option"
expect 2 "$weir" run -q ./none --jsn # and neither are a program's arguments
grep -q "did you mean '--" "$dir/err" && fail "an argument of the program was taken for an option"
exit 0
