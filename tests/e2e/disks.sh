#!/usr/bin/env bash
# The real program on disks that a test cannot wish for: in memory, full, read-only, failing, lying and slow.
#
#   tests/e2e/disks.sh PROGRAM        as root on Linux; wants mount, strace, eatmydata and python3
set -euo pipefail
program=$(realpath "$1")
work=$(mktemp -d /var/tmp/commitmark-disks.XXXXXX)
export COMMITMARK_DATA=$work/data
mounted=
cleanup() {
  if [[ -n $mounted ]]; then umount "$work/disk"; fi
  rm -rf "$work"
}
trap cleanup EXIT
mkdir "$work/disk" "$work/folder"

fail() { echo "disks.sh: $*" >&2; exit 1; }

# has FILE CODE: the result FILE has a warning of this code.
has() {
  python3 - "$1" "$2" <<'X' || fail "no warning $2 in $(cat "$1" | head -c 300)"
import json, sys
report = json.load(open(sys.argv[1]))
warnings = report["warnings"] + [w for e in report["experiments"] for w in e["warnings"]]
sys.exit(sys.argv[2] not in [warning["code"] for warning in warnings])
X
}

# clean FOLDER: nothing of ours is left.
clean() { [[ -z $(find "$1" -mindepth 1 -name '.commitmark-*') ]] || fail "something is left in $1"; }

small=(--quiet --preset standard --only flush,inserts --inserts 30 --rounds 2)

mount -t tmpfs -o size=800m tmpfs "$work/disk"; mounted=1
"$program" run "${small[@]}" --dir "$work/disk" --json "$work/memory.json" >"$work/out"
has "$work/memory.json" memory
clean "$work/disk"
grep -q 'in memory' "$work/out" || fail "memory is not said"
echo "in memory: said"

mount -o remount,size=100m "$work/disk"
code=0; "$program" run "${small[@]}" --dir "$work/disk" 2>"$work/err" || code=$?
[[ $code == 1 ]] || fail "too little room ended with $code"
grep -q 'too little room' "$work/err" || fail "too little room is not said: $(cat "$work/err")"
clean "$work/disk"
echo "too little room: said before anything is written"

mount -o remount,size=800m,ro "$work/disk"
code=0; "$program" run "${small[@]}" --dir "$work/disk" 2>"$work/err" || code=$?
[[ $code == 1 ]] || fail "read-only ended with $code"
grep -q 'Nothing can be written' "$work/err" || fail "read-only is not said: $(cat "$work/err")"
umount "$work/disk"; mounted=
echo "read-only: said"

# From the 400th sync of a process on each fails, as on a drive that is dying or was pulled out.
code=0
strace -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=EIO:when=400+ \
  "$program" run --quiet --preset standard --only inserts --inserts 20 --rounds 100 --dir "$work/folder" \
  --json "$work/eio.json" >"$work/out" 2>"$work/err" || code=$?
[[ $code == 1 ]] || fail "a failing drive ended with $code"
grep -q 'The drive gave an error' "$work/err" || fail "a failing drive is not said: $(cat "$work/err")"
grep -q 'DELETE, FULL' "$work/out" || fail "what was measured before the failure is not shown"
if grep -q panicked "$work/err"; then fail "a failing drive made it panic"; fi
clean "$work/folder"
echo "failing: said, and what was measured is shown"

eatmydata "$program" run "${small[@]}" --dir "$work/folder" --json "$work/liar.json" >/dev/null
has "$work/liar.json" syncs_missing
clean "$work/folder"
echo "lying: said"

# Each sync takes 8 ms more, as on a hard disk: Quick still ends within its minute, its file included.
start=$SECONDS
strace -f -qq -o /dev/null -e trace=fsync,fdatasync -e inject=fsync,fdatasync:delay_exit=8000 \
  "$program" run --quiet --dir "$work/folder" --json "$work/slow.json" >/dev/null
took=$((SECONDS - start))
python3 - "$work/slow.json" <<'X'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["status"] == "complete", report["status"]
assert report["wall_seconds"] <= 60, report["wall_seconds"]
flush = next(e for e in report["experiments"] if e["id"] == "flush")
assert all(s["p50_us"] >= 8000 for c in flush["cases"] for s in c["samples"]), "the floor is below the delay"
X
echo "slow: Quick took $took s"
