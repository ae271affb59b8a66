"""Measures how long CommitMark takes to its first frame, against an empty window of the same toolkit and renderer.

    first_frame.py PROGRAM EMPTY [LIMIT]      EMPTY is examples/empty_window.rs, built like PROGRAM
                                              LIMIT: exit code 1 if CommitMark takes more than so many times as long

The windows take turns on a Wayland screen that nobody sees, which says when a frame is handed to it.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TURNS = 9
# The window's own surface; its title bar and its edges are others.
WINDOW = re.compile(r"get_xdg_surface\(.*, wl_surface[@#](\d+)\)")
FRAME = re.compile(r"wl_surface[@#](\d+)\.attach\(wl_buffer")


def seconds_to_first_frame(command, environment):
    start = time.monotonic()
    window = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        surface = None
        for line in window.stderr:
            if found := WINDOW.search(line):
                surface = found[1]
            elif (found := FRAME.search(line)) and found[1] == surface:
                return time.monotonic() - start
        sys.exit(f"No frame came: {command}")
    finally:
        window.kill()
        window.stderr.close()
        window.wait()


def main():
    program, empty = sys.argv[1:3]
    limit = float(sys.argv[3]) if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="commitmark-frame.") as stage:
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_SOCKET")}
        environment |= {
            "XDG_RUNTIME_DIR": stage,
            "HOME": stage,
            "COMMITMARK_DATA": f"{stage}/data",
            "WAYLAND_DISPLAY": "unseen",
            "WAYLAND_DEBUG": "1",
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        os.chmod(stage, 0o700)
        weston = subprocess.Popen(
            ["weston", "--backend=headless-backend.so", "--socket=unseen", "--no-config", "--idle-time=0"],
            env={name: value for name, value in environment.items() if not name.startswith("WAYLAND")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            end = time.monotonic() + 20
            while not Path(stage, "unseen").exists():
                if time.monotonic() > end:
                    sys.exit("weston did not start")
                time.sleep(0.1)
            windows = {"CommitMark": [program, "--renderer", "glow"], "an empty window": [empty]}
            # The first start of each reads the program from the disk and is not counted.
            for command in windows.values():
                seconds_to_first_frame(command, environment)
            times = {name: [] for name in windows}
            for _ in range(TURNS):
                for name, command in windows.items():
                    times[name].append(seconds_to_first_frame(command, environment))
        finally:
            weston.terminate()
            weston.wait()
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["CommitMark"] / medians["an empty window"]
    said = ", ".join(f"{name} {median * 1000:.0f} ms" for name, median in medians.items())
    print(f"first frame: {said}: {ratio:.2f} times")
    if limit is not None and ratio > limit:
        sys.exit(f"CommitMark's first frame takes more than {limit} times as long as that of an empty window")


main()
