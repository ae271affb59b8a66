"""Plain SQL: each statement of the snippet, up to the transaction, on two connections."""

import sqlite3
from pathlib import Path

from talk import ask_about_lock, tell

settings, transaction = Path("snippet.sql").read_text().split("\nBEGIN", 1)
connections = [sqlite3.connect("app.db", isolation_level=None) for _ in range(2)]
for connection in connections:
    connection.executescript(settings)
    tell(connection.execute)
ask_about_lock()
connections[1].execute("BEGIN" + transaction.split(";", 1)[0])
ask_about_lock()
connections[1].execute("INSERT INTO saved DEFAULT VALUES")
connections[1].execute("COMMIT")
ask_about_lock()
