// Go: two connections of one pool. The snippet is the package database.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"

	"settings/database"
)

type row interface{ Scan(...any) error }

var answers = bufio.NewReader(os.Stdin)

func main() {
	db, err := database.Open("app.db")
	check(err)
	everything := context.Background()
	first, err := db.Conn(everything)
	check(err)
	second, err := db.Conn(everything)
	check(err)
	tell(func(sql string) row { return first.QueryRowContext(everything, sql) })
	tell(func(sql string) row { return second.QueryRowContext(everything, sql) })
	askAboutLock()
	transaction, err := second.BeginTx(everything, nil)
	check(err)
	askAboutLock()
	_, err = transaction.Exec("INSERT INTO saved DEFAULT VALUES")
	check(err)
	check(transaction.Commit())
	askAboutLock()
	check(first.Close())
	check(second.Close())
	check(db.Close())
}

func tell(query func(string) row) {
	fmt.Print("connection")
	for _, name := range []string{"journal_mode", "synchronous", "busy_timeout"} {
		var value any
		check(query("PRAGMA " + name).Scan(&value))
		fmt.Printf(" %v", value)
	}
	fmt.Println()
}

func askAboutLock() {
	fmt.Println("lock")
	_, err := answers.ReadString('\n')
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
