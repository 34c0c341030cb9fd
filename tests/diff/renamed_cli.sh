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

answered l2.warmed l2.preloaded "$weir" explain l2.warmed
answered apcm.psb.held.le_100 apcm.psb.duration.le_100 "$weir" explain apcm.psb.held.le_100
answered icache.ways icache.assoc "$weir" explain icache.ways
answered l1-organisation l1-organization "$weir" explain l1-organisation
expect 0 "$weir" explain l1.merges # the statistic; the parameter had the same name
says out "l1.merges: a statistic"

answered l1.merges l1.max_merges "$weir" replay --set l1.merges=4 "$wt"
answered mrpb.bypass=line mrpb.bypass=no_way "$weir" replay --with mrpb --set mrpb.bypass=line "$wt"
answered l1-organisation l1-organization "$weir" replay --with l1-organisation=private "$wt"
printf 'base = gtx480\n[noc]\nlatency = 4\n' >"$dir/old.ini"
answered noc.latency noc.crossbar_latency "$weir" config show "$dir/old.ini"

answered --normalise --normalize "$weir" sweep --normalise=x "$wt"
answered l1.dropped l1.invalidations "$weir" sweep --metric 'l1.dropped / l1.accesses' -o "$dir/sweep" "$wt"

"$weir" replay -q --gpu mesh28 --with nlp --json "$dir/run.json" "$wt" || fail "replay"
answered l1.prefetch.busy l1.prefetch.no_resource "$weir" export --column l1.prefetch.busy "$dir/run.json"
answered asked requested "$weir" export --table loads --column nlp.asked "$dir/run.json"

plan() { # plan KEY: the lines of the plan's figure, and the published values
    printf '[figure]\nnumber = 1\ntitle = t\nprograms = kmeans\npublished = published.ini\n%s\n' "$1" >"$dir/plan.ini"
    printf '[variant a]\nwith = lrr\n[variant b]\nwith = gto\n' >>"$dir/plan.ini"
}
published() {
    printf '[claim any]\nfigure = 1\nof = b\nover = a\npublished = 1%%\nquote = q\n%s\n' "$1" >"$dir/published.ini"
}
published 'kind = gain'
for pair in maximise:maximize normalise:normalize refused:not_reproduced; do
    plan "${pair%:*} = a"
    answered "${pair%:*}" "${pair#*:}" "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
done
plan 'metric = l2.cleaned'
answered l2.cleaned l2.eager_write_backs "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
plan ''
published 'says = x'
answered says quote "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
for pair in least:at_least ahead:above; do
    published "kind = ${pair%:*}"
    answered "kind=${pair%:*}" "kind=${pair#*:}" "$weir" sweep -o "$dir/sweep" "$dir/plan.ini"
done

sed 's/^l1\.misses + l1\.merges/l1.dropped + l1.merges/' "$root/configs/energy/fermi40.ini" >"$dir/energy.ini"
answered l1.dropped l1.invalidations "$weir" replay --energy --set machine.energy="$dir/energy.ini" "$wt"
echo ok
