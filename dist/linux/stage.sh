#!/usr/bin/env bash
# Lays out what is installed, the same for the .deb, the .rpm and the .tar.gz.
#
#   stage.sh PROGRAM FOLDER      FOLDER becomes what /usr or ~/.local will get: bin, share
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")
program=$1 to=$2
version=$("$root/dist/version.sh")
date=$(date -u -d "@$("$root/dist/version.sh" epoch)" +%Y-%m-%d)

install -D -m 755 "$program" "$to/bin/commitmark"
install -D -m 644 "$here/commitmark.desktop" "$to/share/applications/commitmark.desktop"
install -D -m 644 "$here/mime.xml" "$to/share/mime/packages/commitmark.xml"
install -d "$to/share/metainfo" "$to/share/man/man1" "$to/share/doc/commitmark"
sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$date/" -e '/^<!-- @/d' "$here/metainfo.xml" \
  > "$to/share/metainfo/io.github.commitmark.commitmark.metainfo.xml"

icons=$to/share/icons/hicolor
install -D -m 644 "$root/assets/icon.svg" "$icons/scalable/apps/commitmark.svg"
for size in 16 24 32 48 64 128 256 512; do
  install -d "$icons/${size}x$size/apps"
  rsvg-convert --width "$size" --height "$size" --output "$icons/${size}x$size/apps/commitmark.png" "$root/assets/icon.svg"
done

# What --help says, as a manual page.
help2man --no-info --name "measure how fast SQLite saves on a drive" "$to/bin/commitmark" |
  gzip --best --no-name > "$to/share/man/man1/commitmark.1.gz"

install -m 644 "$root"/{README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE} "$to/share/doc/commitmark/"
install -m 644 "$root/assets/fonts/OFL.txt" "$to/share/doc/commitmark/LICENSE-Inter.txt"
python3 "$root/dist/licences.py" > "$to/share/doc/commitmark/LICENSES-OTHERS.txt"
chmod -R u=rwX,go=rX "$to"
