#!/usr/bin/env bash
# The exported page in a real browser, headless Chromium: light and dark, wide and narrow, and printed. Measures a small
# result itself. Takes about a minute.
#
#   html.sh PICTURES [PROGRAM]     PICTURES is a folder for screenshots and the printed page; PROGRAM is
#                                  target/debug/commitmark without being named
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

"$here/../../dist/need.sh" chromium python3

mkdir -p "$1"
pictures=$(realpath "$1")
program=$(realpath "${2:-${CARGO_TARGET_DIR:-$here/../../target}/debug/commitmark}")

# On a disk: the system's temporary folder is often in memory.
stage=$(mktemp -d /var/tmp/commitmark-html.XXXXXX)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/home" "$stage/tested"

# Where the system lets us, on a computer that is called like a person.
named=()
if unshare --uts true 2>/dev/null; then
  named=(unshare --uts sh -c 'hostname wilhelmines-pc && exec "$@"' sh)
fi

# The note is what a stranger's file could hold.
HOME=$stage/home USER=wilhelmine LOGNAME=wilhelmine COMMITMARK_DATA=$stage/data "${named[@]}" "$program" run --quiet --preset standard --dir "$stage/tested" \
  --only flush,inserts,contention,writers --inserts 30 --rounds 2 --seconds 1 \
  --note '</script><script>document.title="broken"</script> <img src="http://127.0.0.1:9/x"> "quoted" &amp;' \
  --json "$stage/result.json" --html "$stage/page.html" --csv "$stage/table.csv" --markdown "$stage/text.md" \
  --png "$stage/picture.png" >/dev/null
if grep -il wilhelmine "$stage"/*.*; then
  echo "These files name the computer or its user" >&2
  exit 1
fi

/usr/bin/python3 "$here/browser.py" "$stage" "$pictures"
