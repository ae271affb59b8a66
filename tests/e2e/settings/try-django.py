"""Django: one connection for each thread, as on a server."""

import threading
from pathlib import Path

import django
from django.conf import settings
from django.db import connection, transaction

from talk import ask_about_lock, tell

names = {"BASE_DIR": Path.cwd()}
exec(Path("snippet.py").read_text(), names)
settings.configure(DATABASES=names["DATABASES"])
django.setup()


def execute(sql):
    cursor = connection.cursor()
    cursor.execute(sql)
    return cursor


def on_another_connection():
    tell(execute)
    ask_about_lock()
    with transaction.atomic():
        ask_about_lock()
        execute("INSERT INTO saved DEFAULT VALUES")
    ask_about_lock()


tell(execute)
thread = threading.Thread(target=on_another_connection)
thread.start()
thread.join()
