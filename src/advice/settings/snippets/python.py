import sqlite3
from contextlib import contextmanager


def connect(path):
    """Open every connection here: the timeout and synchronous hold for one connection alone."""
    connection = sqlite3.connect(
        path,
        # __ABOUT_BUSY_TIMEOUT__
        timeout=__BUSY_TIMEOUT_SECONDS__,
        # A transaction begins where the code says so (from Python 3.12 on, autocommit=True does the same)
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
    # __ABOUT_IMMEDIATE__
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise
