package temporalclient

import (
	"context"
	"errors"
	"log/slog"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"research/internal/outage"
)

// watchConnection logs when Temporal becomes unreachable and when it responds again, whatever the call is.
func watchConnection(log *slog.Logger) grpc.UnaryClientInterceptor {
	unreachable := outage.New(log, "temporal unreachable")
	return func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker,
		opts ...grpc.CallOption,
	) error {
		err := call(ctx, method, req, reply, conn, opts...)
		if err == nil || status.Code(err) == codes.Unavailable {
			unreachable.Report(err)
		}
		return err
	}
}

// A pollHandler omits the SDK's lines about polls that failed because Temporal is unreachable: each poller
// repeats them, and watchConnection has logged the outage.
type pollHandler struct{ slog.Handler }

// Handle implements slog.Handler.
func (h pollHandler) Handle(ctx context.Context, record slog.Record) error {
	if record.Message == "Failed to poll for task." && isUnreachable(record) {
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

func isUnreachable(record slog.Record) (found bool) {
	record.Attrs(func(a slog.Attr) bool {
		err, isError := a.Value.Any().(error)
		var unavailable *serviceerror.Unavailable
		found = isError && errors.As(err, &unavailable)
		return !found
	})
	return found
}
