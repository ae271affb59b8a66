#!/usr/bin/env bash
# The whole program as a person uses it: opens the window on a screen of its own, types a folder, presses Start test,
# waits for the result, checks the file it kept and the folder it tested, takes a picture, closes the window, and opens
# the kept file again. Takes about two minutes.
#
#   window.sh PICTURE [PROGRAM]     PICTURE is written as PNG; PROGRAM is target/debug/commitmark without being named
#
# The graphics are computed by the processor, so no graphics card is wanted. Every control is found by the name that a
# screen reader would say, and is then clicked with the mouse.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

"$here/../../dist/need.sh" xvfb openbox xdotool imagemagick dbus at-spi2-core gir1.2-atspi-2.0 python3-gi \
  libgl1 libgl1-mesa-dri libegl1 libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2

picture=$(realpath "$1")
program=$(realpath "${2:-${CARGO_TARGET_DIR:-$here/../../target}/debug/commitmark}")

# On a disk: the system's temporary folder is often in memory.
stage=$(mktemp -d /var/tmp/commitmark-e2e.XXXXXX)
screen=
session=
clean_up() {
  # The session's whole process group: the accessibility bus outlives who started it.
  [[ -z $session ]] || kill -- "-$session" 2>/dev/null || true
  [[ -z $screen ]] || kill "$screen" 2>/dev/null || true
  wait
  rm -rf "$stage"
}
trap clean_up EXIT

mkdir "$stage/home"
Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp -noreset 3>"$stage/display" 2>"$stage/screen.log" &
screen=$!
for _ in {1..100}; do
  [[ -s $stage/display ]] && break
  sleep 0.1
done
[[ -s $stage/display ]] || { cat "$stage/screen.log" >&2; echo "The screen did not start" >&2; exit 1; }

# With job control on, what is started in the background gets a process group of its own.
set -m
env -u WAYLAND_DISPLAY -u XDG_RUNTIME_DIR -u XDG_DATA_HOME -u XDG_CONFIG_HOME \
  DISPLAY=":$(<"$stage/display")" HOME="$stage/home" COMMITMARK_DATA="$stage/data" LIBGL_ALWAYS_SOFTWARE=1 \
  dbus-run-session -- /usr/bin/python3 "$here/window.py" "$program" "$picture" </dev/null &
session=$!
set +m
wait "$session"
