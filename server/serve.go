package server

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"research/api"
)

// drainTimeout is how long a stopping server waits for requests in progress.
const drainTimeout = 20 * time.Second

// These bound how long a slow client can hold a connection. They allow for the slowest legitimate request, an
// upload of 10 MB.
const (
	readTimeout  = api.ReadTimeout
	writeTimeout = 5 * time.Minute // from the end of the header
)

// memoryTarget is the memory, in bytes, above which garbage is collected more often. It leaves a fifth of the
// 512 MB that operators are told to allow for.
const memoryTarget = 400 << 20

// limitMemory sets memoryTarget, unless the operator has set GOMEMLIMIT.
func limitMemory() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // which only reads it
		debug.SetMemoryLimit(memoryTarget)
	}
}

func newHTTPServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    256 << 10, // a filter with a thousand ids is 40 KB
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// serve serves requests until ctx ends. Then it closes stopping, continues for drainDelay, so that load
// balancers notice that it is not ready, and waits for the requests in progress.
func serve(
	ctx context.Context, server *http.Server, listener net.Listener, drainDelay time.Duration,
	stopping chan<- struct{}, log *slog.Logger,
) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	close(stopping)
	log.Info("draining", "unready_for", drainDelay.String())
	time.Sleep(drainDelay)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	log.Info("drained")
	return server.Close()
}
