package database

import (
	"database/sql"

	_ "github.com/mattn/go-sqlite3"
)

// Open gives a pool whose connections all have these settings.
func Open(path string) (*sql.DB, error) {
	return sql.Open("sqlite3", "file:"+path+
		// __ABOUT_BUSY_TIMEOUT__
		"?_busy_timeout=__BUSY_TIMEOUT_MS__"+
		// __ABOUT_JOURNAL_MODE__
		"&_journal_mode=__JOURNAL_MODE__"+
		// __ABOUT_SYNCHRONOUS__
		"&_synchronous=__SYNCHRONOUS__"+
		// __ABOUT_IMMEDIATE__
		// It holds for every Begin, so read without a transaction, or through a second pool without this line
		"&_txlock=immediate")
}
