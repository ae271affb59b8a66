<?php

// config/database.php; every connection that Laravel opens gets these

return [
    'default' => 'sqlite',
    'connections' => [
        'sqlite' => [
            'driver' => 'sqlite',
            'database' => env('DB_DATABASE', database_path('database.sqlite')),
            'prefix' => '',
            'foreign_key_constraints' => true,
            // __ABOUT_BUSY_TIMEOUT__
            'busy_timeout' => __BUSY_TIMEOUT_MS__,
            // __ABOUT_JOURNAL_MODE__
            'journal_mode' => '__JOURNAL_MODE__',
            // __ABOUT_SYNCHRONOUS__
            'synchronous' => '__SYNCHRONOUS__',
            // __ABOUT_IMMEDIATE__
            // Wants PHP 8.4 or newer; it holds for every DB::transaction, so leave those away where the code only reads
            'transaction_mode' => 'IMMEDIATE',
        ],
    ],
];
