package temporalclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"sync"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"research/internal/outage"
)

// A watcher logs when Temporal becomes unreachable or refuses calls, and when that ends, whatever the program
// does with the errors.
type watcher struct {
	log         *slog.Logger
	unreachable *outage.Log
	refusedKey  *outage.Log // not accepted, which all calls are then refused for

	mu      sync.Mutex
	refused map[string]*outage.Log // by method, since a right may be missing for one of them
}

// watchConnection returns the interceptor of a watcher.
func watchConnection(log *slog.Logger) grpc.UnaryClientInterceptor {
	w := &watcher{
		log: log, unreachable: outage.New(log, "temporal unreachable"),
		refusedKey: outage.New(log, "temporal refuses the API key or the certificate"),
		refused:    map[string]*outage.Log{},
	}
	return func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker,
		opts ...grpc.CallOption,
	) error {
		err := call(ctx, method, req, reply, conn, opts...)
		w.report(path.Base(method), err)
		return err
	}
}

func (w *watcher) report(method string, err error) {
	code := status.Code(err)
	switch code {
	case codes.Canceled, codes.DeadlineExceeded: // says nothing
		return
	case codes.Unavailable:
		why, _ := causeOf(err)
		w.unreachable.Report(fmt.Errorf("%s: %s: %s", method, code, why))
		return
	case codes.Unauthenticated:
		w.refusedKey.Report(fmt.Errorf("%s: %s", method, code))
		return
	}
	w.unreachable.Report(nil) // every other code is an answer
	if code == codes.OK {
		w.refusedKey.Report(nil)
	}
	isRefused := code == codes.PermissionDenied || code == codes.Unimplemented
	w.mu.Lock()
	defer w.mu.Unlock()
	log := w.refused[method]
	if log == nil && isRefused {
		log = outage.New(w.log.With("method", method), "temporal refuses a call")
		w.refused[method] = log
	}
	switch {
	case isRefused:
		log.Report(errors.New(code.String()))
	case log != nil:
		log.Report(nil)
	}
}

// A pollHandler omits the SDK's lines about polls that failed because Temporal is unreachable or refuses
// them: each poller repeats them, and a watcher has logged it.
type pollHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h pollHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "Failed to poll for task." && isWatched(record) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (h pollHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return pollHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h pollHandler) WithGroup(name string) slog.Handler {
	return pollHandler{h.Handler.WithGroup(name)}
}

// isWatched reports whether a record has an error that a watcher logs.
func isWatched(record slog.Record) (found bool) {
	record.Attrs(func(a slog.Attr) bool {
		if err, isError := a.Value.Any().(error); isError {
			switch serviceerror.ToStatus(err).Code() {
			case codes.Unavailable, codes.PermissionDenied, codes.Unauthenticated, codes.Unimplemented:
				found = true
			}
		}
		return !found
	})
	return found
}
