using Microsoft.Data.Sqlite;

public static class Database
{
    /// <summary>Open every connection here: the timeouts and synchronous hold for one connection alone.</summary>
    public static SqliteConnection Open(string path)
    {
        var connection = new SqliteConnection(new SqliteConnectionStringBuilder
        {
            DataSource = path,
            // The driver tries again by itself, in whole seconds; 0 would be for ever
            DefaultTimeout = __BUSY_TIMEOUT_WHOLE_SECONDS__,
        }.ToString());
        connection.Open();
        using var command = connection.CreateCommand();
        // __ABOUT_BUSY_TIMEOUT__
        command.CommandText = "PRAGMA busy_timeout = __BUSY_TIMEOUT_MS__;"
            // __ABOUT_JOURNAL_MODE__
            + "PRAGMA journal_mode = __JOURNAL_MODE__;"
            // __ABOUT_SYNCHRONOUS__
            + "PRAGMA synchronous = __SYNCHRONOUS__;";
        command.ExecuteNonQuery();
        return connection;
    }

    /// <summary>A transaction that writes; end it with Commit.</summary>
    public static SqliteTransaction BeginWriting(SqliteConnection connection)
    {
        // __ABOUT_IMMEDIATE__
        return connection.BeginTransaction(deferred: false);
    }
}
