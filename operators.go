package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// An operation is one of the commands of `research user`, `research import` and the like. On is what it works on.
type operation[On any] struct {
	flags func(*flag.FlagSet)
	args  int // besides flags; severalArgs: one or more
	run   func(ctx context.Context, on On, c call) error
}

const severalArgs = -1

func noFlags(*flag.FlagSet) {}

// A call is what the operator typed, and where the answer goes.
type call struct {
	args  []string
	flags *flag.FlagSet
	in    io.Reader
	out   io.Writer
}

func (c call) text(name string) string { return c.flags.Lookup(name).Value.String() }
func (c call) on(name string) bool     { return c.text(name) == "true" }

// readCall finds the operation that is meant. It returns none where only help was asked for, which it prints.
func readCall[On any](tool, usage string, operations map[string]operation[On], args []string, in io.Reader, out io.Writer) (*operation[On], call, error) {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		_, err := io.WriteString(out, usage)
		return nil, call{}, err
	}
	op, known := operations[args[0]]
	if !known {
		return nil, call{}, fmt.Errorf("there is no command %q\n\n%s", tool+" "+args[0], usage)
	}
	c := call{flags: flag.NewFlagSet(args[0], flag.ContinueOnError), in: in, out: out}
	c.flags.SetOutput(io.Discard)
	op.flags(c.flags)
	// Flags may stand behind what they are about.
	for rest := args[1:]; ; {
		if err := c.flags.Parse(rest); err != nil {
			return nil, call{}, fmt.Errorf("%s %s: %w\n\n%s", tool, args[0], err, usage)
		}
		if rest = c.flags.Args(); len(rest) == 0 {
			break
		}
		c.args, rest = append(c.args, rest[0]), rest[1:]
	}
	if len(c.args) != op.args && (op.args != severalArgs || len(c.args) == 0) {
		return nil, call{}, fmt.Errorf("%s %s: wrong number of arguments\n\n%s", tool, args[0], usage)
	}
	return &op, c, nil
}

// minute shows a time to operators.
func minute(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format("2006-01-02 15:04Z")
}

// printable keeps what a client sent from steering the terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
