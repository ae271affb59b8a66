import sqlite3
from contextlib import contextmanager


def connect(path):
    """Every connection is opened here, so that each has these settings."""
    connection = sqlite3.connect(
        path,
        # __ABOUT_BUSY_TIMEOUT__
        timeout=__BUSY_TIMEOUT_SECONDS__,
        # A transaction begins where the code says so
        isolation_level=None,
    )
    # __ABOUT_JOURNAL_MODE__
    connection.execute("PRAGMA journal_mode = __JOURNAL_MODE__")
    # __ABOUT_SYNCHRONOUS__
    connection.execute("PRAGMA synchronous = __SYNCHRONOUS__")
    return connection


@contextmanager
def writing(connection):
    """A transaction that writes: with writing(connection): ..."""
    # IMMEDIATE asks for the write lock at once, when waiting still helps
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
