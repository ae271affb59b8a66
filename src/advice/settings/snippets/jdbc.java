import java.sql.Connection;
import java.sql.SQLException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

public final class Database {
    public interface Work {
        void run(Connection connection) throws SQLException;
    }

    /** Give this to the connection pool, if you have one: every connection gets these settings. */
    public static SQLiteDataSource open(String path) {
        SQLiteConfig config = new SQLiteConfig();
        // __ABOUT_BUSY_TIMEOUT__
        config.setBusyTimeout(__BUSY_TIMEOUT_MS__);
        // __ABOUT_JOURNAL_MODE__
        config.setPragma(SQLiteConfig.Pragma.JOURNAL_MODE, "__JOURNAL_MODE__");
        // __ABOUT_SYNCHRONOUS__
        config.setPragma(SQLiteConfig.Pragma.SYNCHRONOUS, "__SYNCHRONOUS__");
        // __ABOUT_IMMEDIATE__
        config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + path);
        return source;
    }

    /** A transaction that writes. */
    public static void write(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            work.run(connection);
            connection.commit();
        } catch (Throwable failure) {
            connection.rollback();
            throw failure;
        } finally {
            // commit() and rollback() already began the next one, which would keep others from writing
            connection.setAutoCommit(true);
        }
    }
}
