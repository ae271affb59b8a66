<?php
// PHP's PDO.
require 'snippet.php';
require 'talk.php';

[$first, $second] = [openDatabase('app.db'), openDatabase('app.db')];
tell($first);
tell($second);
askAboutLock();
write($second, function (PDO $db) {
    askAboutLock();
    $db->exec('INSERT INTO saved DEFAULT VALUES');
});
askAboutLock();
