// Command peers runs the test suites of Supabase's own clients, auth-js and postgrest-js, against `research
// serve`, and prints how many tests pass (make peers SUPABASE_JS=a checkout; docs/compat.md, "Clients").
//
//	git clone https://github.com/supabase/supabase-js
//	make peers SUPABASE_JS=../supabase-js
//
// The suites run as they are, from a copy in a folder that git ignores. They expect what the Supabase CLI
// starts: an address and keys of its own. A proxy listens there and puts our keys in place of those; it
// changes nothing else.
//
// It fails if a test fails that tools/peers/exceptions.txt does not list. It needs Node, psql and PostGIS
// (Debian: nodejs, npm, postgresql-client, postgresql-15-postgis-3).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	checkout := flag.String("checkout", "", "a checkout of supabase/supabase-js")
	folder := flag.String("folder", "bin/peers", "where the suites are copied to; has their node_modules")
	exceptions := flag.String("exceptions", "tools/peers/exceptions.txt", "the tests that may fail")
	only := flag.String("only", "", "run one suite: auth-js or postgrest-js")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *checkout, *folder, *exceptions, *only); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// A suite is a folder of the checkout with tests that jest runs.
type suite struct {
	name    string
	prepare []string // what to run first, in the suite's folder
	args    []string // of jest
	// settings are those of `serve` that the Supabase CLI's configuration for the suite corresponds to.
	settings []string
	fixtures []string // files of SQL that the database gets
}

func suites() []suite {
	return []suite{
		{
			name:    "auth-js",
			prepare: []string{"node", "test/generate-signing-keys.js"},
			args:    []string{"--config", "jest.config.cli.js"},
			settings: []string{
				"PASSWORD_MIN_LENGTH=6", "SIGNUP_CONFIRM=off", "SIGNUP_ANONYMOUS=on",
				"REDIRECT_URLS=http://localhost:9999,https://127.0.0.1:3000,http://localhost:5173",
			},
		},
		{
			name: "postgrest-js",
			args: []string{"--testPathIgnorePatterns", "test/v12/"},
			settings: []string{
				"REST_SCHEMAS=public,personal", "REST_PLAN=on", "REST_AGGREGATES=on", "REST_UNFILTERED_WRITES=on",
				"REST_TX_END=commit-allow-override",
			},
			fixtures: []string{
				"test/supabase/migrations/00000000000000_schema.sql", "test/supabase/seed.sql",
			},
		},
	}
}

func run(ctx context.Context, checkout, folder, exceptionsFile, only string) error {
	if checkout == "" {
		return errors.New("-checkout names a checkout of supabase/supabase-js")
	}
	allowed, err := readExceptions(exceptionsFile)
	if err != nil {
		return err
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return err
	}
	var wrong int
	for _, s := range suites() {
		if only != "" && s.name != only {
			continue
		}
		results, err := s.run(ctx, checkout, folder)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		wrong += report(os.Stdout, s.name, results, allowed[s.name])
	}
	if wrong > 0 {
		return fmt.Errorf("%d results are not as %s says", wrong, exceptionsFile)
	}
	return nil
}
