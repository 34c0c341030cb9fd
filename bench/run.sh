#!/bin/sh
# Speed of the simulator. Usage: bench/run.sh [--check | --record | --hooks | --code] [--quick]
#   (nothing)  times replays and live runs, counts host instructions where valgrind is installed, fits costs
#   --check    only counts host instructions; fails when they grew by more than 5% over bench/recorded.json
#   --record   counts and writes bench/recorded.json
#   --code     counts them on h200 with scheduled code and in PTX order
#   --hooks    counts them beside a build without policy hooks; fails when the hooks cost more than 1%
cd "$(dirname "$0")/.." || exit 2
exec python3 bench/bench.py "$@"
