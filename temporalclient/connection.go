package temporalclient

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"strings"
	"sync"

	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"research/internal/outage"
)

// watchConnection logs when Temporal becomes unreachable and when it responds again, whatever the call is; when
// it refuses the key, and accepts one again; and for each call when it is denied, and permitted again.
func watchConnection(log *slog.Logger) grpc.UnaryClientInterceptor {
	unreachable := outage.New(log, "temporal unreachable")
	refused := outage.New(log, "temporal refuses the key: correct TEMPORAL_API_KEY or the certificate")
	var denied sync.Map // of *outage.Log, by method
	return func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker,
		opts ...grpc.CallOption,
	) error {
		err := call(ctx, method, req, reply, conn, opts...)
		if err == nil || status.Code(err) == codes.Unavailable {
			unreachable.Report(err)
		}
		if !needsKey(method) {
			return err
		}
		code := serviceerror.ToStatus(err).Code()
		if err == nil || code == codes.Unauthenticated {
			refused.Report(codeError(err))
		}
		known, _ := denied.Load(method)
		if known == nil && code == codes.PermissionDenied {
			with := log.With("call", path.Base(method))
			known, _ = denied.LoadOrStore(method, outage.New(with, "temporal denies a call"))
		}
		if known != nil && (err == nil || code == codes.PermissionDenied) {
			known.(*outage.Log).Report(codeError(err))
		}
		return err
	}
}

// doWithoutDescription lets workers start with a key that may not describe the namespace: they read its limits
// then, and do without them on a server that does not implement the call.
func doWithoutDescription(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker,
	opts ...grpc.CallOption,
) error {
	err := call(ctx, method, req, reply, conn, opts...)
	if path.Base(method) == "DescribeNamespace" && serviceerror.ToStatus(err).Code() == codes.PermissionDenied {
		return status.Error(codes.Unimplemented, "not permitted")
	}
	return err
}

// needsKey reports whether servers check the key for a method. They answer the others to everybody.
func needsKey(method string) bool {
	return strings.HasPrefix(method, "/temporal.api.") && path.Base(method) != "GetSystemInfo"
}

// codeError returns an error with the code of gRPC alone, or nil. A server's text may contain addresses.
func codeError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(kindOf(err))
}

// A pollHandler omits the SDK's lines about polls that failed because Temporal is unreachable or denies them:
// each poller repeats them, and watchConnection has logged it.
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

func isWatched(record slog.Record) (found bool) {
	record.Attrs(func(a slog.Attr) bool {
		err, isError := a.Value.Any().(error)
		var unavailable *serviceerror.Unavailable
		found = isError && (errors.As(err, &unavailable) || isRefusal(err))
		return !found
	})
	return found
}
