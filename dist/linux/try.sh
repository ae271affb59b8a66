#!/usr/bin/env bash
# Installs the Linux downloads in a new, minimal Debian 12, uses them as an ordinary user, removes them, and proves that
# nothing is left. Wants root and takes about three minutes.
#
#   try.sh setup              installs what it wants
#   try.sh OUT [PICTURE]      OUT as package.sh made it; PICTURE gets the window as PNG
#
# The screen is this system's; everything that CommitMark itself loads comes from the new Debian, so a library that the
# package forgot to ask for is missing there.
set -euo pipefail
if [[ ${COMMITMARK_TRY:-} != apart ]]; then
  # What is mounted below goes with this process, however it ends.
  COMMITMARK_TRY=apart exec unshare --mount --propagation private "$(realpath "$0")" "$@"
fi
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
"$here/../need.sh" debootstrap eatmydata desktop-file-utils appstream rpm xvfb openbox xdotool imagemagick
[[ $1 != setup ]] || exit 0
deb=$(realpath "$1"/*.deb) rpm=$(realpath "$1"/*.rpm) tar=$(realpath "$1"/*.tar.gz)
picture=${2:+$(realpath "$2")}

work=$(mktemp -d /var/tmp/commitmark-debian.XXXXXX)
system=$work/system
started=()
clean_up() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  wait
  for mounted in proc sys; do
    if mountpoint -q "$system/$mounted"; then umount --lazy "$system/$mounted"; fi
  done
  rm -rf --one-file-system "$work"
}
trap clean_up EXIT

step() { printf '%4d s  %s\n' "$SECONDS" "$*"; }
fail() { echo "try.sh: $*" >&2; exit 1; }

# there COMMAND...: runs it in the new system as root; as_user COMMAND...: as somebody who just logged in.
there() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() {
  chroot --userspec=person:person "$system" /usr/bin/env -i -C /home/person PATH=/usr/local/bin:/usr/bin:/bin \
    HOME=/home/person LC_ALL=C.UTF-8 DISPLAY="${screen:-}" "$@"
}

# Every file's name, and the contents of those that a package may touch; without the books of apt and dpkg.
inventory() {
  (
    cd "$system"
    find . -xdev \( -path ./proc -o -path ./sys -o -path ./tmp -o -path ./var/log -o -path './var/cache/apt' -o \
      -path ./var/lib/apt -o -path './var/lib/dpkg/*-old' -o -path ./var/cache/ldconfig \) -prune -o -print
    find usr etc home -xdev -type f -print0 | xargs -0 md5sum
  ) | LC_ALL=C sort
}

step "The files that desktops read are valid"
mkdir "$work/unpacked"
dpkg-deb -x "$deb" "$work/unpacked"
desktop-file-validate "$work/unpacked/usr/share/applications/commitmark.desktop"
appstreamcli validate --no-net --pedantic \
  "$work/unpacked/usr/share/metainfo/io.github.commitmark.commitmark.metainfo.xml" >/dev/null
appstreamcli validate-tree --no-net "$work/unpacked" >/dev/null

step "A new Debian 12"
eatmydata debootstrap --variant=minbase bookworm "$system" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} > "$work/log" 2>&1 ||
  { tail -20 "$work/log" >&2; fail "debootstrap failed"; }
mount -t proc proc "$system/proc"
mount --bind /sys "$system/sys"
there useradd --create-home --shell /bin/bash person
install -d -o 1000 -g 1000 "$system/home/person/Apps"
cp "$deb" "$system/tmp/commitmark.deb"
# Unpacking in a throw-away system need not wait for the disk.
echo force-unsafe-io > "$system/etc/dpkg/dpkg.cfg.d/quick"
depends=$(dpkg-deb -f "$deb" Depends | sed -e 's/([^)]*)//g' -e 's/|[^,]*//g' -e 's/,/ /g')
# What else every desktop has: it reads the entry, the type and the icons.
# shellcheck disable=SC2086 # one word for each package
there apt-get install -y -qq --no-install-recommends $depends desktop-file-utils shared-mime-info hicolor-icon-theme \
  > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; fail "what the package depends on could not be installed"; }
inventory > "$work/before"

step "The .deb is installed"
there dpkg -i /tmp/commitmark.deb > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; fail "the .deb was not installed"; }
grep -q 'application/x-commitmark-result+json:\*.commitmark.json' "$system/usr/share/mime/globs2" || fail "the type is not known"
grep -q '^application/x-commitmark-result+json=commitmark.desktop' "$system/usr/share/applications/mimeinfo.cache" ||
  fail "results do not open with CommitMark"
if grep '^application/json=' "$system/usr/share/applications/mimeinfo.cache"; then fail "every JSON file was taken over"; fi
version=$(as_user commitmark --version)
[[ $version == "commitmark $(dpkg-deb -f "$deb" Version)" ]] || fail "another version: $version"

step "A run in the terminal"
as_user commitmark run --only flush --dir /home/person/Apps --quiet --json /home/person/result.json > "$work/table"
grep -q '"status": *"complete"' "$system/home/person/result.json" || fail "the run is not complete"
rm "$system/home/person/result.json"
[[ -z $(ls -A "$system/home/person/Apps") ]] || fail "the run left something behind"

step "The window"
Xvfb -displayfd 3 -screen 0 1280x900x24 -nolisten tcp -noreset 3>"$work/display" 2>/dev/null &
started+=($!)
for _ in {1..100}; do
  [[ -s $work/display ]] && break
  sleep 0.1
done
screen=:$(<"$work/display")
DISPLAY=$screen openbox >/dev/null 2>&1 &
started+=($!)
as_user commitmark &
window_process=$!
started+=("$window_process")
export DISPLAY=$screen
window=
for _ in {1..240}; do
  window=$(xdotool search --onlyvisible --name '^CommitMark$' 2>/dev/null | head -1) && [[ -n $window ]] && break
  kill -0 "$window_process" 2>/dev/null || fail "the window's program ended"
  sleep 0.25
done
[[ -n $window ]] || fail "no window"
# The marker goes after the third frame that was really drawn.
marker=$system/home/person/.local/share/commitmark/starting-with
for _ in {1..240}; do
  [[ -e $marker ]] || break
  sleep 0.25
done
[[ -e $marker ]] && fail "the window shows nothing"
sleep 1
[[ -z $picture ]] || import -window "$window" -strip "$picture"
colours=$(import -window "$window" -strip txt:- | awk 'NR > 1 { seen[$3] = 1 } END { print length(seen) }')
[[ $colours -gt 30 ]] || fail "the window is empty: $colours colours"
xdotool windowactivate --sync "$window" key alt+F4
code=0
wait "$window_process" || code=$?
[[ $code == 0 ]] || fail "the window ended with exit code $code"

step "The .deb is removed"
there apt-get purge -y -qq commitmark > "$work/log" 2>&1
# What a person measured is theirs. It is all that may be there, and this is where the README says it is.
[[ $(ls "$system/home/person/.local/share") == commitmark ]] || fail "more than the results is in the home folder"
[[ $(ls "$system/home/person/.local/share/commitmark/results") == *.commitmark.json ]] || fail "the result is gone"
results=$(find "$system/home/person/.local/share/commitmark" -mindepth 1 -maxdepth 1 -printf '%f ')
rm -rf "$system/home/person/.local/share/commitmark"
rmdir -p "$system/home/person/.local/share" 2>/dev/null || true
# Mesa's own cache of shaders, like that of every program with a window.
rm -rf "$system/home/person/.cache"
inventory > "$work/after"
diff "$work/before" "$work/after" || fail "the .deb left something behind"

step "The .tar.gz for one person, and for everybody"
tar -xf "$tar" -C "$system/tmp"
folder=/tmp/$(basename "$tar" .tar.gz)
# try_tar WHO PREFIX: installs twice, as for a new version, and removes.
try_tar() {
  local who=$1 prefix=$2
  shift 2
  "$who" "$folder/install.sh" "$@" > "$work/log" 2>&1
  "$who" "$folder/install.sh" "$@" > "$work/log" 2>&1
  as_user "$prefix/bin/commitmark" --version | grep -qx "$version" || fail "not installed in $prefix"
  there desktop-file-validate "$prefix/share/applications/commitmark.desktop"
  grep -q '\*.commitmark.json' "$system$prefix/share/mime/globs2" || fail "the type is not known in $prefix"
  as_user find "$prefix" ! -readable | grep . && fail "not everybody can read $prefix"
  "$who" "$prefix/share/commitmark/uninstall.sh" > "$work/log" 2>&1
  inventory > "$work/after"
  diff "$work/before" "$work/after" || fail "the .tar.gz left something behind in $prefix"
}
as_user mkdir -p .local/share/applications 'my $apps & more'
inventory > "$work/before"
try_tar as_user /home/person/.local
try_tar there /usr/local
try_tar as_user "/home/person/my \$apps & more" --prefix "/home/person/my \$apps & more"

step "The .rpm, as far as Debian's rpm can: its files, unpacked and taken away again"
mkdir "$work/rpm"
rpm --root "$work/rpm" --nodeps --ignoreos -i "$rpm" 2> "$work/log"
(cd "$work/rpm" && ./usr/bin/commitmark --version) | grep -qx "$version" || fail "the .rpm has another program"
rpm --root "$work/rpm" --nodeps -e commitmark 2> "$work/log"
left=$(find "$work/rpm" ! -type d ! -path '*/var/lib/rpm/*' ! -path '*/.rpmdb/*' ! -path '*/rpmdb/*')
[[ -z $left ]] || fail "the .rpm left something behind: $left"

step "Linux: .deb, .tar.gz and .rpm were installed, used and removed without a trace; results stayed ($results)"
