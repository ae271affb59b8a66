<?php
// Laravel's database package: two connections with the same settings, as two requests have them.
require 'Illuminate/Database/autoload.php';
require 'talk.php';

use Illuminate\Database\Capsule\Manager;

function env(string $name, mixed $default = null): mixed
{
    return $default;
}

function database_path(string $name): string
{
    return getcwd() . '/app.db';
}

// The snippet is an entry among others.
$connections = eval('return [' . file_get_contents('snippet.php') . '];');
$settings = $connections['sqlite'];
$manager = new Manager();
$manager->addConnection($settings, 'first');
$manager->addConnection($settings, 'second');
[$first, $second] = [$manager->getConnection('first'), $manager->getConnection('second')];
tell($first->getPdo());
tell($second->getPdo());
askAboutLock();
$second->transaction(function () use ($second) {
    askAboutLock();
    $second->statement('INSERT INTO saved DEFAULT VALUES');
});
askAboutLock();
