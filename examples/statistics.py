# %% [markdown]
# # weir's numbers in pandas
#
# A run's document is JSON, the results of sweeps are SQLite: both are a line of pandas away. The cells of this file (`# %%`) run in Jupyter
# (`jupytext`), VS Code or Spyder, and the file runs as a whole:
#
#     weir run --profile --json run.json ./app
#     weir sweep plan.ini --results results.sqlite
#     python3 examples/statistics.py run.json results.sqlite pictures
#
# Debian: `apt-get install python3-pandas python3-matplotlib`.

# %%
import json
import os
import sqlite3
import sys

import matplotlib
import pandas as pd

if len(sys.argv) != 4:
    sys.exit("usage: statistics.py RUN.json RESULTS.sqlite FOLDER")
run_file, results_file, folder = sys.argv[1:]
matplotlib.use("Agg")  # pictures go to files; leave it out in a notebook
import matplotlib.pyplot as plt  # noqa: E402

os.makedirs(folder, exist_ok=True)
plt.rcParams.update({"figure.figsize": (8, 3.2), "axes.spines.top": False, "axes.spines.right": False, "figure.autolayout": True})

# %% [markdown]
# ## One run
# `kernels` has a row per launch, with every statistic as a column.

# %%
with open(run_file) as f:
    run = json.load(f)
kernels = pd.DataFrame(run["kernels"])
by_kernel = kernels.groupby("kernel").agg(launches=("cycles", "size"), cycles=("cycles", "sum"), insts=("thread_insts", "sum"))
by_kernel["ipc"] = by_kernel["insts"] / by_kernel["cycles"]
print(by_kernel.sort_values("cycles", ascending=False).to_string())

# %% [markdown]
# ## Where its memory accesses were answered
# `loads` has a row per memory instruction; the nested members become columns such as `served.dram`.

# %%
loads = pd.json_normalize(run["loads"]).fillna(0)
served = loads.filter(regex=r"^served\.")
served.columns = [name[len("served."):] for name in served.columns]
served.index = loads["inst"] + " " + loads.get("src_line", loads["ptx_line"]).astype(int).astype(str)
share = served.div(served.sum(axis=1).where(lambda s: s > 0), axis=0).dropna() * 100
ax = share.plot.barh(stacked=True, colormap="cividis")
ax.set_xlabel("lines, by where they were answered (%)")
plt.savefig(os.path.join(folder, "served.png"), dpi=120)

# %% [markdown]
# ## Over time
# A profile, or `--sample`, gives the same statistics for each interval.

# %%
samples = pd.DataFrame(run["samples"]).set_index("cycle")
ax = samples["ipc"].plot(label="IPC", color="#0072b2")
ax.set_xlabel("core cycle")
ax.set_ylabel("IPC")
right = (samples["dram.utilization"] * 100).plot(secondary_y=True, label="DRAM", color="#e69f00")
right.set_ylabel("DRAM use (%)")
plt.savefig(os.path.join(folder, "time.png"), dpi=120)

# %% [markdown]
# ## Sweeps
# A row of `result` is a simulation; `document` holds its `total` and `loads`.

# %%
with sqlite3.connect("file:%s?mode=ro" % results_file, uri=True) as db:
    results = pd.read_sql("SELECT program, size, machine, policies, settings, document FROM result", db)
total = pd.json_normalize(results.pop("document").map(lambda text: json.loads(text)["total"]))
total.columns = [name.replace("total.", "") for name in total.columns]
results = pd.concat([results, total], axis=1)
ipc = results.pivot_table(index="program", columns="policies", values="ipc")
print(ipc.round(2).to_string())
ax = ipc.plot.bar(colormap="cividis", rot=0)
ax.set_ylabel("IPC")
ax.legend(fontsize="x-small")
plt.savefig(os.path.join(folder, "sweep.png"), dpi=120)

# %% [markdown]
# What goes with IPC? The statistics that correlate most, over all simulations.

# %%
numbers = results.select_dtypes("number").loc[:, lambda d: d.nunique() > 1]
if "ipc" in numbers and len(numbers) > 2:
    print(numbers.corrwith(numbers["ipc"]).drop("ipc").dropna().sort_values(key=abs, ascending=False).head(8).round(2).to_string())
