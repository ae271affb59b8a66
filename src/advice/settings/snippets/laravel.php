// config/database.php, among the connections; every connection that Laravel opens gets these settings
'sqlite' => [
    'driver' => 'sqlite',
    'url' => env('DB_URL'),
    'database' => env('DB_DATABASE', database_path('database.sqlite')),
    'prefix' => '',
    'foreign_key_constraints' => env('DB_FOREIGN_KEYS', true),
    // __ABOUT_BUSY_TIMEOUT__
    'busy_timeout' => __BUSY_TIMEOUT_MS__,
    // __ABOUT_JOURNAL_MODE__
    'journal_mode' => '__JOURNAL_MODE__',
    // __ABOUT_SYNCHRONOUS__
    'synchronous' => '__SYNCHRONOUS__',
    // __ABOUT_IMMEDIATE__
    // Wants PHP 8.4; it holds for every DB::transaction, so leave that away where the code only reads
    'transaction_mode' => 'IMMEDIATE',
],
