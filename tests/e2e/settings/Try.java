// Java's JDBC: two connections of one data source.
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteDataSource;

final class Try {
    public static void main(String[] arguments) throws Exception {
        SQLiteDataSource source = Database.open("app.db");
        try (Connection first = source.getConnection(); Connection second = source.getConnection()) {
            tell(first);
            tell(second);
            askAboutLock();
            Database.write(second, connection -> {
                askAboutLock();
                try (Statement statement = connection.createStatement()) {
                    statement.executeUpdate("INSERT INTO saved DEFAULT VALUES");
                }
            });
            askAboutLock();
        }
    }

    private static void tell(Connection connection) throws SQLException {
        StringBuilder line = new StringBuilder("connection");
        for (String name : new String[] {"journal_mode", "synchronous", "busy_timeout"}) {
            try (Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery("PRAGMA " + name)) {
                line.append(' ').append(result.getString(1));
            }
        }
        System.out.println(line);
    }

    private static void askAboutLock() {
        System.out.println("lock");
        try {
            System.in.read();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
