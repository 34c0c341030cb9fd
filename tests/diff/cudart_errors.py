#!/usr/bin/env python3
"""The runtime's error codes against their documentation.

Builds the tables of calls (cudart_errors.cu, cudart_errors_graphs.cu) with weir cc, runs them and compares every answer.
Then it looks for holes: each function that weir implements (api.def) must have a row here or an answer of the board
(cudart_semantics.expected); and where CUDA's own cuda_runtime_api.h is installed, each code that it documents for a
function must come up in one of them, or be listed below with the reason why it cannot.

usage: cudart_errors.py WEIR FOLDER API.DEF; FOLDER holds the sources. Exit status 77: no clang here that weir cc accepts.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Codes that no call can return here, because weir has no such state.
NEVER = {
    "CudartUnloading": "only after main has ended",
    "InitializationError": "only in a forked child (the test endings)",
    "DeviceUnavailable": "the device is never taken",
    "DeviceUninitialized": "the runtime makes its context itself",
    "ContextIsDestroyed": "the runtime's context lasts as long as the process",
    "NotReady": "work has run when its call returns",
    "LaunchFailure": "faults are sticky: sections fault-... of cudart_semantics",
    "LaunchTimeout": "a kernel that does not end is a deadlock of the simulation (the test cudart_live)",
    "LaunchOutOfResources": "what does not fit is refused as an invalid value, as an H200 does",
    "InvalidConfiguration": "an H200 answers InvalidValue to every impossible shape (cudart_semantics.expected)",
    "SharedObjectInitFailed": "there are no shared objects of device code",
    "SharedObjectSymbolNotFound": "there are no shared objects of device code",
    "JitCompilerNotFound": "PTX is not compiled",
    "JitCompilationDisabled": "PTX is not compiled",
    "UnsupportedPtxVersion": "every version is read; an unknown instruction is refused where its kernel is first used",
    "Unknown": "no error lacks a name",
    "InvalidContext": "the name is not among CUDA's codes",
    "PeerAccessAlreadyEnabled": "there is one device",
    "LossyQuery": "edges have no data: every dependency is a full one",
    "OutOfMemory": "CUDA's name for it is MemoryAllocation",
}
# The same for single functions; * stands for the rest of a name.
NEVER_OF = {
    ("cudaEventCreate*", "MemoryAllocation"): "takes no device memory",
    ("cudaGraph*", "MemoryAllocation"): "takes no device memory",
    ("cudaHostRegister", "MemoryAllocation"): "takes no memory",
    ("cudaHostGetDevicePointer", "MemoryAllocation"): "takes no memory",
    ("cudaLibraryLoad*", "MemoryAllocation"): "variables come from the process' memory",
    ("cudaHostRegister", "NotSupported"): "every kind of host memory can be registered",
    ("cudaMallocManaged", "NotSupported"): "there is managed memory",
    ("cudaDeviceGet*MemPool", "NotSupported"): "there are memory pools",
    ("cudaDeviceSetMemPool", "NotSupported"): "there are memory pools",
    ("cudaMalloc*Async", "NotSupported"): "there are memory pools",
    ("cudaFreeAsync", "NotSupported"): "there are memory pools",
    ("cudaGraphAddMemFreeNode", "NotSupported"): "there are memory pools",
    ("cudaGraphAddHostNode", "NotSupported"): "host functions are supported",
    ("cudaLaunchHostFunc", "NotSupported"): "host functions are supported",
    ("cudaStreamAddCallback", "NotSupported"): "host functions are supported",
    ("cudaStreamCopyAttributes", "NotSupported"): "streams have attributes",
    ("cudaGetDriverEntryPoint*", "NotSupported"): "the driver API is there",
    ("cudaLibraryLoadFromFile", "InvalidPtx"): "as cudaLibraryLoadData, which reads what the file holds",
    ("cudaLibraryLoadFromFile", "NoKernelImageForDevice"): "as cudaLibraryLoadData",
    ("cudaLaunch*", "InvalidPtx"): "the program's PTX is bad: the tests cudart and fuzz_fatbin",
    ("cudaLaunch*", "NoKernelImageForDevice"): "the program has no PTX: the test cudart",
    ("cudaMemcpy*Symbol*", "NoKernelImageForDevice"): "the program has no PTX: the test cudart",
    ("cudaGetSymbol*", "NoKernelImageForDevice"): "the program has no PTX: the test cudart",
    ("cudaOccupancy*", "InvalidDevice"): "there is one device",
    ("cudaPointerGetAttributes", "InvalidDevice"): "there is one device",
    ("cudaGetDeviceFlags", "InvalidDevice"): "there is one device",
    ("cudaGraphAddMemsetNode", "InvalidDevice"): "there is one device",
    ("cudaDeviceGetTexture1DLinearMaxWidth", "UnsupportedLimit"): "the limit is known",
    ("cudaGraphKernelNode*", "InvalidResourceHandle"): "a node that is none is an invalid value, as an H200 says",
    ("cudaEvent*", "InvalidValue"): "a handle that is none is InvalidResourceHandle, as an H200 says",
    ("cudaStreamDestroy", "InvalidValue"): "the same",
    ("cudaFree*Array", "InvalidValue"): "the same",
    ("cudaArrayGetInfo", "InvalidValue"): "the same, and every result may be left out",
    ("cudaCreateSurfaceObject", "InvalidChannelDescriptor"): "an array's format was checked when it was made",
    ("cudaGraphKernelNodeGetParams", "InvalidDeviceFunction"): "a node's function was checked when it was made",
    ("cudaGetLastError", "*"): "repeats what another call returned",
    ("cudaPeekAtLastError", "*"): "repeats what another call returned",
}


def matches(pattern, name):
    return re.fullmatch(pattern.replace("*", ".*"), name) is not None


def never(function, code, needed):
    reasons = [key for key in NEVER_OF if matches(key[0], function) and matches(key[1], code)]
    reasons += [code] if code in NEVER else []
    needed.update(reasons)
    return bool(reasons)


def rows_of(weir, source, dir):
    program = os.path.join(dir, "errors")
    subprocess.run([weir, "cc", source, "-o", program], check=True)
    r = subprocess.run([weir, "run", "--functional", program], capture_output=True, text=True, timeout=100)
    if r.returncode:
        sys.exit(f"{source}: status {r.returncode}\n{r.stderr}")
    return [line.split("\t") for line in r.stdout.splitlines() if line[1:2] == "\t"]


def documented():
    """Function -> codes, from CUDA's header; None where it is not installed."""
    nvcc = shutil.which("nvcc")
    folders = [os.path.join(os.path.dirname(os.path.realpath(nvcc)), "..", "include")] if nvcc else []
    for folder in folders + ["/usr/local/cuda/include"]:
        path = os.path.join(folder, "cuda_runtime_api.h")
        text = open(path, errors="replace").read() if os.path.exists(path) else ""
        if r"\return" in text:  # weir's own has no documentation
            break
    else:
        return None
    table = {}
    comment = r"/\*\*((?:(?!\*/).)*)\*/\s*(?:#if[^\n]*\n)*\s*extern[^;]*?\b(cuda\w+)\("
    for text, function in re.findall(comment, text, re.S):
        listed = re.search(r"\\returns?\b(.*?)(?:\\sa|\\note|\\param|$)", text, re.S)
        table.setdefault(function, re.findall(r"::cudaError(\w+)", listed.group(1)) if listed else [])
    return table


def main():
    weir, folder, api = sys.argv[1:]
    sources = [os.path.join(folder, name) for name in ("cudart_errors.cu", "cudart_errors_graphs.cu")]
    if subprocess.run([weir, "cc", "--dry-run", sources[0]], capture_output=True).returncode:
        sys.exit(77)
    with tempfile.TemporaryDirectory() as dir:
        rows = [row for source in sources for row in rows_of(weir, source, dir)]
    wrong = 0
    answers = collections.defaultdict(set)
    for source, want, got, call in rows:
        answers[re.findall(r"\b(cuda[A-Z]\w*)\(", call)[-1]].add(got)
        if want != got:
            wrong += 1
            print(f"{call}: {got}, should be {want} ({source})")
    with open(os.path.join(folder, "cudart_semantics.expected")) as f:
        for function, codes in re.findall(r"^(cuda\w+)\(.*\): (cuda\w+.*)$", f.read(), re.M):
            answers[function].update(re.findall(r"cuda\w+", codes))
    with open(api) as f:
        ours = re.findall(r"^OURS\((cuda\w+)\)", f.read(), re.M)
    ours = [f for f in ours if not re.search(r"_pt[sd][zs]$", f)]
    no_error = {"cudaCreateChannelDesc", "cudaGetErrorName", "cudaGetErrorString"}
    holes = [f for f in ours if f not in answers and f not in no_error]
    table = documented()
    pairs = excused = 0
    needed = set()
    for function in ours if table else []:
        for code in dict.fromkeys(table.get(function, [])):
            pairs += 1
            if "cudaError" + code in answers[function]:
                continue
            if never(function, code, needed):
                excused += 1
            else:
                holes.append(f"{function}: {code} is documented")
    holes += [f"{key}: a reason that is not needed" for key in [*NEVER, *NEVER_OF] if table and key not in needed]
    for hole in holes:
        print(f"no row: {hole}")
    print(f"{len(rows)} calls, {wrong} answers differ; {len(ours)} functions", end="")
    print(f", {pairs} documented codes: {pairs - excused} come up, {excused} cannot" if table else "")
    return 1 if wrong or holes else 0


if __name__ == "__main__":
    sys.exit(main())
