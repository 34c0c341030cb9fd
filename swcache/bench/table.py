#!/usr/bin/env python3
"""Makes results.md, whose main figures docs/swcache.md repeats, from what swcache/bench/run.sh and counters.sh have left in a folder.

usage: table.py [FOLDER [FIGURE.svg]]      (the figure by gnuplot)
"""
import json
import math
import os
import subprocess
import sys

SCANS = ("crc", "csv", "histogram", "invindex", "json", "simscore", "strmatch", "wordcount")  # lines in registers: nothing to monitor
OFF = ("gather", "saxpy", "tiles", "tiny", "vecadd")


def lines(folder, name):
    path = os.path.join(folder, name)
    return [json.loads(line) for line in open(path)] if os.path.exists(path) else []


def speedup(result, variant):
    v = result["variants"].get(variant)
    return result["variants"]["plain"]["median_ms"] / v["median_ms"] if v else None


def cell(x, form="%.2f"):
    return form % x if x is not None else "-"


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def figure(path, results, title):
    """Bars of the speed-ups, the largest first; what should not be cached stands at the end."""
    order = sorted(results, key=lambda r: (r["app"].split()[0] in OFF, -speedup(r, "hand")))
    rows = "\n".join('"%s" %.3f %.3f' % (r["app"], speedup(r, "hand"), speedup(r, "auto") or 1) for r in order)
    script = """set terminal svg size 1000,360 font "sans,13" background "white"
set output "%s"
set title "%s"
set ylabel "times as fast as the plain kernel"
set style data histogram
set style histogram clustered gap 1
set style fill solid border -1
set yrange [0:*]
set xtics rotate by 35 right nomirror
set ytics 1 nomirror
set grid ytics
set key top right
$rows << END
%s
END
plot 1 with lines lc "black" notitle, $rows using 2:xtic(1) title "by hand" lc "#2a6fbb", "" using 3 title "automatic" lc "#e08a1e"
""" % (path, title, rows)
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    copy = json.load(open(os.path.join(folder, "copy.json")))
    registers = dict(line.split() for line in open(os.path.join(folder, "registers.txt")) if len(line.split()) == 2)
    results = lines(folder, "main.jsonl")
    ten = [r for r in results if r["app"] not in OFF and " " not in r["app"]]
    print("%s, copy bandwidth %d GB/s, medians of %d launches each, variants in turns\n"
          % (copy["device"], copy["copy_gb_per_s"], results[0]["launches"]))
    print("| program | plain ms | hand | cached | monitoring | lines off | auto | auto / hand | GB/s plain | GB/s hand | registers plain, cached |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for r in results:
        rates = [r["bytes"] / r["variants"][v]["median_ms"] * 1e-6 for v in ("plain", "hand")]
        app = r["app"].split()[0]
        hand, auto, cached, sure = (speedup(r, v) for v in ("hand", "auto", "cached", "sure"))
        print("| %s | %.3f | %s | %s | %s | %s | %s | %s | %.0f | %.0f | %s, %s |" % (
            r["app"], r["variants"]["plain"]["median_ms"], cell(hand), cell(cached),
            cell(100 * (sure / cached - 1), "%+.1f%%") if r["app"].split()[0] not in SCANS else "none",
            cell(speedup(r, "off")), cell(auto), cell(auto / hand if auto else None), rates[0], rates[1],
            registers.get(app + ".plain", "-"), registers.get(app + ".cached", "-")))
    print("\ngeometric mean of the %d streaming programs: hand %.2f, auto %.2f; least of all %d programs: hand %.2f, auto %.2f" % (
        len(ten), geomean([speedup(r, "hand") for r in ten]), geomean([speedup(r, "auto") or 1 for r in ten]), len(results),
        min(speedup(r, "hand") for r in results), min(speedup(r, "auto") or 1 for r in results)))
    if len(sys.argv) > 2:
        figure(sys.argv[2], results, "%s: the software L1" % copy["device"])
    sizes = ("line4", "line8", "line16", "cached", "line64", "line128")
    print("\n| line, bytes | 4 | 8 | 16 | 32 | 64 | 128 |\n|---|---|---|---|---|---|---|")
    for r, l in zip(ten, lines(folder, "lines.jsonl")):
        print("| %s | %s |" % (r["app"], " | ".join(cell(speedup(r if s == "cached" else l, s)) for s in sizes)))
    print("\n| program | warp instructions, cached / plain | lanes per instruction | L1 passes | L2 sectors read | L1 hit % |")
    print("|---|---|---|---|---|---|")
    counters = lines(folder, "counters.jsonl")
    for plain, cached in zip(counters[::2], counters[1::2]):
        ratio = lambda name: cached[name] / plain[name]
        both = lambda name: "%.1f → %.1f" % (plain[name], cached[name])
        print("| %s | %.2f | %s | ×%.2f | ×%.2f | %s |" % (
            plain["app"], ratio("smsp__inst_executed.sum"), both("smsp__thread_inst_executed_per_inst_executed.ratio"),
            ratio("l1tex__data_pipe_lsu_wavefronts.sum"), ratio("lts__t_sectors_op_read.sum"),
            both("l1tex__t_sector_hit_rate.pct")))


if __name__ == "__main__":
    main()
