package database

import (
	"database/sql"

	_ "modernc.org/sqlite"
)

// Open gives a pool whose connections all have these settings.
func Open(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+path+
		// __ABOUT_BUSY_TIMEOUT__
		"?_pragma=busy_timeout(__BUSY_TIMEOUT_MS__)"+
		// __ABOUT_JOURNAL_MODE__
		"&_pragma=journal_mode(__JOURNAL_MODE__)"+
		// __ABOUT_SYNCHRONOUS__
		"&_pragma=synchronous(__SYNCHRONOUS__)"+
		// __ABOUT_IMMEDIATE__
		// Where a transaction only reads, begin it with BeginTx and &sql.TxOptions{ReadOnly: true}
		"&_txlock=immediate")
}
