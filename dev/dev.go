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
	"sync"
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

// How long a part that ended by itself stays away. The database is needed for everything; without Temporal the API goes on and answers 503 to a parse, and one who
// stopped it on purpose wants to see that.
const (
	postgresAgain = time.Second
	temporalAgain = 15 * time.Second
)

// Run brings the stack up, writes STATE_DIR/dev.env when everything is ready, and takes the stack down when the context ends.
func Run(ctx context.Context, s Stack) (err error) {
	began := time.Now()
	say := newSayer(s.Out)
	dir, err := makeFolder(s.Config.StateDir)
	if err != nil {
		return err
	}
	taken, err := lockFolder(ctx, dir, say)
	if err != nil {
		return err
	}
	defer taken.unlock()
	envFile := filepath.Join(dir, "dev.env")
	_ = os.Remove(envFile) // it tells that everything is ready
	cfg, kept, err := s.settle(dir)
	if err != nil {
		return err
	}
	if err := checkPorts(ctx, cfg); err != nil {
		return err
	}
	parts, cfg, err := startParts(ctx, dir, cfg, kept, taken, say)
	defer func() { // the programs have ended by then
		for _, part := range parts {
			part.end()
		}
	}()
	if err != nil {
		return quietly(ctx, err)
	}
	if _, err := db.Migrate(ctx, cfg.Database.URL); err != nil {
		return quietly(ctx, err)
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for _, part := range parts {
		part.keep(ctx)
	}
	programs := s.startPrograms(ctx, cfg, stop)
	if err := s.whenReady(ctx, cfg, envFile, began, say); err != nil {
		stop(err)
	}
	<-ctx.Done()
	_ = os.Remove(envFile)
	say("Stopping.")
	programs.Wait()
	return quietly(ctx, context.Cause(ctx))
}

// quietly drops an error that only says that we were asked to stop.
func quietly(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return nil
	}
	return err
}

// makeFolder makes the state folder, open to nobody, though passable by the user that PostgreSQL runs as.
func makeFolder(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for _, one := range []string{dir, filepath.Join(dir, "logs")} {
		if err := os.MkdirAll(one, 0o711); err != nil {
			return "", fmt.Errorf("make the folder of STATE_DIR: %w", err)
		}
	}
	return dir, nil
}

// settle fills the settings that nobody chose with what is kept in the state folder.
func (s Stack) settle(dir string) (config.Config, secrets, error) {
	cfg := s.Config
	kept, err := loadSecrets(dir)
	if err != nil {
		return cfg, kept, err
	}
	cfg.StateDir = dir
	cfg.Keys.Anon = cmp.Or(cfg.Keys.Anon, kept.AnonKey)
	cfg.Keys.Service = cmp.Or(cfg.Keys.Service, kept.ServiceKey)
	cfg.Keys.CronSecret = cmp.Or(cfg.Keys.CronSecret, kept.CronSecret)
	cfg.Mail.Dir, err = filepath.Abs(cfg.Mail.Dir)
	return cfg, kept, err
}

// startParts starts PostgreSQL and Temporal side by side, where no setting says that they are there already. It returns what it started even with an error.
func startParts(ctx context.Context, dir string, cfg config.Config, kept secrets, taken *folder, say sayer) ([]*keeper, config.Config, error) {
	logs := filepath.Join(dir, "logs")
	var parts []*keeper
	var pg *postgres
	if cfg.Database.URL == "" {
		parts = append(parts, &keeper{name: "PostgreSQL", again: postgresAgain, grace: 30 * time.Second, say: say, begin: func(ctx context.Context) (*process, error) {
			if pg == nil {
				made, err := newPostgres(ctx, dir, port{"POSTGRES_PORT", cfg.Dev.PostgresPort}, kept.PostgresPassword, true, say)
				if err != nil {
					return nil, err
				}
				made.logs = logs
				pg = made
			}
			return pg.start(ctx, taken.file)
		}})
	}
	server := &temporal{file: filepath.Join(dir, "temporal.db"), logs: logs, namespace: cfg.Temporal.Namespace,
		at: port{"TEMPORAL_PORT", cfg.Dev.TemporalPort}, ui: port{"TEMPORAL_UI_PORT", cfg.Dev.TemporalUIPort}}
	ownTemporal := cfg.Temporal.Address == ""
	if ownTemporal {
		parts = append(parts, &keeper{name: "Temporal", again: temporalAgain, grace: 10 * time.Second, say: say, begin: func(ctx context.Context) (*process, error) {
			if server.cli == "" {
				cli, err := findTemporal(ctx, say)
				if err != nil {
					return nil, err
				}
				server.cli = cli
			}
			return server.start(ctx, taken.file)
		}})
	}
	results := make(chan error, len(parts))
	for _, part := range parts {
		go func() { results <- part.start(ctx) }()
	}
	var errs []error
	for range parts {
		errs = append(errs, <-results)
	}
	if pg != nil {
		cfg.Database.URL = pg.databaseURL()
	}
	if ownTemporal {
		cfg.Temporal.Address = server.at.address()
		cfg.Temporal.UIURL = cmp.Or(cfg.Temporal.UIURL, server.uiURL())
	}
	return parts, cfg, errors.Join(errs...)
}

// startPrograms runs the API and the worker. One that ends before its time ends the stack.
func (s Stack) startPrograms(ctx context.Context, cfg config.Config, stop context.CancelCauseFunc) *sync.WaitGroup {
	var running sync.WaitGroup
	for name, program := range map[string]func(context.Context, config.Config) error{"serve": s.Serve, "worker": s.Work} {
		running.Go(func() {
			err := program(ctx, cfg)
			if err == nil && ctx.Err() == nil {
				err = errors.New("ended by itself")
			}
			if err != nil {
				stop(fmt.Errorf("%s: %w", name, err))
			}
		})
	}
	return &running
}

// whenReady waits for the API, adds the demo data, and tells people and programs where everything is.
func (s Stack) whenReady(ctx context.Context, cfg config.Config, envFile string, began time.Time, say sayer) error {
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

// checkPorts says, before anything starts, which ports are taken: all of them at once.
func checkPorts(ctx context.Context, cfg config.Config) error {
	errs := []error{checkAddress(ctx, "HTTP_ADDR", cfg.HTTP.Addr)}
	if cfg.Database.URL == "" {
		errs = append(errs, port{"POSTGRES_PORT", cfg.Dev.PostgresPort}.check(ctx))
	}
	if cfg.Temporal.Address == "" {
		errs = append(errs, port{"TEMPORAL_PORT", cfg.Dev.TemporalPort}.check(ctx), port{"TEMPORAL_UI_PORT", cfg.Dev.TemporalUIPort}.check(ctx))
	}
	return errors.Join(errs...)
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
