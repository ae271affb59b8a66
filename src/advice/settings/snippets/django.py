# settings.py, Django 5.1 or newer; every connection that Django opens gets these
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": BASE_DIR / "app.db",
        "OPTIONS": {
            # __ABOUT_BUSY_TIMEOUT__
            "timeout": __BUSY_TIMEOUT_SECONDS__,
            # __ABOUT_JOURNAL_MODE__
            # __ABOUT_SYNCHRONOUS__
            "init_command": "PRAGMA journal_mode = __JOURNAL_MODE__; PRAGMA synchronous = __SYNCHRONOUS__;",
            # __ABOUT_IMMEDIATE__
            # It holds for every transaction.atomic(), so leave those away where the code only reads
            "transaction_mode": "IMMEDIATE",
        },
    },
}
