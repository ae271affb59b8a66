// Node's better-sqlite3.
import { readSync, writeSync } from 'node:fs';
import { open, write } from './snippet.mjs';

function tell(db) {
  const [mode, level, timeout] = ['journal_mode', 'synchronous', 'busy_timeout'].map((name) => db.pragma(name, { simple: true }));
  writeSync(1, `connection ${mode} ${level} ${timeout}\n`);
}

function askAboutLock() {
  writeSync(1, 'lock\n');
  readSync(0, Buffer.alloc(1));
}

const [first, second] = [open('app.db'), open('app.db')];
tell(first);
tell(second);
askAboutLock();
write(second, () => {
  askAboutLock();
  second.prepare('INSERT INTO saved DEFAULT VALUES').run();
});
askAboutLock();
