"""Prints the licences of everything that is built into the program, as they want to be handed on with it.

    licences.py [TARGET]      for this system, or for another, such as x86_64-pc-windows-gnu
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = re.compile(r"(licen[cs]e|copying|notice|copyright|unlicense|ofl)", re.IGNORECASE)


def built_in(target):
    """The packages that end up in the program: no build scripts, no tests."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting, seen = [metadata["resolve"]["root"]], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for needed in nodes[name]["deps"]:
            if any(kind["kind"] is None for kind in needed["dep_kinds"]):
                waiting.append(needed["pkg"])
    seen.remove(metadata["resolve"]["root"])
    return sorted((packages[name] for name in seen), key=lambda package: (package["name"], package["version"]))


def texts_of(package):
    folder = Path(package["manifest_path"]).parent
    for path in sorted(folder.iterdir()):
        if path.is_file() and TEXT.match(path.name) and path.suffix not in (".rs", ".json", ".html", ".toml"):
            yield path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()


def main():
    rustc = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = re.search(r"^host: (.*)$", rustc, re.MULTILINE)[1]
    packages = built_in(sys.argv[1] if len(sys.argv) > 1 else host)
    print("CommitMark is built from these packages. Each is under the licence named beside it; the texts follow.\n")
    users = defaultdict(list)
    for package in packages:
        name = f"{package['name']} {package['version']}"
        authors = ", ".join(re.sub(r" *<.*?>", "", author) for author in package["authors"])
        print(f"{name}: {package['license'] or 'see its text'}{', by ' + authors if authors else ''}")
        for text in texts_of(package):
            users[text].append(name)
    print("\nSQLite is in the public domain: https://sqlite.org/copyright.html")
    for text, names in users.items():
        print(f"\n{'=' * 78}\n{', '.join(names)}\n{'-' * 78}\n{text}")


main()
