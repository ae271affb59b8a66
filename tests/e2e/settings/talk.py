"""What the drivers in Python say to check.py."""


def tell(execute):
    """Tells a connection's settings, read with its own execute function."""
    values = [execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "busy_timeout")]
    print("connection", *values, flush=True)


def ask_about_lock():
    """Waits while check.py looks whether the write lock is taken."""
    print("lock", flush=True)
    input()
