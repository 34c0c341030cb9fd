#!/bin/sh
# Follows docs/add-a-policy.md literally. Plugins: the page's files are written and its commands run with this weir. In
# the tree: on a copy of it, the page's commands are run and its files are written, then the policy's own test, its use by
# name and its golden statistics must work. Before the page's files, policies of every kind as `weir plugin new --in-tree`
# writes them must do the same.
# Usage: add_a_policy.sh SOURCE-ROOT WEIR
set -e
root=$1
weir=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/plugins" "$work/bin" "$work/tree"
ln -s "$weir" "$work/bin/weir"
for d in meson.build meson_options.txt src tests silicon configs docs examples tools include plans plugin suite swcache; do cp -r "$root/$d" "$work/tree/"; done

# The page, block by block: "plugin=FILE" writes and "plugin" runs in a folder apart, "run" runs in the tree.
cat >"$work/follow.py" <<'PY'
import re, subprocess, sys
plugins = sys.argv[1] == "plugins"
page = open(sys.argv[2]).read()
done = []
for lang, what, text in re.findall(r'```(\w+) (\S+)\n(.*?)```', page, re.S):
    key, _, path = what.partition("=")
    if (key == "plugin") != plugins or key == "show":
        continue
    if path:
        open(path, "w").write(text)
    else:
        subprocess.run(["sh", "-ec", text], check=True)
    done.append(path)
print("followed", done)
wanted = ["srrip.c"] if plugins else []
assert [p for p in done if p] == wanted, "the page has other files than this test expects"
PY
RECORDING=$(realpath "$root/tests/golden/peer/matmul-128.wt")
EXAMPLES=$(realpath "$root/examples/policies")
export RECORDING EXAMPLES
(cd "$work/plugins" && PATH="$work/bin:$PATH" python3 "$work/follow.py" plugins "$root/docs/add-a-policy.md")

cd "$work/tree"
PATH=$work/bin:$PATH
python3 "$work/follow.py" tree docs/add-a-policy.md
new='' tests=''
for kind in scheduler l1-management l1-organization prefetcher l1-order l2-order; do
    name=a_$(echo $kind | tr - _)
    weir plugin new "$name" --in-tree --kind "$kind"
    new="$new $name" tests="$tests tests/behave/${name}_test"
done
! weir plugin new a_scheduler --in-tree --kind scheduler 2>refused.log || { echo "the same policy twice"; exit 1; }
grep -q 'a_scheduler.c: cannot be written' refused.log || { cat refused.log; exit 1; }
! (cd docs && weir plugin new other --in-tree) 2>refused.log || { echo "a policy outside the top folder"; exit 1; }
grep -q 'in the top folder of' refused.log || { cat refused.log; exit 1; }
meson setup build -Dbuildtype=debug -Doptimization=0 --werror >setup.log || { cat setup.log; exit 1; }
# shellcheck disable=SC2086
ninja -C build weir tests/behave/selective_test $tests >build.log || { grep -A8 -E "FAILED|error" build.log | head -n 40; exit 1; }
for test in selective $new; do
    "build/tests/behave/${test}_test" >test.log 2>&1 || { cat test.log; exit 1; }
done
build/weir list policies | grep -q selective
build/weir explain selective | grep -q 'die unused'
build/weir explain selective.percent | grep -q 'died unused'
build/weir config show gtx480 --with selective | grep -q 'selective.samples *64'
! python3 tests/golden/policies.py build/weir selective >golden.log 2>&1 || { echo "a policy without golden statistics passes"; exit 1; }
grep -q 'the policy selective has no golden statistics: ' golden.log || { cat golden.log; exit 1; }
# shellcheck disable=SC2086
python3 tests/golden/policies.py build/weir --record selective $new
# shellcheck disable=SC2086
python3 tests/golden/policies.py build/weir selective $new
