import Database from 'better-sqlite3';

/** Open every connection here, in each worker too: the timeout and synchronous hold for one connection alone. */
export function open(path) {
  // __ABOUT_BUSY_TIMEOUT__
  const db = new Database(path, { timeout: __BUSY_TIMEOUT_MS__ });
  // __ABOUT_JOURNAL_MODE__
  db.pragma('journal_mode = __JOURNAL_MODE__');
  // __ABOUT_SYNCHRONOUS__
  db.pragma('synchronous = __SYNCHRONOUS__');
  return db;
}

/** A transaction that writes: write(db, () => { ... }). */
export function write(db, work) {
  // __ABOUT_IMMEDIATE__
  return db.transaction(work).immediate();
}
