-- On every connection, as soon as it is open. The last one holds for this connection alone, and so does the first.

-- __ABOUT_BUSY_TIMEOUT__
PRAGMA busy_timeout = __BUSY_TIMEOUT_MS__;
-- __ABOUT_JOURNAL_MODE__
PRAGMA journal_mode = __JOURNAL_MODE__;
-- __ABOUT_SYNCHRONOUS__
PRAGMA synchronous = __SYNCHRONOUS__;

-- A transaction that writes: IMMEDIATE asks for the write lock at once, when waiting still helps
BEGIN IMMEDIATE;
-- your INSERT, UPDATE and DELETE
COMMIT;
