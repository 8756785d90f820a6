package dev

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
)

// A port is where a part listens, and the setting that chooses it.
type port struct {
	setting string
	number  int
}

// address is on the loopback interface: a development stack offers nothing to the network.
func (p port) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

// check returns an error that names the setting where the port is taken.
func (p port) check(ctx context.Context) error {
	return checkAddress(ctx, p.setting, p.address())
}

// checkAddress returns an error that names the setting where nobody can listen on the address.
func checkAddress(ctx context.Context, setting, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return l.Close()
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s: %s is in use by another program: stop it, or choose another port with %s",
			setting, address, setting)
	}
	return fmt.Errorf("%s: cannot listen on %s: %w", setting, address, err)
}

// FreePort returns ports from firstPort to lastPort, in turn. Processes begin at different ones.
const firstPort, lastPort = 20_000, 32_767

var (
	portOffset = rand.Int64N(lastPort - firstPort + 1)
	portsTried atomic.Int64
)

// FreePort returns a port of this machine that is not in use. It is below those that systems give to outgoing
// connections, and is not returned twice, so that it stays free until somebody listens on it.
func FreePort(ctx context.Context) (int, error) {
	const attempts = 100
	for range attempts {
		p := port{number: firstPort + int((portOffset+portsTried.Add(1))%(lastPort-firstPort+1))}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", p.address())
		if err == nil {
			return p.number, l.Close()
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return 0, err
		}
	}
	return 0, fmt.Errorf("no port from %d to %d is free", firstPort, lastPort)
}
