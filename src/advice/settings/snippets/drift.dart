import 'dart:io';

import 'package:drift/drift.dart';
import 'package:drift/native.dart';

/// Give this to the constructor of your database class. drift writes through one connection of its own.
QueryExecutor open(File file) => NativeDatabase.createInBackground(
  file,
  // Runs for each connection, those that only read too
  setup: (db) {
    // __ABOUT_BUSY_TIMEOUT__
    db.execute('PRAGMA busy_timeout = __BUSY_TIMEOUT_MS__');
    // __ABOUT_JOURNAL_MODE__
    db.execute('PRAGMA journal_mode = __JOURNAL_MODE__');
    // __ABOUT_SYNCHRONOUS__
    db.execute('PRAGMA synchronous = __SYNCHRONOUS__');
  },
);

// transaction() begins with a plain BEGIN and has no way to choose IMMEDIATE.
// Within one app that is enough, for drift never has two writers; it is not where another program writes too.
