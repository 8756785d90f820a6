package dev

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"research/config"
	"research/db"
)

// A Stack is what Run needs: the settings, and the programs.
type Stack struct {
	Config config.Config
	// Serve and Work are the programs; they return when the context ends.
	Serve, Work func(context.Context, config.Config) error
	Out         io.Writer // for people
}

// The user and password of the demo data.
const (
	DemoEmail    = "demo@example.com"
	DemoPassword = "demo-password"
)

// readyTimeout is how long the API may take to answer its first request.
const readyTimeout = 30 * time.Second

// Run brings the stack up, writes STATE_DIR/dev.env when everything is ready, and takes the stack down when the context ends.
func Run(ctx context.Context, s Stack) error {
	began := time.Now()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format+"\n", args...) }
	cfg := s.Config
	dir, err := filepath.Abs(cfg.StateDir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o711); err != nil { // PostgreSQL runs as another user when we are root
		return err
	}
	unlock, err := lockFolder(dir)
	if err != nil {
		return err
	}
	defer unlock()
	envFile := filepath.Join(dir, "dev.env")
	_ = os.Remove(envFile) // it tells that everything is ready
	defer func() { _ = os.Remove(envFile) }()
	kept, err := loadSecrets(dir)
	if err != nil {
		return err
	}
	if err := s.checkPorts(cfg); err != nil {
		return err
	}
	cfg.StateDir = dir
	cfg.Keys.Anon = cmp.Or(cfg.Keys.Anon, kept.AnonKey)
	cfg.Keys.Service = cmp.Or(cfg.Keys.Service, kept.ServiceKey)
	cfg.Keys.CronSecret = cmp.Or(cfg.Keys.CronSecret, kept.CronSecret)
	if !filepath.IsAbs(cfg.Mail.Dir) {
		if cfg.Mail.Dir, err = filepath.Abs(cfg.Mail.Dir); err != nil {
			return err
		}
	}

	// PostgreSQL and Temporal start side by side.
	type started struct {
		pg  *postgres
		tmp *temporal
		err error
	}
	results := make(chan started, 2)
	parts := 0
	if cfg.Database.URL == "" {
		parts++
		go func() {
			pg, err := startPostgres(ctx, dir, port{"POSTGRES_PORT", cfg.Dev.PostgresPort}, kept.PostgresPassword, true, say)
			results <- started{pg: pg, err: err}
		}()
	}
	if cfg.Temporal.Address == "" {
		parts++
		go func() {
			cli, err := findTemporal(ctx, dir, say)
			if err != nil {
				results <- started{err: err}
				return
			}
			server, err := startTemporal(ctx, cli, filepath.Join(dir, "temporal.db"), cfg.Temporal.Namespace, port{"TEMPORAL_PORT", cfg.Dev.TemporalPort}, port{"TEMPORAL_UI_PORT", cfg.Dev.TemporalUIPort})
			results <- started{tmp: server, err: err}
		}()
	}
	var pg *postgres
	var server *temporal
	var errs []error
	for range parts {
		one := <-results
		errs = append(errs, one.err)
		if one.pg != nil {
			pg, cfg.Database.URL = one.pg, one.pg.url
			defer one.pg.end(30 * time.Second)
		}
		if one.tmp != nil {
			server, cfg.Temporal.Address = one.tmp, one.tmp.address
			cfg.Temporal.UIURL = cmp.Or(cfg.Temporal.UIURL, one.tmp.uiURL)
			defer one.tmp.end(10 * time.Second)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if _, err := db.Migrate(ctx, cfg.Database.URL); err != nil {
		return err
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	programs := make(chan error, 2)
	for name, program := range map[string]func(context.Context, config.Config) error{"serve": s.Serve, "worker": s.Work} {
		go func() {
			err := program(ctx, cfg)
			if err == nil && ctx.Err() == nil {
				err = errors.New("ended")
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			stop(err)
			programs <- err
		}()
	}
	// Should PostgreSQL or Temporal die, a restart of the stack is what helps.
	watch(ctx, stop, pg, server)
	err = s.whenReady(ctx, cfg, envFile, began, say)
	if err != nil {
		stop(err)
	} else {
		<-ctx.Done()
	}
	say("Stopping.")
	for range 2 {
		<-programs
	}
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

func watch(ctx context.Context, stop context.CancelCauseFunc, pg *postgres, server *temporal) {
	follow := func(p *process) {
		select {
		case <-p.done:
			stop(fmt.Errorf("%s ended by itself: %s", p.name, p.out.last()))
		case <-ctx.Done():
		}
	}
	if pg != nil {
		go follow(pg.process)
	}
	if server != nil {
		go follow(server.process)
	}
}

// whenReady waits for the API, adds the demo data, and tells people and programs where everything is.
func (s Stack) whenReady(ctx context.Context, cfg config.Config, envFile string, began time.Time, say func(string, ...any)) error {
	if err := waitForAPI(ctx, cfg); err != nil {
		return err
	}
	if err := addDemo(ctx, cfg); err != nil {
		return fmt.Errorf("add the demo data: %w", err)
	}
	if err := writeEnv(envFile, cfg); err != nil {
		return err
	}
	say("Ready in %s.\n", time.Since(began).Round(10*time.Millisecond))
	say("  API and page   %s", cfg.HTTP.PublicURL)
	if cfg.Temporal.UIURL != "" {
		say("  Temporal UI    %s", cfg.Temporal.UIURL)
	}
	say("  Sign in        %s / %s", DemoEmail, DemoPassword)
	say("  Settings       %s", envFile)
	extractor := "keyword match, no AI (set OPENAI_API_KEY or OPENAI_BASE_URL for a model)"
	if cfg.Extract.UsesModel() {
		extractor = "model " + cfg.Extract.Model
	}
	say("  Evidence by    %s\n\nCtrl-C stops everything; the data stays in %s.", extractor, cfg.StateDir)
	return nil
}

// writeEnv writes what other programs need to reach the stack, a NAME=value a line. It appears in one piece.
func writeEnv(path string, cfg config.Config) error {
	var b strings.Builder
	for _, pair := range [][2]string{
		{"API_URL", cfg.HTTP.PublicURL}, {"ANON_KEY", cfg.Keys.Anon}, {"SERVICE_ROLE_KEY", cfg.Keys.Service}, {"CRON_SECRET", cfg.Keys.CronSecret},
		{"DATABASE_URL", cfg.Database.URL}, {"TEMPORAL_ADDRESS", cfg.Temporal.Address}, {"TEMPORAL_NAMESPACE", cfg.Temporal.Namespace},
		{"TEMPORAL_UI_URL", cfg.Temporal.UIURL}, {"MAIL_DIR", cfg.Mail.Dir}, {"DEMO_EMAIL", DemoEmail}, {"DEMO_PASSWORD", DemoPassword},
	} {
		fmt.Fprintf(&b, "%s=%s\n", pair[0], pair[1])
	}
	partial := path + ".partial"
	if err := os.WriteFile(partial, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}

// checkPorts says, before anything starts, which port is taken.
func (s Stack) checkPorts(cfg config.Config) error {
	var errs []error
	if host, number, err := net.SplitHostPort(cfg.HTTP.Addr); err == nil {
		l, err := net.Listen("tcp", net.JoinHostPort(host, number))
		if err == nil {
			err = l.Close()
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("port %s is in use by another program: stop it, or choose another address by HTTP_ADDR", number)
		}
		errs = append(errs, err)
	}
	if cfg.Database.URL == "" {
		errs = append(errs, port{"POSTGRES_PORT", cfg.Dev.PostgresPort}.check())
	}
	if cfg.Temporal.Address == "" {
		errs = append(errs, port{"TEMPORAL_PORT", cfg.Dev.TemporalPort}.check(), port{"TEMPORAL_UI_PORT", cfg.Dev.TemporalUIPort}.check())
	}
	return errors.Join(errs...)
}

// lockFolder keeps two stacks from using one folder. The lock ends with the process.
func lockFolder(dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("another stack uses the folder %s: stop it, or choose another by STATE_DIR", dir)
	}
	return func() { _ = f.Close() }, nil
}

// apiURL is where the API listens, as seen from this machine; PUBLIC_URL may be a proxy's.
func apiURL(cfg config.Config) string {
	host, number, _ := net.SplitHostPort(cfg.HTTP.Addr) // config has checked it
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, number)}
	return u.String()
}
