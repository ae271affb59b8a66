#!/usr/bin/env bash
# Runs the Windows program's terminal commands under Wine and checks the result it saves.
#
#   try.sh EXE
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
program=$(realpath "$1")
# On a disk: the system's temporary folder is often in memory.
folder=$(mktemp -d /var/tmp/commitmark-wine.XXXXXX)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tested" "$folder/data"

# What Explorer shows and Windows obeys is in the file, no console opens beside the window, and no library of the
# compiler's is wanted that Windows does not have.
x86_64-w64-mingw32-objdump -p "$program" > "$folder/headers.txt"
grep -q '^Subsystem.*(Windows GUI)' "$folder/headers.txt" || { echo "A console would open beside the window" >&2; exit 1; }
if grep -i 'DLL Name: lib' "$folder/headers.txt"; then echo "Windows has no such library" >&2; exit 1; fi
x86_64-w64-mingw32-windres -O rc "$program" "$folder/resources.rc"
for resource in RT_GROUP_ICON VERSIONINFO RT_MANIFEST; do
  grep -q "$resource" "$folder/resources.rc" || { echo "Missing in the program: $resource" >&2; exit 1; }
done
for words in PerMonitorV2 longPathAware asInvoker; do
  grep -qa "$words" "$program" || { echo "The manifest does not say: $words" >&2; exit 1; }
done

# Wine shows this system's files as drive Z:.
commitmark() { COMMITMARK_DATA="Z:$folder/data" "$here/build.sh" wine "$program" "$@"; }

commitmark info --dir "Z:$folder/tested" --json > "$folder/info.json"
commitmark run --dir "Z:$folder/tested" --inserts 50 --rounds 2 --seconds 1 --quiet --json "Z:$folder/result.json"

code=0
commitmark run --dir "Z:$folder/nowhere" --quiet 2> "$folder/error.txt" || code=$?
[[ $code == 1 ]] || { echo "A missing folder gave exit code $code, not 1" >&2; exit 1; }
grep -q "There is no such folder" "$folder/error.txt"

python3 - "$folder" <<'PYTHON'
import json, pathlib, sys

folder = pathlib.Path(sys.argv[1])
info = json.loads((folder / "info.json").read_text(encoding="utf-8"))
result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
for facts in (info, result):
    assert "Windows" in facts["machine"]["os"], facts["machine"]
    assert facts["volume"]["free_bytes"] > 0, facts["volume"]
    assert facts["sqlite"]["sync_call"] == "FlushFileBuffers", facts["sqlite"]
assert result["status"] == "complete", result["status"]

experiments = {one["id"]: {case["name"]: case for case in one["cases"]} for one in result["experiments"]}
assert {"inserts", "contention"} <= experiments.keys(), experiments.keys()
# A Windows commit flushes the journal twice and the database once; NORMAL flushes the journal once.
for name, syncs in {"delete/full": 3, "delete/normal": 2, "wal/full": 1, "wal/normal": 0}.items():
    samples = experiments["inserts"][name]["samples"]
    assert len(samples) == 2, (name, samples)
    for sample in samples:
        assert sample["operations"] == 50, (name, sample)
        assert sample["syncs"] == 50 * syncs, (name, sample)

left = list((folder / "tested").iterdir())
assert not left, left
assert len(list((folder / "data" / "results").iterdir())) == 1
print("Windows under Wine: info and run, exit codes, syncs for each save, no file left behind")
PYTHON
