from sqlalchemy import create_engine, event

engine = create_engine(
    "sqlite:///app.db",
    # __ABOUT_BUSY_TIMEOUT__
    connect_args={"timeout": __BUSY_TIMEOUT_SECONDS__},
)


@event.listens_for(engine, "connect")
def set_up(connection, _record):
    """Runs for each new connection of the pool: synchronous holds for one connection alone."""
    # SQLAlchemy says BEGIN itself, below
    connection.isolation_level = None
    cursor = connection.cursor()
    # __ABOUT_JOURNAL_MODE__
    cursor.execute("PRAGMA journal_mode = __JOURNAL_MODE__")
    # __ABOUT_SYNCHRONOUS__
    cursor.execute("PRAGMA synchronous = __SYNCHRONOUS__")
    cursor.close()


@event.listens_for(engine, "begin")
def begin(connection):
    connection.exec_driver_sql(connection.get_execution_options().get("begin", "BEGIN"))


# Write with this one: with writer.begin() as connection: ... or Session(writer); read with engine
# __ABOUT_IMMEDIATE__
writer = engine.execution_options(begin="BEGIN IMMEDIATE")
