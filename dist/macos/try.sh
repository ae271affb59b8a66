#!/usr/bin/env bash
# Looks into the packed app as far as any system can, and on a Mac starts what is in it.
#
#   try.sh ZIP
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$(realpath "$1")" "$work" "$("$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../version.sh")" <<'PYTHON'
import pathlib, plistlib, struct, sys, zipfile

archive, folder, version = sys.argv[1:]
with zipfile.ZipFile(archive) as packed:
    names = packed.namelist()
    assert all(name.startswith("CommitMark.app/") for name in names), names
    program = packed.getinfo("CommitMark.app/Contents/MacOS/commitmark")
    assert program.external_attr >> 16 & 0o111 == 0o111, "the program may not be run"
    packed.extractall(folder)

contents = pathlib.Path(folder, "CommitMark.app", "Contents")
info = plistlib.loads((contents / "Info.plist").read_bytes())
# Apple's Information Property List Key Reference names these.
assert info["CFBundlePackageType"] == "APPL"
assert info["CFBundleShortVersionString"] == info["CFBundleVersion"] == version, info
assert (contents / "MacOS" / info["CFBundleExecutable"]).is_file()
for key in ("RemovableVolumes", "NetworkVolumes", "DesktopFolder", "DocumentsFolder", "DownloadsFolder"):
    assert info[f"NS{key}UsageDescription"].endswith("."), key
[document] = info["CFBundleDocumentTypes"]
# Never the program that a double-click on any JSON file starts.
assert (document["CFBundleTypeRole"], document["LSHandlerRank"]) == ("Viewer", "Alternate"), document

icon = (contents / "Resources" / f"{info['CFBundleIconFile']}.icns").read_bytes()
kind, length = struct.unpack(">4sI", icon[:8])
assert (kind, length) == (b"icns", len(icon)), (kind, length)
print(f"macOS: the app's folder, Info.plist and icon are whole ({pathlib.Path(archive).stat().st_size / 1e6:.1f} MB)")
PYTHON

if [[ $(uname) == Darwin ]]; then
  ditto -x -k "$1" "$work/mac"
  app=$work/mac/CommitMark.app
  codesign --verify --strict "$app"
  plutil -lint "$app/Contents/Info.plist"
  [[ $(lipo -archs "$app/Contents/MacOS/commitmark" | tr ' ' '\n' | sort | xargs) == "arm64 x86_64" ]]
  COMMITMARK_DATA=$work/data "$app/Contents/MacOS/commitmark" info
  mkdir "$work/tested"
  COMMITMARK_DATA=$work/data "$app/Contents/MacOS/commitmark" run --only flush --dir "$work/tested"
fi
