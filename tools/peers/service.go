package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// The keys of the service under test.
const (
	anonKey    = "anon-key-of-the-suites"
	serviceKey = "service-key-of-the-suites"
)

const readyTimeout = time.Minute

// startService makes a database with the fixtures, and starts `research serve` and the proxy in front of it.
func startService(ctx context.Context, name string, settings, fixtures []string) (stop func(), err error) {
	research := os.Getenv("TEST_RESEARCH")
	if research == "" {
		return nil, errors.New("run it with `research dev --`, as make peers does")
	}
	database, err := makeDatabase(ctx, "peers_"+name)
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	state, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return nil, err
	}
	env := append(os.Environ(),
		"DATABASE_URL="+database, "TEMPORAL_ADDRESS="+os.Getenv("TEST_TEMPORAL_ADDRESS"),
		"HTTP_ADDR="+address, "STATE_DIR="+state, "MAIL_DIR="+filepath.Join(state, "mail"),
		"ANON_KEY="+anonKey, "SERVICE_ROLE_KEY="+serviceKey, "CRON_SECRET=secret-of-the-suites",
		"BCRYPT_COST=4", "DRAIN_DELAY=0s", "LOG_LEVEL=warn",
		// The suites send hundreds of requests in seconds.
		"LIMIT_ADDRESS_SIGNUPS=0", "LIMIT_ADDRESS_FAILURES=0", "LIMIT_ACCOUNT_FAILURES=0",
		"LIMIT_ACCOUNT_MAILS=0", "LIMIT_ADDRESS_MAILS=0",
	)
	env = append(env, settings...)
	if err := runWith(ctx, env, research, "migrate"); err != nil {
		return nil, err
	}
	for _, file := range fixtures {
		if err := loadFixture(ctx, database, file); err != nil {
			return nil, err
		}
	}
	serve := exec.CommandContext(ctx, research, "serve")
	serve.Env, serve.Stderr = env, os.Stderr
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	serve.WaitDelay = readyTimeout
	if err := serve.Start(); err != nil {
		return nil, err
	}
	closeProxy, err := startProxy(&url.URL{Scheme: "http", Host: address})
	stop = func() {
		closeProxy()
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
		_ = os.RemoveAll(state)
	}
	if err == nil {
		err = waitUntilReady(ctx, address)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// makeDatabase makes an empty database beside that of TEST_DATABASE_URL.
func makeDatabase(ctx context.Context, name string) (string, error) {
	base := os.Getenv("TEST_DATABASE_URL")
	address, err := url.Parse(base)
	if err != nil {
		return "", errors.New("TEST_DATABASE_URL is no URL")
	}
	for _, statement := range []string{
		fmt.Sprintf("drop database if exists %q with (force)", name), fmt.Sprintf("create database %q", name),
	} {
		if err := runWith(ctx, os.Environ(), "psql", "-qX", base, "-c", statement); err != nil {
			return "", err
		}
	}
	address.Path = "/" + name
	return address.String(), nil
}

// grants are what Supabase's default privileges give the roles of requests. Ours give them nothing, so that
// the fixtures' tables, which have no policies, would be out of reach.
const grants = `
grant usage on schema public, extensions, personal to anon, authenticated;
grant all on all tables in schema public, personal to anon, authenticated;
grant all on all sequences in schema public, personal to anon, authenticated;
grant execute on all functions in schema public, personal to anon, authenticated;
do $$
declare
  setting text;
begin -- those of Supabase's image, which plans show
  foreach setting in array array['compute_query_id = on', 'effective_cache_size = ''128MB'''] loop
    execute format('alter database %I set %s', current_database(), setting);
  end loop;
end $$;
`

// loadFixture runs a file of SQL. The fixtures expect what a database of Supabase has: the schema of
// extensions and the settings of the login.
func loadFixture(ctx context.Context, database, file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	script := append([]byte("create schema if not exists extensions;\nset search_path = public, extensions;\n"), raw...)
	script = append(script, grants...)
	psql := exec.CommandContext(ctx, "psql", "-qX", "-v", "ON_ERROR_STOP=1", database)
	psql.Stdin, psql.Stderr = bytes.NewReader(script), os.Stderr
	if err := psql.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	return nil
}

func waitUntilReady(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the service is not ready: %w", cmp.Or(context.Cause(ctx), ctx.Err()))
		}
	}
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

func runWith(ctx context.Context, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(args[0]), err)
	}
	return nil
}
