package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// defaultPort is beside the ports of `make dev` and of docker-compose.yml, and below those that Linux gives
// to outgoing connections.
const defaultPort = 18000

// Ports are numbered from the first one, so that one flag moves all of them.
type ports int

func (p ports) api() int              { return int(p) }
func (p ports) temporal() int         { return int(p) + 1 }
func (p ports) temporalUI() int       { return int(p) + 2 }
func (p ports) postgres() int         { return int(p) + 3 }
func (p ports) temporalPostgres() int { return int(p) + 4 }

// serve is where serve i answers clients, and serveMetrics where it answers operators. The first is 0.
func (p ports) serve(i int) int        { return int(p) + 10 + i }
func (p ports) serveMetrics(i int) int { return int(p) + 20 + i }

// workerMetrics leaves room for twice the workers: while they are replaced, old and new ones run side by
// side.
func (p ports) workerMetrics(i int) int { return int(p) + 30 + i }

// node is the first port of a Temporal node. Each has two for each of its four services, and nodeMetrics.
func (p ports) node(i int) int { return int(p) + 50 + 10*i }

func (p ports) nodeMetrics(i int) int { return p.node(i) + 8 }

// all are the ports that have to be free.
func (p ports) all() []int {
	all := []int{p.api(), p.temporal(), p.temporalUI(), p.postgres(), p.temporalPostgres()}
	for i := range serves {
		all = append(all, p.serve(i), p.serveMetrics(i))
	}
	for i := range workers {
		all = append(all, p.workerMetrics(i))
	}
	for i := range nodes {
		for n := range 9 {
			all = append(all, p.node(i)+n)
		}
	}
	return all
}

// check returns an error that names the ports that are in use.
func (p ports) check(ctx context.Context) error {
	var errs []error
	for _, port := range p.all() {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", local(port))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, l.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("ports are in use: stop the other program, or choose others by CLUSTER_PORT: %w", err)
	}
	return nil
}

// addresses are those of a cluster on this machine.
func (p ports) addresses() addresses {
	a := addresses{
		api: local(p.api()), temporal: local(p.temporal()), temporalUI: local(p.temporalUI()),
		postgres: local(p.postgres()), temporalPostgres: local(p.temporalPostgres()),
	}
	for i := range a.serve {
		a.serve[i] = local(p.serve(i))
	}
	for i := range a.frontends {
		a.frontends[i] = local(p.node(i))
	}
	return a
}

// local is an address on the loopback interface: the network cannot reach the cluster.
func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
