package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"research/db"
)

// Tools finds PostgreSQL's programs.
type Tools struct {
	Folders []string // where they are, in the order of preference; an empty text means the folders of PATH
}

// versionPattern matches the output of pg_dump --version: pg_dump (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)
var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// find returns the path of a program of this major version.
func (t Tools) find(ctx context.Context, program string, major int) (string, error) {
	var others []string
	for _, folder := range t.Folders {
		path := filepath.Join(folder, program)
		out, err := exec.CommandContext(ctx, path, "--version").Output()
		if err != nil {
			continue // it does not exist
		}
		match := versionPattern.FindSubmatch(out)
		if match == nil {
			continue
		}
		if found := string(match[1]); found == strconv.Itoa(major) {
			return path, nil
		} else if !slices.Contains(others, found) {
			others = append(others, found)
		}
	}
	found := "none is installed"
	if len(others) > 0 {
		found = "installed: " + strings.Join(others, ", ")
	}
	return "", fmt.Errorf("the server is PostgreSQL %[1]d and needs %[2]s of version %[1]d (%[3]s): install it "+
		"(Debian: apt-get install postgresql-client-%[1]d; macOS: brew install postgresql@%[1]d), or run the "+
		"command in the image postgres:%[1]d", major, program, found)
}

// stopTimeout is how long a program may take to cancel its statements when the context ends.
const stopTimeout = 10 * time.Second

// run runs a program of this major version against the database at databaseURL, or without a database if the
// URL is empty. A nil stdout discards the output.
func (t Tools) run(
	ctx context.Context, program string, major int, databaseURL string, stdout io.Writer, args ...string,
) error {
	path, err := t.find(ctx, program, major)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, path)
	// The time of a backup is written and read as a local time.
	cmd.Env = append(cmd.Environ(), "TZ=UTC", "LC_ALL=C")
	if databaseURL != "" {
		target, password, err := splitURL(databaseURL)
		if err != nil {
			return err
		}
		args = append(args, "--dbname="+target)
		if password != "" {
			cmd.Env = append(cmd.Env, "PGPASSWORD="+password) // no list of processes shows it
		}
	}
	cmd.Args = append(cmd.Args, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTimeout
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("%s was interrupted: %w", program, ctx.Err())
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return fmt.Errorf("%s failed: %s", program, firstError(stderr.String()))
		}
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}

// firstError returns the first line of an error. The lines below it may quote rows.
func firstError(stderr string) string {
	for line := range strings.Lines(stderr) {
		if _, text, ok := strings.Cut(line, "error: "); ok {
			return strings.TrimSpace(text)
		}
	}
	return "it printed no error"
}

// libpqParameters are the parameters of a URL that PostgreSQL's programs know as well. Others configure pgx.
var libpqParameters = []string{
	"application_name", "channel_binding", "connect_timeout", "dbname", "host", "options", "passfile", "port",
	"require_auth", "service", "sslcert", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni",
	"target_session_attrs", "user",
}

// splitURL returns a URL for PostgreSQL's programs, without the password, and the password.
func splitURL(databaseURL string) (target, password string, err error) {
	clean, _, err := db.ReadURL(databaseURL)
	if err != nil {
		return "", "", err
	}
	u, err := url.Parse(clean)
	if err != nil {
		return "", "", errors.New("DATABASE_URL is not a URL")
	}
	parameters := u.Query()
	password = parameters.Get("password")
	for name := range parameters {
		if !slices.Contains(libpqParameters, name) {
			parameters.Del(name)
		}
	}
	u.RawQuery = strings.ReplaceAll(parameters.Encode(), "+", "%20") // libpq takes a plus sign as it is
	if given, ok := u.User.Password(); ok {
		password = given
		u.User = url.User(u.User.Username())
	}
	return u.String(), password, nil
}

// withDatabase returns the URL of another database of the same server.
func withDatabase(databaseURL, name string) (string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return "", errors.New("DATABASE_URL is not a URL")
	}
	u.Path = "/" + name
	return u.String(), nil
}
