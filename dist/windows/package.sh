#!/usr/bin/env bash
# Makes the Windows downloads from a program that is built: a zip to unpack anywhere, and an installer. Runs on Debian 12.
#
#   package.sh EXE OUT
#
# With COMMITMARK_QUICK set it compresses little, for a try.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")
"$here/../need.sh" binutils-mingw-w64-x86-64 nsis zip python3
mkdir -p "$2"
program=$(realpath "$1") out=$(realpath "$2")
version=$("$root/dist/version.sh")
SOURCE_DATE_EPOCH=$("$root/dist/version.sh" epoch)
export SOURCE_DATE_EPOCH

level=9 compressor='/SOLID lzma'
[[ -n ${COMMITMARK_QUICK:-} ]] && level=1 compressor=zlib

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=commitmark-$version-windows-x86_64
files=$work/$name
mkdir "$files"
x86_64-w64-mingw32-strip -o "$files/commitmark.exe" "$program"
# Windows opens .txt with a double-click, and older editors there want its line ends.
for document in README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE assets/fonts/OFL.txt; do
  to=$(basename "${document%.*}").txt
  [[ $to == OFL.txt ]] && to=LICENSE-Inter.txt
  sed -e 's/\r*$/\r/' "$root/$document" > "$files/$to"
done
python3 "$root/dist/licences.py" x86_64-pc-windows-gnu | sed -e 's/\r*$/\r/' > "$files/LICENSES-OTHERS.txt"
find "$files" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +

rm -f "$out/$name.zip"
(cd "$work" && zip -q -X "-$level" -r "$out/$name.zip" "$name")
makensis -V2 -NOCD "-DVERSION=$version" "-DFILES=$files" "-DASSETS=$root/assets" "-DOUTPUT=$out/$name-setup.exe" \
  "-XSetCompressor $compressor" "$here/installer.nsi"
