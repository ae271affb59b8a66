"""Uses CommitMark's window as a person does. Called by window.sh, which sets the stage (screen, home, session bus).

    window.py PROGRAM PICTURE
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

# A Quick run takes a minute at most; a busy machine gets five.
SECONDS_FOR_A_RUN = 300
# Starting with software graphics takes two or three seconds.
SECONDS_FOR_A_SCREEN = 60


def wait_for(what, look, seconds=SECONDS_FOR_A_SCREEN, still_there=lambda: True):
    """Looks again and again until there is something to return."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        if not still_there():
            sys.exit(f"The program ended while the test waited for: {what}")
        time.sleep(0.3)
    sys.exit(f"Not seen within {seconds} seconds: {what}")


def xdotool(*words):
    return subprocess.run(["xdotool", *map(str, words)], check=True, capture_output=True, text=True).stdout.split()


class Window:
    """A running CommitMark."""

    def __init__(self, program, *files):
        self.process = subprocess.Popen([program, *files], stdin=subprocess.DEVNULL)
        self.id = self.wait_for("the window", self.find_window)
        xdotool("windowactivate", "--sync", self.id)

    def wait_for(self, what, look, seconds=SECONDS_FOR_A_SCREEN):
        return wait_for(what, look, seconds, lambda: self.process.poll() is None)

    def find_window(self):
        words = ["search", "--onlyvisible", "--all", "--pid", str(self.process.pid), "--name", "^CommitMark$"]
        found = subprocess.run(["xdotool", *words], capture_output=True, text=True).stdout.split()
        return found[0] if found else None

    def controls(self):
        """Everything that a screen reader can reach, in reading order."""
        desktop = Atspi.get_desktop(0)
        waiting = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
        waiting = [app for app in waiting if app and app.get_process_id() == self.process.pid]
        while waiting:
            node = waiting.pop(0)
            yield node
            # What was just removed from the window comes as None.
            children = [node.get_child_at_index(index) for index in range(node.get_child_count())]
            waiting = [child for child in children if child] + waiting

    def look_for(self, matches):
        try:
            for node in self.controls():
                node.clear_cache()
                if matches(node):
                    return node
        except GLib.Error:
            # The window changed while it was read: the next look sees the new one.
            pass
        return None

    def control(self, name, seconds=SECONDS_FOR_A_SCREEN):
        """The control that can be used and whose name is this, or begins with it and a colon."""

        def matches(node):
            said = node.get_name() or ""
            states = node.get_state_set()
            usable = states.contains(Atspi.StateType.ENABLED) and states.contains(Atspi.StateType.FOCUSABLE)
            return usable and (said == name or said.startswith(name + ":"))

        return self.wait_for(f"the control \"{name}\"", lambda: self.look_for(matches), seconds)

    def says(self, sentence):
        """Waits until these words stand in the window."""

        def matches(node):
            has_text = "Text" in node.get_interfaces()
            said = Atspi.Text.get_text(node, 0, -1) if has_text else node.get_name()
            return sentence in (said or "")

        self.wait_for(f"the words \"{sentence}\"", lambda: self.look_for(matches))

    def click(self, name, seconds=SECONDS_FOR_A_SCREEN):
        box = self.control(name, seconds).get_extents(Atspi.CoordType.WINDOW)
        xdotool("mousemove", "--window", self.id, box.x + box.width // 2, box.y + box.height // 2)
        time.sleep(0.2)
        xdotool("click", 1)
        time.sleep(0.5)

    def type_into(self, name, text):
        self.click(name)
        xdotool("key", "ctrl+a")
        xdotool("type", "--delay", 20, text)

    def photograph(self, picture):
        # Nothing is to look as if the pointer were on it.
        xdotool("mousemove", "--window", self.id, 60, 500)
        time.sleep(2)
        subprocess.run(["import", "-window", self.id, "-strip", "-define", "png:compression-level=9", picture], check=True)

    def peak_megabytes(self):
        """The most memory it has had, without the processor's stand-in for a graphics card, which is none of its own."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(peak.split()[1]) / 1024

    def ask_to_close(self):
        xdotool("windowactivate", "--sync", self.id, "key", "alt+F4")

    def wait_for_end(self):
        try:
            code = self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            sys.exit("The window did not close")
        if code != 0:
            sys.exit(f"The program ended with exit code {code}")

    def close(self):
        self.ask_to_close()
        self.wait_for_end()


def check_result(file):
    """Returns the result, which must be whole."""
    result = json.loads(file.read_text(encoding="utf-8"))
    assert result["format"] == "commitmark-result", result["format"]
    assert result["status"] == "complete", result["status"]
    assert result["plan"]["preset"] == "quick", result["plan"]["preset"]
    assert result["volume"]["path"] == "~/Apps", result["volume"]["path"]
    cases = {one["id"]: {case["name"]: case for case in one["cases"]} for one in result["experiments"]}
    assert {"flush", "inserts", "contention"} <= cases.keys(), cases.keys()
    for name in ["delete/full", "delete/normal", "wal/full", "wal/normal"]:
        assert cases["inserts"][name]["samples"], f"{name} has no sample"
    return result


def main():
    program, picture = sys.argv[1:]
    home = Path(os.environ["HOME"])
    results = Path(os.environ["COMMITMARK_DATA"]) / "results"
    tested = home / "Apps"
    tested.mkdir()
    (tested / "mine.txt").write_text("must stay")

    servants = [
        subprocess.Popen(["openbox"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL),
        subprocess.Popen(
            ["/usr/libexec/at-spi-bus-launcher", "--launch-immediately", "--a11y=1", "--screen-reader=1"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ),
    ]
    windows = []
    try:
        time.sleep(1)
        windows.append(Window(program))
        window = windows[-1]
        window.type_into("Folder to test", str(tested))
        window.click("Quick")
        window.click("Start test")
        window.control("Stop")
        window.control("Run again", SECONDS_FOR_A_RUN)
        window.says("Temporary files removed")
        window.photograph(picture)
        peak = window.peak_megabytes()
        print(f"most memory of the window: {peak:.0f} MB")
        window.close()

        kept = list(results.glob("*.commitmark.json"))
        assert len(kept) == 1, kept
        check_result(kept[0])
        left = sorted(path.name for path in tested.iterdir())
        assert left == ["mine.txt"], left

        windows.append(Window(program, str(kept[0])))
        window = windows[-1]
        window.control("Run again")
        window.says("On this drive")
        # A result that came from a file names no folder to write to: the person does.
        window.click("Run again")
        window.type_into("Folder to test", str(tested))
        window.click("Start test")
        window.control("Stop")
        time.sleep(3)
        window.ask_to_close()
        window.click("Stop and close")
        window.wait_for_end()
        left = sorted(path.name for path in tested.iterdir())
        assert left == ["mine.txt"], left
        states = [json.loads(file.read_text(encoding="utf-8"))["status"] for file in results.glob("*.commitmark.json")]
        assert sorted(states) == ["cancelled", "complete"], states
    finally:
        for process in [window.process for window in windows] + servants:
            if process.poll() is None:
                process.terminate()
    print("the window: a folder was typed, a Quick run measured, kept, shown and opened again")


main()
