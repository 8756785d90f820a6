// Command conformance runs PostgREST's own cases against the data API, over PostgREST's fixtures (make
// conformance; docs/compat.md, "Data API").
//
// With -cases and -postgrest it loads the fixtures, runs the cases, prints what failed, and fails if fewer
// pass than must. Without, it serves on PORT with the settings of CASE_CONFIG (JSON), for another runner of
// cases.
//
// Both need DATABASE_URL or TEST_DATABASE_URL: a throw-away PostgreSQL, as its owner.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	cases := flag.String("cases", "", "the cases, a JSON object a line")
	checkout := flag.String("postgrest", "", "a checkout of PostgREST, for its fixtures")
	known := flag.String("known", "docs/compat.md", "the page that lists the cases that may fail")
	flag.Parse()
	database := cmp.Or(os.Getenv("DATABASE_URL"), os.Getenv("TEST_DATABASE_URL"))
	var err error
	if *cases == "" {
		err = serve(database)
	} else {
		err = runCases(os.Stdout, database, *cases, *checkout, *known)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func serve(database string) error {
	address := "127.0.0.1:" + os.Getenv("PORT")
	handler, closeStore, err := open(context.Background(), database, address, []byte(os.Getenv("CASE_CONFIG")))
	if err != nil {
		return err
	}
	defer closeStore()
	server := &http.Server{Addr: address, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}
