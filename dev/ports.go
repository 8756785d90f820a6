package dev

import (
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
func (p port) check() error {
	l, err := net.Listen("tcp", p.address())
	if err == nil {
		return l.Close()
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use by another program: stop it, or choose another port by %s=%d", p.number, p.setting, p.number+100)
	}
	return fmt.Errorf("port %d cannot be used (%s): choose another by %s", p.number, err, p.setting)
}

// freePort asks the system for a port that nobody uses.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
