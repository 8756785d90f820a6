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
	"sync"
	"time"

	"research/config"
	"research/db"
)

// A Stack is what Run works with: the settings, and the programs.
type Stack struct {
	Config config.Config
	// Serve and Work run the programs. They return when the context ends.
	Serve, Work func(context.Context, config.Config) error
	Out         io.Writer // for the person at the terminal
}

// The user of the demo data, and the user's password.
const (
	DemoEmail    = "demo@example.com"
	DemoPassword = "demo-password"
)

// readyTimeout is how long the API may take to answer its first request, also on a busy machine.
const readyTimeout = 2 * time.Minute

// How long after its end a part is started again. Everything needs the database. Without Temporal the API
// works and responds to a parse with 503, which is useful to see after stopping Temporal on purpose.
const (
	postgresRestartDelay = time.Second
	temporalRestartDelay = 15 * time.Second
)

// Run starts the stack, writes STATE_DIR/dev.env when everything is ready, and stops the stack when ctx ends.
func Run(ctx context.Context, s Stack) error {
	began := time.Now()
	logf := newLogf(s.Out)
	dir, err := makeStateDir(s.Config.StateDir)
	if err != nil {
		return err
	}
	lock, err := lockState(ctx, dir, logf)
	if err != nil {
		return err
	}
	defer lock.unlock()
	envFile := filepath.Join(dir, "dev.env")
	_ = os.Remove(envFile) // its existence means that everything is ready
	cfg, kept, err := s.withSecrets(dir)
	if err != nil {
		return err
	}
	if err := checkPorts(ctx, cfg); err != nil {
		return err
	}
	parts, cfg, err := startParts(ctx, dir, cfg, kept, lock, logf)
	defer func() { // the programs have ended by then
		for _, part := range parts {
			part.stop()
		}
	}()
	if err != nil {
		return unlessStopped(ctx, err)
	}
	if _, err := db.Migrate(ctx, cfg.Database.URL); err != nil {
		if errors.Is(err, db.ErrOtherSchema) && s.Config.Database.URL == "" {
			err = fmt.Errorf("%w: remove the folder %s", err, dir)
		}
		return unlessStopped(ctx, err)
	}

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	for _, part := range parts {
		part.watch(ctx)
	}
	logins, err := makeLogins(ctx, cfg, s.Config.Database.URL == "")
	if err != nil {
		return unlessStopped(ctx, err)
	}
	programs := s.startPrograms(ctx, cfg, logins, stop)
	if err := s.whenReady(ctx, cfg, envFile, began, logf); err != nil {
		stop(err)
	}
	<-ctx.Done()
	_ = os.Remove(envFile)
	logf("Stopping.")
	programs.Wait()
	return unlessStopped(ctx, context.Cause(ctx))
}

// unlessStopped drops an error where the stack was asked to stop.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), context.Canceled) {
		return nil
	}
	return err
}

// makeStateDir makes the state folder. Others cannot read it, but the user that PostgreSQL runs as may pass
// it.
func makeStateDir(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for _, folder := range []string{dir, logDir(dir)} {
		if err := os.MkdirAll(folder, 0o711); err != nil {
			return "", fmt.Errorf("make the folder of STATE_DIR: %w", err)
		}
	}
	return dir, nil
}

func logDir(stateDir string) string { return filepath.Join(stateDir, "logs") }

// withSecrets returns the settings, with the secrets that are not set taken from the state folder.
func (s Stack) withSecrets(dir string) (config.Config, secrets, error) {
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

// startParts starts PostgreSQL and Temporal at the same time, unless a setting says where they are. It
// returns what it started, even with an error, and the settings that lead to them.
func startParts(
	ctx context.Context, dir string, cfg config.Config, kept secrets, lock *stateLock, logf logf,
) ([]*supervisor, config.Config, error) {
	var parts []*supervisor
	var pg *postgres
	if cfg.Database.URL == "" {
		at := port{"POSTGRES_PORT", cfg.Dev.PostgresPort}
		start := func(ctx context.Context) (*process, error) {
			if pg == nil {
				made, err := newPostgres(ctx, dir, at, kept.PostgresPassword, true, logf)
				if err != nil {
					return nil, err
				}
				made.logDir = logDir(dir)
				pg = made
			}
			return pg.start(ctx, lock.file)
		}
		parts = append(parts, &supervisor{
			name: "PostgreSQL", startPart: start, restartDelay: postgresRestartDelay, stopTimeout: 30 * time.Second,
			logf: logf,
		})
	}
	server := &temporal{
		file: filepath.Join(dir, "temporal.db"), logDir: logDir(dir), namespace: cfg.Temporal.Namespace,
		at: port{"TEMPORAL_PORT", cfg.Dev.TemporalPort}, ui: port{"TEMPORAL_UI_PORT", cfg.Dev.TemporalUIPort},
	}
	ownTemporal := cfg.Temporal.Address == ""
	if ownTemporal {
		start := func(ctx context.Context) (*process, error) {
			if server.cli == "" {
				cli, err := findTemporal(ctx, logf)
				if err != nil {
					return nil, err
				}
				server.cli = cli
			}
			return server.start(ctx, lock.file)
		}
		parts = append(parts, &supervisor{
			name: "Temporal", startPart: start, restartDelay: temporalRestartDelay, stopTimeout: 10 * time.Second,
			logf: logf,
		})
	}
	err := startAll(ctx, parts)
	if pg != nil {
		cfg.Database.URL = pg.databaseURL()
	}
	if ownTemporal {
		cfg.Temporal.Address = server.at.address()
		cfg.Temporal.UIURL = cmp.Or(cfg.Temporal.UIURL, server.uiURL())
	}
	return parts, cfg, err
}

// makeLogins returns the database URL of each program. In a database of our own, the programs log in by
// themselves, with passwords that nobody else learns.
func makeLogins(ctx context.Context, cfg config.Config, own bool) (map[string]string, error) {
	logins := map[string]string{"serve": cfg.Database.URL, "worker": cfg.Database.URL}
	if !own {
		return logins, nil
	}
	for program, role := range map[string]string{"serve": db.LoginServe, "worker": db.LoginWorker} {
		password := newSecret()
		if err := db.EnsureLogin(ctx, cfg.Database.URL, role, password); err != nil {
			return nil, err
		}
		u, err := url.Parse(cfg.Database.URL)
		if err != nil {
			return nil, fmt.Errorf("the URL of the database is not a URL")
		}
		u.User = url.UserPassword(role, password)
		logins[program] = u.String()
	}
	return logins, nil
}

// startPrograms runs the API and the worker. If one of them ends by itself, the stack stops.
func (s Stack) startPrograms(
	ctx context.Context, cfg config.Config, logins map[string]string, stop context.CancelCauseFunc,
) *sync.WaitGroup {
	var running sync.WaitGroup
	programs := map[string]func(context.Context, config.Config) error{"serve": s.Serve, "worker": s.Work}
	for name, program := range programs {
		cfg := cfg
		cfg.Database.URL = logins[name]
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
func (s Stack) whenReady(
	ctx context.Context, cfg config.Config, envFile string, began time.Time, logf logf,
) error {
	models := searchModels(ctx, cfg)
	if err := waitForAPI(ctx, cfg); err != nil {
		return err
	}
	judgeDemo, err := addDemo(ctx, cfg)
	if err != nil {
		return fmt.Errorf("add the demo data: %w", err)
	}
	if err := writeEnv(envFile, cfg); err != nil {
		return err
	}
	logf("Ready in %s.\n", time.Since(began).Round(10*time.Millisecond))
	logf("  API and page   %s", cfg.HTTP.PublicURL)
	if cfg.Temporal.UIURL != "" {
		logf("  Temporal UI    %s", cfg.Temporal.UIURL)
	}
	logf("  Sign in        %s / %s", DemoEmail, DemoPassword)
	logf("  Settings       %s", envFile)
	extractor := "keyword match, no AI (set OPENAI_API_KEY or OPENAI_BASE_URL for a model)"
	if cfg.Extract.UsesModel() {
		extractor = "model " + cfg.Extract.Model
	}
	logf("  Evidence by    %s", extractor)
	if line := <-models; line != "" {
		logf("\n%s", line)
	}
	logf("\nCtrl-C stops everything; the data stays in %s.", cfg.StateDir)
	if err := judgeDemo(ctx); err != nil && ctx.Err() == nil {
		logf("The quotes of the demo could not be judged: %s", err)
	}
	return nil
}

// searchModels looks for model servers on this machine while the API starts, unless a model is configured.
// The channel has the line about them, or an empty one.
func searchModels(ctx context.Context, cfg config.Config) <-chan string {
	line := make(chan string, 1)
	if cfg.Extract.UsesModel() {
		line <- ""
		return line
	}
	go func() {
		line <- DescribeModelServers(FindModelServers(ctx, cfg.HTTP.Addr), "make dev")
	}()
	return line
}

// writeEnv writes what other programs need to reach the stack.
func writeEnv(path string, cfg config.Config) error {
	return WriteEnv(path, [][2]string{
		{"API_URL", cfg.HTTP.PublicURL},
		{"PUBLIC_URL", cfg.HTTP.PublicURL}, // for research import, doctor and mcp
		{"ANON_KEY", cfg.Keys.Anon},
		{"SERVICE_ROLE_KEY", cfg.Keys.Service},
		{"CRON_SECRET", cfg.Keys.CronSecret},
		{"DATABASE_URL", cfg.Database.URL},
		{"TEMPORAL_ADDRESS", cfg.Temporal.Address},
		{"TEMPORAL_NAMESPACE", cfg.Temporal.Namespace},
		{"TEMPORAL_UI_URL", cfg.Temporal.UIURL},
		{"MAIL_DIR", cfg.Mail.Dir},
		{"DEMO_EMAIL", DemoEmail},
		{"DEMO_PASSWORD", DemoPassword},
	})
}

// checkPorts returns an error that names every port that is taken, before anything starts.
func checkPorts(ctx context.Context, cfg config.Config) error {
	errs := []error{checkAddress(ctx, "HTTP_ADDR", cfg.HTTP.Addr)}
	if cfg.Database.URL == "" {
		errs = append(errs, port{"POSTGRES_PORT", cfg.Dev.PostgresPort}.check(ctx))
	}
	if cfg.Temporal.Address == "" {
		errs = append(errs,
			port{"TEMPORAL_PORT", cfg.Dev.TemporalPort}.check(ctx),
			port{"TEMPORAL_UI_PORT", cfg.Dev.TemporalUIPort}.check(ctx))
	}
	return errors.Join(errs...)
}

// apiURL is where the API listens, as seen from this machine; PUBLIC_URL may be that of a proxy.
func apiURL(cfg config.Config) string {
	host, number, _ := net.SplitHostPort(cfg.HTTP.Addr) // config has checked it
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, number)}
	return u.String()
}
