#!/bin/sh
# Gives the build folder the shape of a CUDA toolkit (bin, include, lib64), of links: what CMake's FindCUDAToolkit looks for. An
# installed weir has it in PREFIX/lib/weir.
# Usage: tools/toolkit.sh BUILD SOURCE STAMP
top=$1/toolkit
mkdir -p "$top/bin" "$top/lib64" || exit 1
ln -sfn "$2/include/weir/cuda" "$top/include"
ln -sfn ../../nvcc "$top/bin/nvcc"
for lib in "$1"/src/frontend/cudart/lib*.so* "$1"/src/frontend/cudart/lib*.a "$1"/src/libraries/lib*.so*; do
    case $lib in
    */libweir_*|*.p|*.symbols) ;;
    *) ln -sfn "../../${lib#"$1"/}" "$top/lib64/${lib##*/}" ;;
    esac
done
touch "$3"
