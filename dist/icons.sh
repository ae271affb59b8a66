#!/usr/bin/env bash
# Draws assets/icon.svg in the forms that Windows and macOS want. What it makes is kept in assets/, so that a build wants
# none of these tools; it is run again when the drawing changes.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
"$here/need.sh" librsvg2-bin icoutils icnsutils
assets=$(realpath "$here/../assets")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for size in 16 20 24 32 40 48 64 128 256 512 1024; do
  rsvg-convert --width "$size" --height "$size" --output "$work/$size.png" "$assets/icon.svg"
done
# Explorer's sizes from 100 % to 250 % of a small icon, and the large one, which is kept as PNG.
icotool --create --output "$assets/icon.ico" "$work"/{16,20,24,32,40,48,64}.png --raw "$work/256.png"
png2icns "$assets/icon.icns" "$work"/{16,32,128,256,512,1024}.png >/dev/null
ls -l "$assets"/icon.*
