package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"research/dev"
)

// startTemporal starts the nodes behind nginx, over databases with their schema, and registers the namespace.
func (c *cluster) startTemporal(ctx context.Context) error {
	schema := newCommand("/bin/sh", c.path("temporal", "schema.sh"))
	schema.Env = append(os.Environ(), c.sqlSettings().environ()...)
	schema.Env = append(schema.Env, "PATH="+c.Bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := c.folder.Run(ctx, schema); err != nil {
		return err
	}
	for i := range nodes {
		c.nodes = append(c.nodes, c.newNode(i))
	}
	c.balancer = c.newBalancer()
	// One node first: over an empty database, two would both write the cluster's first record, and one would
	// fail.
	if err := startAll(ctx, c.balancer, c.nodes[0]); err != nil {
		return err
	}
	if err := startAll(ctx, c.nodes[1:]...); err != nil {
		return err
	}
	return registerNamespace(ctx, c.at.temporal)
}

func (c *cluster) sqlSettings() settings {
	return c.at.sqlSettings("postgres", c.secrets["POSTGRES_PASSWORD"])
}

// newNode is a Temporal server with all four services.
func (c *cluster) newNode(i int) *dev.Service {
	set := c.sqlSettings().with(settings{
		"NODE_HOST": "127.0.0.1", "DYNAMIC_CONFIG": c.path("temporal", "dynamic.yaml"),
	})
	set["METRICS_PORT"] = strconv.Itoa(c.Ports.nodeMetrics(i))
	for n, service := range []string{"FRONTEND", "HISTORY", "MATCHING", "WORKER"} {
		set[service+"_GRPC_PORT"] = strconv.Itoa(c.Ports.node(i) + 2*n)
		set[service+"_MEMBERSHIP_PORT"] = strconv.Itoa(c.Ports.node(i) + 2*n + 1)
	}
	return c.folder.NewService(dev.ServiceConfig{
		Name: fmt.Sprintf("temporal-%d", i+1), Grace: 30 * time.Second,
		Command: func() *exec.Cmd {
			cmd := newCommand(filepath.Join(c.Bin, "temporal-server"),
				"--root", c.folder.Path, "--config", "temporal", "--env", "server", "--allow-no-auth", "start")
			cmd.Env = append(os.Environ(), set.environ()...)
			return cmd
		},
		Ready: func(ctx context.Context) error { return checkFrontend(ctx, c.at.frontends[i]) },
	})
}

// newUI is Temporal's UI.
func (c *cluster) newUI() *dev.Service {
	return c.folder.NewService(dev.ServiceConfig{
		Name: "temporal-ui", Grace: 10 * time.Second,
		Command: func() *exec.Cmd {
			cmd := newCommand(filepath.Join(c.Bin, "temporal-ui"),
				"--root", c.folder.Path, "--config", "temporal", "--env", "ui", "start")
			cmd.Env = append(os.Environ(), c.at.uiSettings().environ()...)
			cmd.Env = append(cmd.Env, "TEMPORAL_UI_PORT="+strconv.Itoa(c.Ports.temporalUI()))
			return cmd
		},
		Ready: func(ctx context.Context) error { return checkHTTP(ctx, "http://"+c.at.temporalUI+"/") },
	})
}

var quiet = slog.New(slog.DiscardHandler)

// checkFrontend returns nil once a Temporal frontend answers.
func checkFrontend(ctx context.Context, address string) error {
	temporal, err := dialTemporal(ctx, address)
	if err != nil {
		return err
	}
	temporal.Close()
	return nil
}

func dialTemporal(ctx context.Context, address string) (client.Client, error) {
	return client.DialContext(ctx, client.Options{HostPort: address, Namespace: namespace, Logger: quiet})
}

// registerNamespace registers the namespace unless it is there.
func registerNamespace(ctx context.Context, address string) error {
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: quiet})
	if err != nil {
		return err
	}
	defer namespaces.Close()
	keep, err := time.ParseDuration(retention)
	if err != nil {
		return err
	}
	err = namespaces.Register(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(keep),
	})
	var exists *serviceerror.NamespaceAlreadyExists
	if errors.As(err, &exists) {
		return nil
	}
	return err
}

// knowsAttributes returns nil once a frontend knows the search attributes that serve registers. In a new
// namespace a frontend may learn of them some seconds later than the other, and rejects the start of a parse
// until then.
func knowsAttributes(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // they are read again every ten seconds
	defer cancel()
	temporal, err := dialTemporal(ctx, address)
	if err != nil {
		return err
	}
	defer temporal.Close()
	for {
		_, err := temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{
			Namespace: namespace, Query: "ImportId = 'none' and WorkspaceId = 'none' and ProjectId = 'none' and " +
				"ErrorCode = 'none' and UnreadRanges = 0",
		})
		var unknown *serviceerror.InvalidArgument
		if !errors.As(err, &unknown) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("search attributes at %s: %w", address, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
