#!/bin/sh
# tools/try_programs.py on four small programs: one that passes at a smaller size, one that fails, one that is not built, one that is
# not eligible.
# usage: try_programs.sh WEIR SOURCE
weir=$(realpath "$1") source=$2
"$weir" cc --dry-run -x cu /dev/null -o /dev/null >/dev/null 2>&1 || { echo "no clang that weir cc accepts"; exit 77; }
command -v make >/dev/null || { echo "make is not installed"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*"; cat "$dir/told" "$dir/tsv"; exit 1; }
for name in right wrong broken mpi; do
    mkdir -p "$dir/programs/$name"
    printf 'main: main.cu\n\t$(CC) -arch=$(ARCH) main.cu -o main\nrun: main\n\t$(LAUNCHER) ./main 1000000 500\nclean:\n\trm -f main\n' >"$dir/programs/$name/Makefile"
done
cat >"$dir/programs/right/main.cu" <<'CU'
#include <cstdio>
#include <cstdlib>
__global__ void count(int *n) { atomicAdd(n, 1); }
int main(int argc, char **argv)
{
    int *n;
    cudaMallocManaged(&n, 4);
    for (int i = 0; i < atoi(argv[2]); i++)
        count<<<atoi(argv[1]) / 32, 32>>>(n);
    cudaDeviceSynchronize();
    puts(*n == atoi(argv[1]) / 32 * 32 * atoi(argv[2]) ? "PASS" : "FAIL");
}
CU
sed 's/atomicAdd(n, 1)/*n = 1/' "$dir/programs/right/main.cu" >"$dir/programs/wrong/main.cu"
sed 's/atomicAdd/no_such_function/' "$dir/programs/right/main.cu" >"$dir/programs/broken/main.cu"
(echo '#include <mpi.h>'; cat "$dir/programs/right/main.cu") >"$dir/programs/mpi/main.cu"
PATH=/usr/bin:/bin python3 "$source/tools/try_programs.py" --weir "$weir" --check "$dir/programs" >"$dir/tsv" 2>"$dir/told" || fail "it ended with $?"
row() { grep -qP "$1" "$dir/tsv" || fail "no row like $1"; }
row '^right\tpasses\t-\t976 1; check: clean$'
row '^wrong\tfails\t'
row '^broken\tnot built\t.*no_such_function'
grep -q "^mpi" "$dir/tsv" && fail "mpi was tried"
grep -q "4 programs, 3 eligible (MPI: 1), 3 tried" "$dir/told" || fail "the counts"
grep -q "weir cc: 1 of 3 pass or run" "$dir/told" || fail "the share"
