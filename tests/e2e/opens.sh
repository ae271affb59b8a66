#!/usr/bin/env bash
# Whether the window opens where it can and says why where it cannot: without a screen, without a graphics card, with a
# renderer that fails or that crashed the last start. Then what an open window costs, and that nothing asks the network.
#
#   opens.sh PROGRAM        on Linux; takes about a minute
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
"$here/../../dist/need.sh" xvfb openbox xdotool strace libgl1 libgl1-mesa-dri libegl1 libvulkan1 mesa-vulkan-drivers \
  libxkbcommon-x11-0 libxcursor1 libxi6
program=$(realpath "$1")

# On a disk: the system's temporary folder is often in memory.
stage=$(mktemp -d /var/tmp/commitmark-opens.XXXXXX)
mkdir -m 700 "$stage/run" "$stage/home" "$stage/home/Apps"
export HOME=$stage/home XDG_RUNTIME_DIR=$stage/run LIBGL_ALWAYS_SOFTWARE=1
# Only what is set below decides which screen and which renderer are found, and no dialog service answers.
unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET COMMITMARK_RENDERER XDG_DATA_HOME DBUS_SESSION_BUS_ADDRESS
started=()
clean_up() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  rm -rf "$stage"
}
trap clean_up EXIT

fail() {
  echo "opens.sh: $*" >&2
  tail -n 5 "$COMMITMARK_DATA"/logs/* "$stage/stderr" >&2 2>/dev/null || true
  exit 1
}
# case_named NAME: begins with nothing remembered.
case_named() {
  name=$1
  export COMMITMARK_DATA=$stage/data-$1
  mkdir "$COMMITMARK_DATA"
}
said() { grep -q "$1" "$stage/stderr" || fail "$name: not said: $1"; }
logged() { grep -qs "$1" "$COMMITMARK_DATA"/logs/*; }

# screen_with OPTION...: a screen of its own, with a window manager that can close a window.
screen_with() {
  rm -f "$stage/display"
  # A screen that loses its last client for a moment would begin anew and turn the next one away.
  Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp -noreset "$@" 3>"$stage/display" 2>/dev/null &
  started+=($!)
  for _ in {1..100}; do
    [[ -s $stage/display ]] && break
    sleep 0.1
  done
  DISPLAY=:$(<"$stage/display")
  export DISPLAY
  openbox >/dev/null 2>&1 &
  started+=($!)
}

# opens COMMAND...: the window comes, shows three frames, and is closed by alt+F4.
show() {
  "$@" 2>"$stage/stderr" &
  process=$!
  started+=("$process")
  window=
  for _ in {1..240}; do
    window=$(xdotool search --onlyvisible --name '^CommitMark$' 2>/dev/null | head -1) || true
    # The file that names the renderer goes after the third frame.
    [[ -n $window && ! -e $COMMITMARK_DATA/starting-with ]] && return
    kill -0 "$process" 2>/dev/null || fail "$name: the program ended"
    sleep 0.25
  done
  fail "$name: no window"
}
close() {
  xdotool windowactivate --sync "$window" key alt+F4
  local code=0
  wait "$process" || code=$?
  [[ $code == 0 ]] || fail "$name: exit code $code"
  [[ ! -e $COMMITMARK_DATA/starting-with ]] || fail "$name: the marker was left behind"
}
# refuses COMMAND...: no window, exit code 1, and a sentence that names what works instead.
refuses() {
  local code=0
  timeout 60 "$@" 2>"$stage/stderr" || code=$?
  [[ $code == 1 ]] || fail "$name: exit code $code, not 1"
  said 'No window could be opened'
  said 'Run "commitmark run" in a terminal'
  if grep -q panicked "$stage/stderr"; then fail "$name: it panicked"; fi
  [[ ! -e $COMMITMARK_DATA/starting-with ]] || fail "$name: the marker was left behind"
}
# No Vulkan driver can be found; no OpenGL can be found, whichever way it is asked for.
without_vulkan=(env VK_DRIVER_FILES=/nowhere VK_ICD_FILENAMES=/nowhere)
without_opengl=(env __EGL_VENDOR_LIBRARY_FILENAMES=/nowhere __EGL_VENDOR_LIBRARY_DIRS=/nowhere)

case_named no-screen
refuses "$program"
said 'there is no screen here'
echo "no screen: said, exit code 1"

screen_with
case_named no-graphics-card
show "$program"
close
if logged 'opens no window'; then fail "$name: a renderer failed"; fi
echo "no graphics card: opened by the processor"

for renderer in glow wgpu; do
  case_named "asked-for-$renderer"
  show "$program" --renderer "$renderer"
  close
  show env "COMMITMARK_RENDERER=$renderer" "$program"
  close
  if logged 'opens no window'; then fail "$name: it failed"; fi
done
echo "either renderer: opened when asked for, by option and by variable"

case_named driver-crashed
echo glow > "$COMMITMARK_DATA/starting-with"
show "${without_vulkan[@]}" "$program"
close
logged 'Wgpu opens no window' || fail "$name: the renderer that crashed was not tried last"
show "${without_vulkan[@]}" "$program"
close
[[ $(cat "$COMMITMARK_DATA"/logs/* | grep -c 'Wgpu opens no window') == 1 ]] || fail "$name: the next start did not begin with OpenGL again"
echo "a driver crashed the last start: the other renderer was tried first, failed, and the window opened all the same"

case_named killed-while-starting
show "$program" --renderer glow
kill -KILL "$process"
wait "$process" 2>/dev/null || true
[[ ! -e $COMMITMARK_DATA/starting-with ]] || fail "$name: a window that was shown counts as a crash"
echo "killed while open: not taken for a crash of the driver"

case_named idle
show "$program"
sleep 5
# Fields 14 and 15: time in user and system mode, in ticks of 1/100 second.
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$process/stat"; }
before=$(ticks)
sleep 20
idle=$(($(ticks) - before))
memory=$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$process/status")
close
[[ $idle -le 4 ]] || fail "$name: an open window took $idle ticks of the processor in 20 s"
echo "idle: $((idle * 10)) ms of the processor in 20 s, $memory MB of memory"

# Unix sockets are the screen and the desktop's services; netlink is the kernel.
quiet_on_the_network() {
  local calls
  calls=$(grep -E '(socket|connect|bind|sendto|sendmsg)\(' "$stage/network" | grep -E 'AF_INET|AF_PACKET|sin6?_addr|\bIPPROTO_' || true)
  [[ -z $calls ]] || fail "$name: the network was asked: $calls"
  [[ -s $stage/network ]] || fail "$name: strace saw no socket at all"
}
trace=(strace -f -qq -o "$stage/network" -e "trace=network" --)
case_named network-of-the-window
# The window's process is strace's child.
show "${trace[@]}" "$program"
sleep 2
xdotool windowactivate --sync "$window" key alt+F4
wait "$process"
quiet_on_the_network
case_named network-of-a-run
# A run has no reason for any socket; one that is certain to be seen proves that strace watches.
"${trace[@]}" sh -c 'python3 -c "import socket; socket.socket(socket.AF_UNIX)"; exec "$0" run --quiet --only flush,inserts --preset standard --inserts 20 --rounds 2 --dir "$1"' \
  "$program" "$HOME/Apps" >/dev/null
quiet_on_the_network
echo "network: never asked, by the window and by a run"

screen_with -extension GLX
case_named first-renderer-fails
show "${without_opengl[@]}" "$program"
close
logged 'Glow opens no window' || fail "$name: OpenGL was not tried first"
echo "the first renderer fails: the second opened the window"

case_named nothing-works
refuses "${without_opengl[@]}" "${without_vulkan[@]}" "$program"
said 'OpenGL does not work here'
said 'The log is here'
logged 'Wgpu opens no window' || fail "$name: the second renderer was not tried"
echo "no renderer works: said, exit code 1"
