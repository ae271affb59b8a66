#!/usr/bin/env bash
# The window under Wayland, without X: on a screen that nobody sees, and on one with a mouse, where a Quick run is started
# and the window is closed with its own button. Takes about two minutes.
#
#   wayland.sh PICTURE PROGRAM     PICTURE gets the finished run as PNG
#
# The screen with a mouse is weston drawn into a virtual X screen; CommitMark itself is not told about X.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
"$here/../../dist/need.sh" weston xvfb xdotool imagemagick tesseract-ocr tesseract-ocr-eng \
  libgl1 libgl1-mesa-dri libegl1 libwayland-egl1 libxkbcommon0
picture=$(realpath "$1") program=$(realpath "$2")

# On a disk: the system's temporary folder is often in memory.
stage=$(mktemp -d /var/tmp/commitmark-wayland.XXXXXX)
mkdir -m 700 "$stage/run" "$stage/home"
export XDG_RUNTIME_DIR=$stage/run HOME=$stage/home LIBGL_ALWAYS_SOFTWARE=1
unset DISPLAY WAYLAND_DISPLAY XDG_DATA_HOME XDG_CONFIG_HOME
started=()
clean_up() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$stage"
}
trap clean_up EXIT

fail() {
  echo "wayland.sh: $*" >&2
  tail -5 "$stage"/*.log "$stage"/*/logs/* >&2 2>/dev/null || true
  exit 1
}

# wait_until SECONDS WHAT COMMAND...: tries until it succeeds.
wait_until() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    [[ $SECONDS -lt $end ]] || fail "not seen in time: $what"
    sleep 0.3
  done
}

# weston_on NAME OPTION...: a compositor whose clients find it under NAME.
weston_on() {
  local name=$1
  shift
  weston --socket="$name" --no-config --idle-time=0 --log="$stage/$name.log" "$@" 2>/dev/null &
  started+=($!)
  wait_until 20 "weston" test -S "$stage/run/$name"
}

# open NAME: the window on that compositor, drawn with its own data folder.
open() {
  WAYLAND_DISPLAY=$1 COMMITMARK_DATA=$stage/$1-data WAYLAND_DEBUG=1 "$program" 2>"$stage/$1.protocol" &
  window=$!
  started+=("$window")
  wait_until 60 "three frames" drawn "$1"
}
# A commit hands a frame to the compositor; after three, CommitMark removes the file that says which renderer starts.
drawn() {
  kill -0 "$window" 2>/dev/null || fail "the program ended: $(tail -3 "$stage/$1.protocol")"
  [[ $(grep -c 'wl_surface.*commit()' "$stage/$1.protocol") -ge 3 && ! -e $stage/$1-data/starting-with ]]
}

weston_on unseen --backend=headless-backend.so --width=1280 --height=900
open unseen
kill "$window"
wait "$window" 2>/dev/null || true
if grep -q 'opens no window' "$stage/unseen-data/logs/"*; then fail "a renderer did not open"; fi
echo "Wayland, on a screen that nobody sees: three frames and no error"

# The screen is larger than weston: the mouse has a place beside it.
Xvfb -displayfd 3 -screen 0 1300x920x24 -nolisten tcp -noreset 3>"$stage/display" 2>/dev/null &
started+=($!)
wait_until 10 "the screen" test -s "$stage/display"
screen=:$(<"$stage/display")
shoot() { DISPLAY=$screen import -window root -strip "$1"; }
mouse() { DISPLAY=$screen xdotool "$@"; }
# weston follows the mouse by how far it moves, from a place that it may have missed; only when the mouse comes in from
# beside it does it learn where it is.
press() {
  mouse mousemove 1290 910
  sleep 0.3
  mouse mousemove "$@"
  sleep 0.3
  mouse click 1
}
DISPLAY=$screen weston_on seen --backend=x11-backend.so --width=1280 --height=900
sleep 2
shoot "$stage/before.png"
open seen
sleep 1

look() {
  shoot "$stage/screen.png"
  place=$(python3 "$here/find_words.py" "$stage/screen.png" "$@")
}
click() {
  wait_until 60 "the words \"$*\"" look "$@"
  # shellcheck disable=SC2086 # two numbers
  press $place
  sleep 0.5
}
results=$stage/seen-data/results
complete() { grep -qs '"status": *"complete"' "$results"/*.commitmark.json; }

# What differs from the empty screen is the window. Its own button to close it is in the corner at the top right.
shoot "$stage/screen.png"
box=$(convert "$stage/before.png" "$stage/screen.png" -compose difference -composite -threshold 8% -format '%@' info:)
click Quick
click Start test
wait_until 60 "the run has begun" look Stop
wait_until 300 "a complete result" complete
wait_until 60 "the finished run" look Run again
shoot "$picture"
IFS='x+' read -r width _ left top <<< "$box"
press $((left + width - 22)) $((top + 20))
ended() { ! kill -0 "$window" 2>/dev/null; }
wait_until 20 "the window closed" ended
code=0
wait "$window" || code=$?
[[ $code == 0 ]] || fail "the program ended with exit code $code"
left_files=$(find "$HOME" -name '.commitmark-*')
[[ -z $left_files ]] || fail "left behind: $left_files"
echo "Wayland, with a mouse: opened, measured, closed"
