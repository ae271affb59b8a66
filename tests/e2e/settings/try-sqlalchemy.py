"""SQLAlchemy: two connections of one pool."""

from snippet import engine, writer
from talk import ask_about_lock, tell

with engine.connect() as first, writer.connect() as second:
    for connection in (first, second):
        tell(connection.exec_driver_sql)
        connection.rollback()
    ask_about_lock()
    with second.begin():
        ask_about_lock()
        second.exec_driver_sql("INSERT INTO saved DEFAULT VALUES")
    ask_about_lock()
