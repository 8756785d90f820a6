package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"research/dev"
)

const (
	// serveGrace is above DRAIN_DELAY (5 s) and the time that serve waits for requests (20 s).
	serveGrace = 30 * time.Second
	// workerGrace is above WORKER_STOP_TIMEOUT: OPENAI_TIMEOUT (2 min), and what comes after it (10 s).
	workerGrace = 160 * time.Second
)

// research is a program of ours with the settings of the cluster.
func (c *cluster) research(program string, more settings) *exec.Cmd {
	cmd := newCommand(filepath.Join(c.Bin, "research"), program)
	cmd.Dir = c.folder.Path // a .env file in the checkout is not the cluster's
	set := c.at.researchSettings(c.databaseURL, c.secrets).with(settings{
		"STATE_DIR": c.folder.Path,
		"MAIL_DIR":  c.path("mail"), // docker-compose.yml has Mailpit
	}).with(c.More).with(more)
	cmd.Env = append(os.Environ(), set.environ()...)
	return cmd
}

// newCommand makes a command that no context kills: services are stopped by signals, in order.
func newCommand(path string, args ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), path, args...)
}

// newServe is serve i, from 0. Only one of a number can run at a time.
func (c *cluster) newServe(i int, more settings) *dev.Service {
	own := settings{"HTTP_ADDR": c.at.serve[i], "METRICS_ADDR": local(c.Ports.serveMetrics(i))}
	return c.newProgram("serve", i, serveGrace, own.with(more))
}

// newWorker is worker i, from 0.
func (c *cluster) newWorker(i int, more settings) *dev.Service {
	own := settings{"METRICS_ADDR": local(c.Ports.workerMetrics(i))}
	return c.newProgram("worker", i, workerGrace, own.with(more))
}

func (c *cluster) newProgram(program string, i int, grace time.Duration, set settings) *dev.Service {
	return c.folder.NewService(dev.ServiceConfig{
		Name: fmt.Sprintf("%s-%d", program, i+1), Grace: grace,
		Command: func() *exec.Cmd { return c.research(program, set) },
		Ready:   func(ctx context.Context) error { return checkHTTP(ctx, "http://"+set["METRICS_ADDR"]+"/readyz") },
	})
}

// checkHTTP returns nil once the URL answers 200.
func checkHTTP(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}
