package dev

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// A logf writes a line for the person at the terminal. It is safe for concurrent use.
type logf func(format string, args ...any)

func newLogf(out io.Writer) logf {
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(out, format+"\n", args...) // there is nowhere to report it
	}
}

// A supervisor starts a part of the stack, and starts it again when it ends by itself.
type supervisor struct {
	name         string
	startPart    func(context.Context) (*process, error)
	restartDelay time.Duration // after the part ended by itself
	stopTimeout  time.Duration // after which a part that was asked to stop is killed
	logf         logf

	current *process
	watched chan struct{} // closed when watch has ended; nil means that it was not started
}

// start starts the part and waits until it answers.
func (s *supervisor) start(ctx context.Context) (err error) {
	s.current, err = s.startPart(ctx)
	return err
}

// watch restarts the part in the background, until ctx ends.
func (s *supervisor) watch(ctx context.Context) {
	s.watched = make(chan struct{})
	go func() {
		defer close(s.watched)
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.current.done:
			}
			s.logf("%s ended by itself, and is started again in %s. Its last lines:\n%s",
				s.name, s.restartDelay, s.current.out.lastLines())
			if !s.restart(ctx) {
				return
			}
		}
	}()
}

// restart tries to start the part until it runs or ctx ends. It reports whether the part runs.
func (s *supervisor) restart(ctx context.Context) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(s.restartDelay):
		}
		p, err := s.startPart(ctx)
		if err == nil {
			s.current = p
			s.logf("%s is back.", s.name)
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		s.logf("%s does not start: %v", s.name, err)
	}
}

// stop stops the part. The context of watch must have ended before.
func (s *supervisor) stop() {
	if s.watched != nil {
		<-s.watched
	}
	if s.current != nil {
		s.current.stop(s.stopTimeout)
	}
}
