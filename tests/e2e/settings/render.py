"""Fills a snippet in, as the program does, for settings that no answer of a person leads to.

    render.py SNIPPET JOURNAL_MODE SYNCHRONOUS BUSY_TIMEOUT_MS
"""

import sys
from pathlib import Path

snippet, journal_mode, synchronous, busy_timeout_ms = sys.argv[1:]
values = {
    "__JOURNAL_MODE__": journal_mode,
    "__JOURNAL_MODE_CAPITALISED__": journal_mode.capitalize(),
    "__JOURNAL_MODE_LOWER__": journal_mode.lower(),
    "__SYNCHRONOUS__": synchronous,
    "__SYNCHRONOUS_CAPITALISED__": synchronous.capitalize(),
    "__SYNCHRONOUS_NUMBER__": str(["OFF", "NORMAL", "FULL", "EXTRA"].index(synchronous)),
    "__BUSY_TIMEOUT_MS__": busy_timeout_ms,
    "__BUSY_TIMEOUT_SECONDS__": f"{int(busy_timeout_ms) / 1000:g}",
}
code = Path(snippet).read_text()
for placeholder, value in values.items():
    code = code.replace(placeholder, value)
print(code, end="")
