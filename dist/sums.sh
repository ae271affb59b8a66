#!/usr/bin/env bash
# Writes SHA256SUMS for the downloads in a folder, and shows how large each is. The zip for Windows and the .deb must
# stay below 12 MB.
#
#   sums.sh OUT
set -euo pipefail
cd "$1"
rm -f SHA256SUMS
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
"${sum[@]}" ./* | sed 's|\./||' > SHA256SUMS.new
mv SHA256SUMS.new SHA256SUMS
wc -c ./*
for file in *-windows-*.zip *.deb; do
  [[ -e $file ]] || continue
  [[ $(wc -c < "$file") -le 12000000 ]] || { echo "sums.sh: larger than 12 MB: $file" >&2; exit 1; }
done
