#!/bin/sh
# Follows docs/add-a-policy.md literally on a copy of the tree: the page's files are written, its table line is added, its
# commands are run, then the policy's own test and its use by name must work.
# Usage: add_a_policy.sh SOURCE-ROOT
set -e
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for d in meson.build meson_options.txt src tests configs docs tools include plans suite swcache; do cp -r "$root/$d" "$work/"; done
cd "$work"
python3 - <<'PY'
import re, subprocess
page = open('docs/add-a-policy.md').read()
blocks = re.findall(r'```(\w+) (\S+)\n(.*?)```', page, re.S)
files = 0
for lang, what, text in blocks:
    if what.startswith('file='):
        open(what[5:], 'w').write(text)
        files += 1
    elif what.startswith('append='):
        open(what[7:], 'a').write(text)
    elif what == 'run':
        subprocess.run(['sh', '-ec', text], check=True)
assert files == 2, 'the page should hold a policy and its test'
PY
meson setup build -Dbuildtype=debug -Doptimization=0 --werror >setup.log || { cat setup.log; exit 1; }
ninja -C build weir tests/behave/l1_selective_test >build.log || { grep -A8 -E "FAILED|error" build.log | head -n 40; exit 1; }
build/tests/behave/l1_selective_test
build/weir list policies | grep -q selective
build/weir explain selective | grep -q 'die unused'
build/weir explain selective.percent | grep -q 'died unused'
build/weir config show gtx480 --with selective 2>/dev/null | grep -q 'selective.samples *64' ||
    build/weir config show gtx480 --set l1.management=selective | grep -q 'selective.samples *64'
