<?php
// What the drivers in PHP say to check.py.

/** Tells a connection's settings. */
function tell(PDO $db): void
{
    $read = fn (string $name) => $db->query("PRAGMA $name")->fetchColumn();
    echo "connection {$read('journal_mode')} {$read('synchronous')} {$read('busy_timeout')}\n";
}

/** Waits while check.py looks whether the write lock is taken. */
function askAboutLock(): void
{
    echo "lock\n";
    fgets(STDIN);
}
