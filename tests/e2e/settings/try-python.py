"""Python's sqlite3."""

from snippet import connect, writing
from talk import ask_about_lock, tell

first, second = connect("app.db"), connect("app.db")
tell(first.execute)
tell(second.execute)
ask_about_lock()
with writing(second):
    ask_about_lock()
    second.execute("INSERT INTO saved DEFAULT VALUES")
ask_about_lock()
