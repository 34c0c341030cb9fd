#!/usr/bin/env python3
"""What surrounds the findings of weir check: the text, the documents, suppressions, filters, exit statuses.

usage: options.py --weir PATH --out DIR
"""
import argparse
import json
import os
import subprocess
import sys

import run

failed = []


def expect(condition, what):
    if not condition:
        failed.append(what)
        print("failed: " + what)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--weir", required=True)
    p.add_argument("--out", required=True)
    args = p.parse_args()
    args.compiler, args.weir = "clang", os.path.abspath(args.weir)
    args.out = os.path.abspath(os.path.join(args.out, "options"))
    shared, host = (run.build(args, os.path.join(run.HERE, f)) for f in ("shared.cu", "host.cu"))

    def check(*words, cwd=args.out):
        r = subprocess.run([args.weir, "check", *words], capture_output=True, text=True, timeout=60, cwd=cwd)
        return r.returncode, r.stdout, r.stderr

    # The text says what, where, who and what would help.
    status, out, err = check(shared, "reduction_last_step")
    expect(status == 1, "a race is exit status 1")
    with open(os.path.join(run.HERE, "shared.cu")) as f:
        text = f.read().split("\n")
    write = next(i for i, line in enumerate(text, 1) if "s[threadIdx.x] += s[threadIdx.x + d];" in line)
    read = next(i for i, line in enumerate(text, 1) if "*out = s[0];" in line)
    expect("no __syncthreads() between shared.cu:%d and shared.cu:%d" % (write, read) in err, "the missing barrier is named")
    expect("by thread (0,0,0) of CTA (0,0,0)" in err and "by thread (64,0,0)" in err, "both threads are named")
    expect("weir check: 1 error, 0 warnings, 0 notes" in err, "the last line counts")
    status, out, err = check(shared, "reduction")
    expect(status == 0 and "0 errors" in err, "a correct program is exit status 0")

    # Notes and warnings.
    status, out, err = check(shared, "equal_values")
    expect(status == 0 and "race-equal-value" not in err and "--notes" in err, "notes are only counted")
    status, out, err = check("--notes", shared, "equal_values")
    expect(status == 0 and "race-equal-value" in err, "--notes prints them")
    expect(check(shared, "after_shuffle")[0] == 0, "a warning alone is exit status 0")
    expect(check("--strict", shared, "after_shuffle")[0] == 1, "--strict makes it 1")

    # Tools and kernels.
    expect(check("--tool", "initcheck", shared, "reduction_last_step")[0] == 0, "initcheck finds no race")
    expect(check("--tool", "racecheck", shared, "reduction_last_step")[0] == 1, "racecheck does")
    status, out, err = check("--kernel", "tiles", shared, "reduction_last_step")
    expect(status == 2 and "--kernel tiles" in err and "reduce" in err, "a kernel that is not launched is bad input")
    expect(check("--kernel", "tiles", shared, "tile_loop")[0] == 0, "one that is and has no error is fine")
    expect(check("--kernel", "^void redu.*", shared, "reduction_last_step")[0] == 1, "a kernel by its name is")
    expect(check(host, "leak")[0] == 0, "leaks are warnings")
    expect(check("--tool", "leakcheck", host, "leak")[0] == 1, "unless they are asked for")
    status, out, err = check("--tool", "racecheck,nonsense", shared, "reduction")
    expect(status == 2 and "'nonsense'" in err, "an unknown tool is bad input")
    status, out, err = check("--kernel", "(", shared, "reduction")
    expect(status == 2 and "--kernel" in err, "a bad expression is bad input")
    expect(check("--fail-fast", shared, "neighbor_without_barrier")[0] == 1, "--fail-fast ends with 1")
    expect(check("/nonexistent")[0] == 2, "a program that is not there is bad input")

    status, out, err = check("--tool", "", shared, "reduction")
    expect(status == 2, "no tool is bad input")

    # Suppressions.
    rules = os.path.join(args.out, "rules.txt")
    with open(rules, "w") as f:
        f.write("# known\nrace shared.cu:%d\n" % read)
    status, out, err = check("--suppressions", rules, shared, "reduction_last_step")
    expect(status == 0 and "1 suppressed" in err, "a suppressed race is no error")
    status, out, err = check("--suppressions", rules, shared, "neighbor_without_barrier")
    expect(status == 1, "another race is")
    expect(check("--suppressions", rules, "--fail-fast", shared, "reduction_last_step")[0] == 0, "nor with --fail-fast")
    expect(check("--suppressions", rules, "--strict", shared, "reduction_last_step")[0] == 0, "nor with --strict")
    with open(rules, "w") as f:
        f.write("race shared.cu:%d\n" % (read // 10))
    expect(check("--suppressions", rules, shared, "reduction_last_step")[0] == 1, "line 3 is not line 30")
    with open(rules, "w") as f:
        f.write("* reduce<\n")
    expect(check("--suppressions", rules, shared, "reduction_last_step")[0] == 0, "a kernel can be suppressed")
    with open(rules, "w") as f:
        f.write("\nrcae shared.cu\n")
    status, out, err = check("--suppressions", rules, shared, "reduction_last_step")
    expect(status == 2 and "rules.txt:2" in err and "'rcae'" in err, "an unknown class is bad input, with its line")
    status, out, err = check("--suppressions", "nowhere", shared, "reduction_last_step")
    expect(status == 2 and "nowhere" in err, "a missing file is bad input")

    # Documents.
    status, out, err = check("--json", "-", shared, "reduction_last_step")
    doc = json.loads(out)
    f = doc["findings"][0]
    expect(doc["schema"] == "weir-check-1" and doc["total"]["errors"] == 1 and len(doc["findings"]) == 1, "JSON counts")
    expect(f["class"] == "race" and f["tool"] == "racecheck" and f["other"]["line"] == write and
           f["access"]["line"] == read and f["access"]["thread"] == [64, 0, 0], "JSON says what the text says")
    sarif = os.path.join(args.out, "check.sarif")
    status, out, err = check("--sarif", sarif, shared, "reduction_last_step")
    with open(sarif) as s:
        doc = json.load(s)
    result = doc["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    expect(doc["version"] == "2.1.0" and result["ruleId"] == "race" and result["level"] == "error", "SARIF has the race")
    expect(place["artifactLocation"]["uri"].endswith("shared.cu") and place["region"]["startLine"] == read,
           "SARIF has its line")
    expect(result["ruleId"] in [r["id"] for r in doc["runs"][0]["tool"]["driver"]["rules"]], "SARIF knows its rule")
    expect(place["artifactLocation"]["uri"].startswith("/") and result["relatedLocations"][0]["id"] == 1 and
           "[write at shared.cu:%d](1)" % write in result["message"]["text"], "SARIF links the other side")
    expect(all(r["shortDescription"]["text"] for r in doc["runs"][0]["tool"]["driver"]["rules"]), "SARIF says what a rule is")
    status, out, err = check("--sarif", "-", shared, "reduction_last_step", cwd=run.HERE)
    place = json.loads(out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    expect(place["artifactLocation"]["uri"] == "shared.cu", "SARIF names files from the working directory")
    status, out, err = check("--sarif", "-", host, "leak", cwd=args.out)
    place = json.loads(out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    expect(place["artifactLocation"]["uri"] == "host.clang", "what has no source line is the program's")
    status, out, err = check("--sarif", "-", "--json", "-", shared, "reduction_last_step")
    expect(status == 2 and "--sarif -" in err, "two documents do not fit on standard output")
    both = [os.path.join(args.out, "both." + end) for end in ("json", "sarif")]
    for path in both:
        if os.path.exists(path):
            os.remove(path)
    status, out, err = check("--fail-fast", "--json", both[0], "--sarif", both[1], "--tool", "racecheck", shared, "histogram_plain")
    with open(both[0]) as j, open(both[1]) as s:
        expect(status == 1 and json.load(j)["total"]["errors"] == 1 and json.load(s)["runs"][0]["results"],
               "--fail-fast writes both documents, of one error")
    status, out, err = check("--json", os.path.join(args.out, "no", "folder.json"), shared, "reduction")
    expect(status == 2, "a document that cannot be written is bad input")

    # A program that fails by itself, or dies.
    expect(check(shared, "no_such_case")[0] == 1, "the program's own failure is exit status 1")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
