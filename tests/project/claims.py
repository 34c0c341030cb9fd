#!/usr/bin/env python3
"""Does the table "What came out" of docs/reproduce.md count the verdicts of docs/results/claims.tsv?

usage: claims.py ROOT
A cell is "NOW (BEFORE)"; an empty one is 0. A claim without an earlier verdict counts with its own.
"""
import collections
import os
import re
import sys

root = sys.argv[1]
KINDS = [("holds", re.compile(r"holds$")), ("direction", re.compile(r"direction holds")),
         ("does not hold", re.compile(r"does not hold")), ("not judged", re.compile(r"not judged"))]
STUDIES = {"apcm": "APCM", "caps": "CAPS", "cart": "CART", "sharedl1": "Shared L1"}


def kind(verdict):
    return next(name for name, form in KINDS if form.match(verdict))


now, before = collections.Counter(), collections.Counter()
with open(os.path.join(root, "docs/results/claims.tsv"), encoding="utf-8") as f:
    rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
heads = rows.pop(0)
for row in rows:
    claim = dict(zip(heads, row))
    now[claim["paper"], kind(claim["verdict"])] += 1
    before[claim["paper"], kind(claim["before: verdict"] or claim["verdict"])] += 1

wrong = 0
with open(os.path.join(root, "docs/reproduce.md"), encoding="utf-8") as f:
    page = f.read()
for study, title in STUDIES.items():
    shown = re.search(r"^\| \[%s\]\(papers/%s\.md\) \|(.*)\|$" % (title, study), page, re.M)
    cells = [re.findall(r"\d+", cell) for cell in shown.group(1).split("|")] if shown else []
    counts = [[now[study, name], before[study, name]] for name, _ in KINDS]
    for (name, _), cell, count in zip(KINDS, cells, counts):
        said = [int(n) for n in cell] or [0]
        if said != count[:len(said)]:
            print("docs/reproduce.md: %s, %s: says %s, claims.tsv has %d (before: %d)" % (title, name, said, *count))
            wrong += 1
    if len(cells) != len(KINDS):
        print("docs/reproduce.md: no row of four cells for %s" % title)
        wrong += 1
sys.exit(wrong > 0)
