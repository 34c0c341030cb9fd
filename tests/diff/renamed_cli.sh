#!/bin/sh
# Old public names are answered with the new ones wherever a name is looked up, and never accepted.
# Usage: renamed_cli.sh WEIR RECORDING ROOT
weir=$(realpath "$1") wt=$(realpath "$2") root=$3
. "$(dirname "$0")/cli.sh"
answered() { # answered OLD NEW COMMAND...
    old=$1 new=$2
    shift 2
    expect 2 "$@"
    says err "renamed: $old is now $new"
}

answered l2.preloaded l2.preloaded "$weir" explain l2.preloaded
answered apcm.psb.duration.le_100 apcm.psb.duration.le_100 "$weir" explain apcm.psb.duration.le_100
answered icache.assoc icache.assoc "$weir" explain icache.assoc
answered l1-organization l1-organization "$weir" explain l1-organization
expect 0 "$weir" explain l1.merges # the statistic; the parameter had the same name
says out "l1.merges: a statistic"

answered l1.merges l1.max_merges "$weir" replay --set l1.max_merges=4 "$wt"
answered mrpb.bypass=no_way mrpb.bypass=no_way "$weir" replay --with mrpb --set mrpb.bypass=no_way "$wt"
answered l1-organization l1-organization "$weir" replay --with l1-organization=private "$wt"
printf 'base = gtx480\n[noc]\ncrossbar_latency = 4\n' >"$dir/old.ini"
answered noc.latency noc.crossbar_latency "$weir" config show "$dir/old.ini"

answered --normalize --normalize "$weir" sweep --normalize=x "$wt"
answered l1.invalidations l1.invalidations "$weir" sweep --metric 'l1.invalidations / l1.accesses' -o "$dir/sweep" "$wt"

"$weir" replay -q --gpu mesh28 --with nlp --json "$dir/run.json" "$wt" || fail "replay"
answered l1.prefetch.no_resource l1.prefetch.no_resource "$weir" export --column l1.prefetch.no_resource "$dir/run.json"
answered asked requested "$weir" export --table loads --column nlp.asked "$dir/run.json"

plan() { # plan KEY: the lines of the plan's figure, and the published values
    printf '[figure]\nnumber = 1\ntitle = t\nprograms = kmeans\npublished = published.ini\n%s\n' "$1" >"$dir/plan.ini"
    printf '[variant a]\nwith = lrr\n[variant b]\nwith = gto\n' >>"$dir/plan.ini"
}
published() {
    printf '[claim any]\nfigure = 1\nof = b\nover = a\npublished = 1%%\nquote = q\n%s\n' "$1" >"$dir/published.ini"
}
published 'kind = gain'
for pair in maximize:maximize normalize:normalize refused:not_reproduced; do
    plan "${pair%:*} = a"
    answered "${pair%:*}" "${pair#*:}" "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
done
plan 'metric = l2.eager_write_backs'
answered l2.eager_write_backs l2.eager_write_backs "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
plan ''
published 'says = x'
answered says quote "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
for pair in least:at_least ahead:above; do
    published "kind = ${pair%:*}"
    answered "kind=${pair%:*}" "kind=${pair#*:}" "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
done

sed 's/^l1\.misses + l1\.merges/l1.invalidations + l1.merges/' "$root/configs/energy/fermi40.ini" >"$dir/energy.ini"
answered l1.invalidations l1.invalidations "$weir" replay --energy --set machine.energy="$dir/energy.ini" "$wt"
echo ok
