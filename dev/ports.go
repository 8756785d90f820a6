package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// A port is where a part will listen, and the setting that chooses it.
type port struct {
	setting string
	number  int
}

// address is on the loopback interface: nothing of a development stack is offered to the network.
func (p port) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.number)) }

// check says by name which setting's port is taken.
func (p port) check(ctx context.Context) error {
	return checkAddress(ctx, p.setting, p.address())
}

// checkAddress tells whether somebody listens there already.
func checkAddress(ctx context.Context, setting, address string) error {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	switch {
	case err == nil:
		return l.Close()
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%s: %s is in use by another program: stop it, or choose another port by %s", setting, address, setting)
	}
	return fmt.Errorf("%s: nobody can listen on %s: %w", setting, address, err)
}

// freePort asks the system for a port that nobody uses.
func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
