package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"research/dev"
)

// A config says where a cluster lives.
type config struct {
	Dir   string   // state folder
	Ports ports    // the first one
	Bin   string   // folder with research, temporal-server, temporal-sql-tool and temporal-ui
	More  settings // for migrate, serve and worker; they win
	Out   io.Writer
}

// A cluster is a set of processes. Its parts are set once they have been started.
type cluster struct {
	config
	folder  *dev.Folder
	nginx   string // the binary
	secrets settings
	at      addresses

	databaseURL string // of research, as its owner
	databases   []*dev.Service
	nodes       []*dev.Service // of Temporal
	balancer    *dev.Service
	ui          *dev.Service
	serve       []*dev.Service
	workers     []*dev.Service
}

// openCluster takes the folder of a cluster, and prepares what its processes read.
func openCluster(ctx context.Context, cfg config) (*cluster, error) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(cfg.Out, format+"\n", args...) }
	nginx, err := ensureNginx(ctx, say)
	if err != nil {
		return nil, err
	}
	folder, err := dev.OpenFolder(ctx, cfg.Dir, cfg.Out)
	if err != nil {
		return nil, err
	}
	c := &cluster{config: cfg, folder: folder, nginx: nginx, at: cfg.Ports.addresses()}
	if err := c.prepare(ctx); err != nil {
		folder.Close()
		return nil, err
	}
	return c, nil
}

// prepare checks the ports, which are free once the folder is, and writes files.
func (c *cluster) prepare(ctx context.Context) (err error) {
	if err := c.Ports.check(ctx); err != nil {
		return err
	}
	if c.secrets, err = c.loadSecrets(ctx); err != nil {
		return err
	}
	return c.writeFiles()
}

// path is a file of the state folder.
func (c *cluster) path(names ...string) string {
	return filepath.Join(append([]string{c.folder.Path}, names...)...)
}

// start starts everything, in the order of dependency. What was started before an error is left to stop.
func (c *cluster) start(ctx context.Context) error {
	if err := c.startDatabases(ctx); err != nil {
		return err
	}
	if err := c.startTemporal(ctx); err != nil {
		return err
	}
	if err := c.folder.Run(ctx, c.research("migrate", nil)); err != nil {
		return err
	}
	for i := range serves {
		c.serve = append(c.serve, c.newServe(i, nil))
	}
	for i := range workers {
		c.workers = append(c.workers, c.newWorker(i, nil))
	}
	c.ui = c.newUI()
	if err := startAll(ctx, slices.Concat(c.serve, c.workers, []*dev.Service{c.ui})...); err != nil {
		return err
	}
	for _, frontend := range c.at.frontends {
		if err := knowsAttributes(ctx, frontend); err != nil {
			return err
		}
	}
	return nil
}

// startDatabases starts a PostgreSQL for the service and one for Temporal.
func (c *cluster) startDatabases(ctx context.Context) error {
	password := c.secrets["POSTGRES_PASSWORD"]
	ours, url, err := c.folder.NewPostgres(ctx, "postgres", "research", password, c.Ports.postgres())
	if err != nil {
		return err
	}
	theirs, _, err := c.folder.NewPostgres(ctx, "temporal-postgres", "temporal", password,
		c.Ports.temporalPostgres())
	if err != nil {
		return err
	}
	c.databaseURL, c.databases = url, []*dev.Service{ours, theirs}
	return startAll(ctx, c.databases...)
}

// keep starts parts again that end by themselves, until the context ends. Everything has been started.
func (c *cluster) keep(ctx context.Context) {
	for _, stage := range c.stages() {
		for _, service := range stage {
			service.Keep(ctx)
		}
	}
}

// stop ends everything, and leaves the folder. The context of keep must have ended before.
func (c *cluster) stop() error {
	defer c.folder.Close()
	var errs []error
	for _, stage := range c.stages() {
		errs = append(errs, stopAll(stage...))
	}
	return errors.Join(errs...)
}

// stages are the parts that stop together, in this order. serve and worker reach Temporal through nginx.
func (c *cluster) stages() [][]*dev.Service {
	return [][]*dev.Service{
		slices.Concat(c.serve, c.workers, []*dev.Service{c.ui}), {c.balancer}, c.nodes, c.databases,
	}
}

func startAll(ctx context.Context, services ...*dev.Service) error {
	var starting errgroup.Group
	for _, service := range services {
		starting.Go(func() error { return service.Start(ctx) })
	}
	return starting.Wait()
}

// stopAll stops services side by side. Nil ones were not started.
func stopAll(services ...*dev.Service) error {
	services = slices.DeleteFunc(services, func(service *dev.Service) bool { return service == nil })
	results := make(chan error, len(services))
	for _, service := range services {
		go func() { results <- service.Stop() }()
	}
	var errs []error
	for range services {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}
