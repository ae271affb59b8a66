-- On every connection, as soon as it is open: the first and the last setting hold for this connection alone.

-- __ABOUT_BUSY_TIMEOUT__
PRAGMA busy_timeout = __BUSY_TIMEOUT_MS__;
-- __ABOUT_JOURNAL_MODE__
PRAGMA journal_mode = __JOURNAL_MODE__;
-- __ABOUT_SYNCHRONOUS__
PRAGMA synchronous = __SYNCHRONOUS__;

-- A transaction that writes
-- __ABOUT_IMMEDIATE__
BEGIN IMMEDIATE;
-- your INSERT, UPDATE and DELETE
COMMIT;
