package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// loadFixtures makes a database as PostgREST's own tests do, and returns its URL. It needs psql and PostGIS.
func loadFixtures(database, checkout string) (string, error) {
	const name = "pgrst_spec"
	u, err := url.Parse(database)
	if err != nil || u.Host == "" {
		return "", errors.New("DATABASE_URL or TEST_DATABASE_URL must be the URL of a throw-away PostgreSQL")
	}
	if err := psql(u.String(),
		"-c", "drop database if exists "+name,
		"-c", `do $$ begin
  if not exists (select from pg_roles where rolname = '`+loginRole+`') then
    create role "`+loginRole+`" login noinherit;
  end if;
end $$`,
		"-c", "create database "+name+" template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'",
		"-c", "alter database "+name+" set timezone = 'UTC'",
		"-c", "alter database "+name+" set search_path = public, test",
		"-c", `alter role "`+loginRole+`" in database `+name+" set search_path = public, test",
	); err != nil {
		return "", err
	}
	u.Path = "/" + name
	fixtures := filepath.Join(checkout, "test/spec/fixtures/load.sql")
	if err := psql(u.String(), "-v", "PGUSER="+loginRole, "-f", fixtures); err != nil {
		return "", err
	}
	return u.String(), psql(u.String(), "-c", "vacuum analyze")
}

func psql(database string, arguments ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "psql",
		append([]string{database, "-q", "-X", "-v", "ON_ERROR_STOP=1"}, arguments...)...)
	cmd.Env = append(os.Environ(),
		"PGTZ=utc", "PGOPTIONS=-c search_path=public,test -c client_min_messages=error")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("load the fixtures: %w: %.500s", err, out)
	}
	return nil
}
