package dev

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// A sayer tells a person what happens.
type sayer func(format string, args ...any)

// newSayer writes a line each; any number of parts may speak at once.
func newSayer(out io.Writer) sayer {
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(out, format+"\n", args...) // nobody to tell
	}
}

// A keeper starts a part of the stack, and starts it again should it end by itself.
type keeper struct {
	name  string
	begin func(context.Context) (*process, error)
	// again is how long a part that ended stays away.
	again time.Duration
	grace time.Duration // to end when asked
	say   sayer

	current *process
	kept    chan struct{} // closed when keep has returned
}

// start starts the part and waits until it answers.
func (k *keeper) start(ctx context.Context) (err error) {
	k.current, err = k.begin(ctx)
	return err
}

// keep watches the part in the background until the context ends.
func (k *keeper) keep(ctx context.Context) {
	k.kept = make(chan struct{})
	go func() {
		defer close(k.kept)
		for {
			select {
			case <-ctx.Done():
				return
			case <-k.current.done:
			}
			k.say("%s ended by itself. It is started again in %s. Its last words:\n%s", k.name, k.again, k.current.out.last())
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(k.again):
				}
				p, err := k.begin(ctx)
				if err == nil {
					k.current = p
					k.say("%s is back.", k.name)
					break
				}
				if ctx.Err() != nil {
					return
				}
				k.say("%s does not start: %v", k.name, err)
			}
		}
	}()
}

// end ends the part; the context of keep has ended before.
func (k *keeper) end() {
	if k.kept != nil {
		<-k.kept
	}
	if k.current != nil {
		k.current.end(k.grace)
	}
}
