import android.content.Context
import androidx.room3.Room
import androidx.room3.RoomDatabase
import androidx.room3.executeSQL
import androidx.room3.useWriterConnection
import androidx.sqlite.driver.bundled.BundledSQLiteDriver

/** For Room 3; AppDatabase is your class with @Database. */
suspend fun openDatabase(context: Context): AppDatabase {
    val database = Room.databaseBuilder<AppDatabase>(context, "app.db")
        .setDriver(BundledSQLiteDriver())
        // Room has no DELETE, TRUNCATE is as safe
        // __ABOUT_JOURNAL_MODE__
        .setJournalMode(RoomDatabase.JournalMode.TRUNCATE)
        .build()
    // Room reads and writes through one connection; what it has set there by itself (FULL, 3 s) is replaced here
    database.useWriterConnection { writer ->
        // __ABOUT_BUSY_TIMEOUT__
        writer.executeSQL("PRAGMA busy_timeout = __BUSY_TIMEOUT_MS__")
        // __ABOUT_SYNCHRONOUS__
        writer.executeSQL("PRAGMA synchronous = __SYNCHRONOUS__")
    }
    return database
}

// database.withWriteTransaction { ... } and @Transaction begin with IMMEDIATE
// __ABOUT_IMMEDIATE__
