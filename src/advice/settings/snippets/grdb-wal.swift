import GRDB

func openDatabase(path: String) throws -> DatabasePool {
    var configuration = Configuration()
    // __ABOUT_BUSY_TIMEOUT__
    configuration.busyMode = .timeout(__BUSY_TIMEOUT_SECONDS__)
    // A pool has one connection that writes and some that read
    // __ABOUT_JOURNAL_MODE__
    let pool = try DatabasePool(path: path, configuration: configuration)
    // The pool has just set NORMAL on the connection that writes, whatever prepareDatabase said before
    // __ABOUT_SYNCHRONOUS__
    try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = __SYNCHRONOUS__")
    }
    return pool
}

// pool.write { db in ... } begins with IMMEDIATE, from GRDB 7 on
// __ABOUT_IMMEDIATE__
