// Command cluster runs the processes of a production installation on one machine: PostgreSQL, two nodes of
// Temporal on PostgreSQL, three serve behind nginx, and four worker. `make cluster` builds what it needs and
// starts it. docker-compose.yml has the same topology; docs/cluster.md describes
// both.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"research/dev"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	code := 0
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "cluster:", err)
		code = 1
	}
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("cluster", flag.ContinueOnError)
	dir := flags.String("dir", ".cluster", "state `folder`: data, logs, settings")
	bin := flags.String("bin", "bin", "`folder` of the binaries that make builds")
	port := flags.Int("port", defaultPort, "first `port` of a hundred")
	withParent := flags.Bool("with-parent", false, "end with the process that started us")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if *withParent {
		go func() {
			dev.WaitForParent(ctx)
			cancel()
		}()
	}
	binaries, err := filepath.Abs(*bin)
	if err != nil {
		return err
	}
	return serveCluster(ctx, config{Dir: *dir, Ports: ports(*port), Bin: binaries, Out: out})
}

// serveCluster runs a cluster until the context ends.
func serveCluster(ctx context.Context, cfg config) error {
	began := time.Now()
	c, err := openCluster(ctx, cfg)
	if err != nil {
		return err
	}
	env := c.path("cluster.env")
	_ = os.Remove(env) // it is there while everything is ready
	err = c.start(ctx)
	if err == nil {
		err = c.writeEnv(env)
	}
	if err == nil {
		c.announce(env, time.Since(began))
		c.keep(ctx)
		<-ctx.Done()
	}
	_ = os.Remove(env)
	interrupted := ctx.Err() != nil
	_, _ = fmt.Fprintln(cfg.Out, "Stopping.")
	stopErr := c.stop()
	if interrupted {
		return stopErr
	}
	return err
}

// announce tells a person where everything is.
func (c *cluster) announce(env string, took time.Duration) {
	_, _ = fmt.Fprintf(c.Out, `Ready in %s.

  API and page     http://%s (nginx, before %s)
  Temporal         %s (nginx, before %s)
  Temporal UI      http://%s
  PostgreSQL       %s, and %s for Temporal
  Settings         %s
  Mails, logs      %s, %s

Ctrl-C stops everything; the data stays in %s.
`, took.Round(10*time.Millisecond), c.at.api, strings.Join(c.at.serve[:], ", "),
		c.at.temporal, strings.Join(c.at.frontends[:], ", "), c.at.temporalUI, c.at.postgres, c.at.temporalPostgres,
		env, c.path("mail"), c.path("logs"), c.folder.Path)
}
