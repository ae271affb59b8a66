"""Runs one driver of a settings snippet and checks from outside what the settings did.

    check.py FOLDER JOURNAL_MODE SYNCHRONOUS BUSY_TIMEOUT_MS COMMAND...

COMMAND runs in FOLDER, which becomes empty but for what the caller put there, opens app.db twice through the
snippet and talks in lines: "connection MODE LEVEL TIMEOUT" for each connection, as its pragmas read back, and
"lock" where it waits for a line while this program looks whether the write lock is taken: when both connections are
open and idle, in the writing transaction before its first write, and after the commit. It writes one row.
"""

import sqlite3
import subprocess
import sys
from pathlib import Path

LEVELS = {"OFF": 0, "NORMAL": 1, "FULL": 2, "EXTRA": 3}


def locked(path):
    """Whether somebody else holds the write lock."""
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_BUSY":
            raise
        return True
    finally:
        connection.close()
    return False


def prepare(path, journal_mode):
    """Makes the database, in another journal mode than the snippet asks for."""
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal_mode}")
    connection.execute("CREATE TABLE saved (id INTEGER PRIMARY KEY)")
    connection.close()


def conversation(folder, command):
    """What the driver says, with the answers about the lock in place."""
    driver = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    said = []
    for line in driver.stdout:
        line = line.strip()
        if line == "lock":
            line = "locked" if locked(folder / "app.db") else "free"
            driver.stdin.write("\n")
            driver.stdin.flush()
        said.append(line)
    if driver.wait() != 0:
        sys.exit(f"{command[0]} ended with {driver.returncode} after saying {said}")
    return said


def main():
    folder, journal_mode, synchronous, busy_timeout_ms, *command = sys.argv[1:]
    folder = Path(folder)
    prepare(folder / "app.db", "DELETE" if journal_mode == "WAL" else "WAL")
    connection = f"connection {journal_mode.lower()} {LEVELS[synchronous]} {busy_timeout_ms}"
    expected = [connection, connection, "free", "locked", "free"]
    said = conversation(folder, command)
    if said != expected:
        sys.exit(f"expected {expected}, but it was {said}")
    # Byte 18 of the header is the file format: 2 is WAL, which stays, 1 is a rollback journal.
    file_format = (folder / "app.db").read_bytes()[18]
    if file_format != (2 if journal_mode == "WAL" else 1):
        sys.exit(f"the file has format {file_format} after {journal_mode}")
    database = sqlite3.connect(folder / "app.db")
    if database.execute("SELECT count(*) FROM saved").fetchone() != (1,):
        sys.exit("the row that was written is not there")
    if database.execute("PRAGMA integrity_check").fetchone() != ("ok",):
        sys.exit("the database is damaged")


main()
