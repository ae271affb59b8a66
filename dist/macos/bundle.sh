#!/usr/bin/env bash
# Makes CommitMark.app and packs it into a zip.
#
#   bundle.sh OUT PROGRAM...     one program for each kind of Mac; lipo joins them
#
# Joining and signing want a Mac. Elsewhere one program can be given, and the app stays unsigned: a Mac with Apple's
# processor does not start that one, so it is for looking at only.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
root=$(realpath "$here/../..")
mkdir -p "$1"
out=$(realpath "$1")
shift
version=$("$root/dist/version.sh")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
app=$work/CommitMark.app
mkdir -p "$app/Contents/MacOS" "$app/Contents/Resources"
if [[ $# -gt 1 ]]; then
  lipo -create -output "$app/Contents/MacOS/commitmark" "$@"
else
  cp "$1" "$app/Contents/MacOS/commitmark"
fi
chmod 755 "$app/Contents/MacOS/commitmark"
sed "s/@VERSION@/$version/g" "$here/Info.plist" > "$app/Contents/Info.plist"
printf 'APPL????' > "$app/Contents/PkgInfo"
cp "$root/assets/icon.icns" "$app/Contents/Resources/commitmark.icns"
for licence in LICENSE-MIT LICENSE-APACHE assets/fonts/OFL.txt; do
  cp "$root/$licence" "$app/Contents/Resources/$(basename "$licence")"
done
mv "$app/Contents/Resources/OFL.txt" "$app/Contents/Resources/LICENSE-Inter.txt"
python3 "$root/dist/licences.py" aarch64-apple-darwin > "$app/Contents/Resources/LICENSES-OTHERS.txt"

name=commitmark-$version-macos-universal.zip
rm -f "$out/$name"
if [[ $(uname) == Darwin ]]; then
  # Ad hoc: no Apple account stands behind it, but the app cannot be changed without the system noticing.
  codesign --force --sign - --timestamp=none "$app"
  codesign --verify --strict "$app"
  ditto -c -k --keepParent "$app" "$out/$name"
else
  "$here/../need.sh" zip
  (cd "$work" && zip -q -X ${COMMITMARK_QUICK:+-1} -r "$out/$name" CommitMark.app)
fi
