#!/usr/bin/env bash
# The whole life of an installed CommitMark under Wine, with a mouse: the installer's pages, the window that it opens, a
# Quick run, closing, removing. Then everything once more without questions. Takes about three minutes.
#
#   try-installer.sh setup             installs what it wants
#   try-installer.sh SETUP PICTURE     PICTURE gets the finished run as PNG
#
# What is clicked is found by reading the screen.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
"$here/../need.sh" wine wine64 gcc-mingw-w64-x86-64-win32 xvfb openbox xdotool imagemagick tesseract-ocr tesseract-ocr-eng \
  libgl1 libgl1-mesa-dri fonts-dejavu-core
[[ $1 != setup ]] || exit 0
setup=$(realpath "$1") picture=$(realpath "$2")

# On a disk: the system's temporary folder is often in memory.
work=$(mktemp -d /var/tmp/commitmark-installer.XXXXXX)
export WINEPREFIX=$work/wine LIBGL_ALWAYS_SOFTWARE=1
started=()
clean_up() {
  wineserver --kill 2>/dev/null || true
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap clean_up EXIT

step() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
fail() {
  import -window root "${picture%.png}-failed.png" 2>/dev/null || true
  echo "try-installer.sh: $*" >&2
  exit 1
}

# wait_until SECONDS WHAT COMMAND...: tries until it succeeds.
wait_until() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [[ $SECONDS -lt $end ]] || fail "not seen in time: $what"
    sleep 0.5
  done
}

look() {
  import -window root "$work/screen.png" 2>/dev/null
  place=$(python3 "$here/../../tests/e2e/find_words.py" "$work/screen.png" "$@")
}

# click WORD...: moves the mouse there and presses.
click() {
  wait_until 60 "the words \"$*\"" look "$@"
  # shellcheck disable=SC2086 # two numbers
  xdotool mousemove $place
  sleep 0.3
  xdotool click 1
  sleep 0.5
}

# As build.sh runs them, but without lending a library to each folder: what lies there is looked at below.
windows() { WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" wine "$@"; }

has_window() { xdotool search --onlyvisible --name "$1" >/dev/null 2>&1; }
has_no_window() { ! has_window "$1"; }
in_registry() { windows reg query "$@" >/dev/null 2>&1; }
kept() { find "$results" -name '*.commitmark.json' 2>/dev/null | wc -l; }
complete() { [[ $(kept) == 1 ]] && grep -q '"status": *"complete"' "$results"/*.commitmark.json; }

step "A new Windows"
Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp -noreset 3>"$work/display" 2>/dev/null &
started+=($!)
wait_until 10 "the screen" test -s "$work/display"
DISPLAY=:$(<"$work/display")
export DISPLAY
openbox >/dev/null 2>&1 &
started+=($!)
windows wineboot --init >/dev/null 2>&1
"$here/build.sh" lend "$work/wine/drive_c/windows/system32"
local_data=$(echo "$work"/wine/drive_c/users/*/AppData/Local)
[[ -d $local_data ]] || local_data=$(dirname "$(echo "$work"/wine/drive_c/users/*/AppData/Roaming)")/Local
installed=$local_data/Programs/CommitMark
results=$local_data/CommitMark/data/results
menu=$(dirname "$local_data")/Roaming/Microsoft/Windows/"Start Menu"/Programs/CommitMark.lnk

step "The installer, with the mouse"
windows "$setup" >/dev/null 2>&1 &
started+=($!)
wait_until 60 "the installer" has_window 'CommitMark Setup'
click Install
wait_until 60 "the end of the installer" look Finish
[[ -f $installed/commitmark.exe && -f $installed/uninstall.exe && -f $menu ]] || fail "not everything was installed"
in_registry 'HKCU\Software\Classes\Applications\commitmark.exe\SupportedTypes' /v .json || fail "no entry in Open with"
in_registry 'HKCU\Software\Classes\.json\OpenWithProgids' /v CommitMark.Result || fail "no entry in Open with for JSON"
if windows reg query 'HKCU\Software\Classes\.json' /ve 2>/dev/null | grep REG_SZ | grep -v 'value not set'; then fail "JSON files were taken over"; fi
click Finish

step "The window, opened by the installer, and a Quick run in it"
wait_until 60 "the window" has_window '^CommitMark$'
window=$(xdotool search --onlyvisible --name '^CommitMark$' | head -1)
click Quick
click Start test
# Reading the screen would disturb the measurement: the kept file says when it is done.
wait_until 300 "a complete result" complete
wait_until 60 "the finished run" look Run again
xdotool mousemove 60 600
sleep 2
import -window "$window" -strip "$picture"
xdotool windowactivate --sync "$window" key alt+F4
wait_until 30 "the window closed" has_no_window '^CommitMark$'
python3 - "$results"/*.commitmark.json <<'PYTHON'
import json, sys

result = json.load(open(sys.argv[1], encoding="utf-8"))
assert "Windows" in result["machine"]["os"], result["machine"]
assert result["plan"]["preset"] == "quick", result["plan"]
assert result["sqlite"]["sync_call"] == "FlushFileBuffers", result["sqlite"]
cases = {case["name"]: case for one in result["experiments"] if one["id"] == "inserts" for case in one["cases"]}
assert {"delete/full", "wal/full", "wal/normal"} <= cases.keys(), cases.keys()
assert all(case["samples"] for case in cases.values()), "a setting was not measured"
PYTHON

step "Removed, with the mouse: the results stay"
windows "$installed/uninstall.exe" >/dev/null 2>&1 &
started+=($!)
wait_until 60 "the uninstaller" has_window 'CommitMark Uninstall'
click Uninstall
# The dots around the button that has the keyboard make it unreadable; Enter presses it.
wait_until 60 "the end of the uninstaller" look Uninstallation Complete
xdotool key Return
wait_until 30 "the uninstaller closed" has_no_window 'CommitMark Uninstall'
is_removed() {
  [[ ! -e $installed ]] || fail "left behind: $(ls "$installed")"
  [[ ! -e $menu ]] || fail "the start menu still has it"
  for key in 'Classes\Applications\commitmark.exe' 'Classes\CommitMark.Result' \
    'Microsoft\Windows\CurrentVersion\Uninstall\CommitMark' 'Microsoft\Windows\CurrentVersion\App Paths\commitmark.exe'; do
    if in_registry "HKCU\\Software\\$key"; then fail "left in the registry: $key"; fi
  done
  if in_registry 'HKCU\Software\Classes\.json\OpenWithProgids' /v CommitMark.Result; then fail "still in Open with"; fi
}
is_removed
[[ $(kept) == 1 ]] || fail "the result is gone"

step "Installed and removed without questions: the results stay"
windows "$setup" /S >/dev/null 2>&1
windows "$installed/commitmark.exe" --version | grep -q '^commitmark [0-9]' || fail "it does not run"
# The uninstaller goes on in a copy of itself, since no program can delete itself: with _? it stays and is waited for.
remove_silently() {
  windows "$installed/uninstall.exe" /S "$@" >/dev/null 2>&1
  wait_until 30 "the folder gone" test ! -e "$installed"
  is_removed
}
remove_silently
[[ $(kept) == 1 ]] || fail "the result is gone"
windows "$setup" /S >/dev/null 2>&1
remove_silently /RESULTS=delete
[[ ! -e $local_data/CommitMark ]] || fail "the results stayed, though they were to go"

step "Windows under Wine: installed, opened, measured, removed; the results stayed until they were to go"
