<?php

/** Open every connection here: the timeout and synchronous hold for one connection alone. */
function openDatabase(string $path): PDO
{
    $db = new PDO('sqlite:' . $path, options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
    // __ABOUT_BUSY_TIMEOUT__
    $db->exec('PRAGMA busy_timeout = __BUSY_TIMEOUT_MS__');
    // __ABOUT_JOURNAL_MODE__
    $db->exec('PRAGMA journal_mode = __JOURNAL_MODE__');
    // __ABOUT_SYNCHRONOUS__
    $db->exec('PRAGMA synchronous = __SYNCHRONOUS__');
    return $db;
}

/** A transaction that writes; beginTransaction() cannot do this before PHP 8.5. */
function write(PDO $db, callable $work): mixed
{
    // __ABOUT_IMMEDIATE__
    $db->exec('BEGIN IMMEDIATE');
    try {
        $result = $work($db);
        $db->exec('COMMIT');
        return $result;
    } catch (Throwable $failure) {
        $db->exec('ROLLBACK');
        throw $failure;
    }
}
