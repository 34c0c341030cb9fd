#!/bin/sh
# Usage: version.sh WEIR ROOT: --version, the changelog's newest entry and CITATION.cff name one version.
weir=$("$1" --version) || exit 1
changelog=$(sed -n 's/^## \([0-9.]*\).*/\1/p' "$2/CHANGELOG.md" | head -n 1)
citation=$(sed -n 's/^version: *//p' "$2/CITATION.cff")
echo "--version: $weir, CHANGELOG.md: $changelog, CITATION.cff: $citation"
[ -n "$changelog" ] && [ "$weir" = "weir $changelog" ] && [ "$weir" = "weir $citation" ] || exit 1
# A version that is not released has no date of release.
if grep -q "^## $changelog (unreleased)" "$2/CHANGELOG.md"; then
    ! grep '^date-released' "$2/CITATION.cff"
else
    grep -q '^date-released' "$2/CITATION.cff"
fi
