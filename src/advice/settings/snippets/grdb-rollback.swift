import GRDB

func openDatabase(path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    // __ABOUT_BUSY_TIMEOUT__
    configuration.busyMode = .timeout(__BUSY_TIMEOUT_SECONDS__)
    configuration.prepareDatabase { db in
        // __ABOUT_JOURNAL_MODE__
        try db.execute(sql: "PRAGMA journal_mode = __JOURNAL_MODE__")
        // __ABOUT_SYNCHRONOUS__
        try db.execute(sql: "PRAGMA synchronous = __SYNCHRONOUS__")
    }
    // A queue has one connection; DatabasePool would switch to WAL
    return try DatabaseQueue(path: path, configuration: configuration)
}

// queue.write { db in ... } begins with IMMEDIATE, from GRDB 7 on
// __ABOUT_IMMEDIATE__
