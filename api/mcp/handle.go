package mcp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/admission"
	"research/api/problem"
	"research/db"
)

// callTimeout is how long a tool may take. Clients wait for a minute or more.
const callTimeout = time.Minute

// A tool does what a model asks for. The context has the principal, and ends with the HTTP request. Errors
// are as in problem.Edge: the message of a *problem.Error is for the model, and others are translated.
type tool[In, Out any] func(ctx context.Context, r *mcp.CallToolRequest, in In) (Out, error)

// handle returns the handler of a tool. Every call passes it: it checks the scope and the limit of the user,
// bounds the time, records the call, and turns errors into results that the model can act on. The result is
// both structured and a text with the same JSON.
func handle[In, Out any](s *server, name, scope string, do tool[In, Out]) mcp.ToolHandlerFor[In, Out] {
	s.scopes[name] = scope
	return func(ctx context.Context, r *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		began := time.Now()
		out, text, err := run(ctx, s, name, scope, func(ctx context.Context) (Out, error) {
			return do(ctx, r, in)
		})
		if err != nil {
			answer := s.explain(ctx, name, err)
			s.ended(ctx, name, answer.Code, time.Since(began))
			return nil, out, refusal(answer.Message)
		}
		s.ended(ctx, name, "", time.Since(began))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, out, nil
	}
}

// run runs a call of a tool, and returns its result and the JSON of that.
func run[Out any](
	ctx context.Context, s *server, name, scope string, do func(context.Context) (Out, error),
) (out Out, text []byte, err error) {
	v := visitOf(ctx)
	if v == nil {
		return out, nil, errors.New("mcp: a call did not pass the door")
	}
	if !v.principal.Allows(scope) {
		return out, nil, s.insufficientScope(v.principal, scope)
	}
	if wait := s.limit.Take(v.principal.Subject.UserID.String()); wait > 0 {
		return out, nil, tooManyCalls(s.Limit, wait)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	// The SDK gives calls a context of their own.
	defer context.AfterFunc(v.request.Context(), cancel)()
	if out, err = do(ctx); err != nil {
		return out, nil, err
	}
	text, err = problem.Encode(out)
	return out, text, err
}

// ended records a call; the code is that of its error, or empty.
func (s *server) ended(ctx context.Context, name, code string, took time.Duration) {
	if visitOf(ctx) != nil {
		s.record(ctx, name, code)
	}
	if s.Telemetry != nil {
		s.Telemetry.ToolCalled(ctx, name, cmp.Or(code, "ok"), took)
	}
}

// A refusal is what the model is told of an error. The SDK makes it the text of a result that is marked as an
// error.
type refusal string

func (r refusal) Error() string { return string(r) }

// explain returns what the model is told of an error. What is our fault is logged.
func (s *server) explain(ctx context.Context, name string, err error) *problem.Error {
	request := &http.Request{}
	if v := visitOf(ctx); v != nil {
		request = v.request
	}
	answer := s.edge.Answer(request, err)
	if answer.Status >= http.StatusInternalServerError {
		s.Log.ErrorContext(ctx, "tool failed", "tool", name, "error", err)
	}
	return answer
}

// read runs statements as the caller when it is the caller's turn.
func read[T any](ctx context.Context, s *server, work func(*db.Queries) (T, error)) (value T, err error) {
	subject := principal(ctx).Subject
	err = s.Statements.Do(ctx, admission.Caller{User: subject.UserID}, func() error {
		value, err = db.AsUser(ctx, s.Store, subject, work)
		return err
	})
	return value, err
}

// maxErrorLength is how much of an error the model reads, in bytes. The SDK quotes arguments in its own.
const maxErrorLength = 2000

// shortenErrors is middleware that shortens the errors of tools.
func shortenErrors(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if called, is := result.(*mcp.CallToolResult); is && called != nil && called.IsError {
			for _, content := range called.Content {
				if text, is := content.(*mcp.TextContent); is {
					text.Text = cut(text.Text, maxErrorLength)
				}
			}
		}
		return result, err
	}
}

// recovers is middleware that answers with an error when a handler panics. The SDK runs handlers in
// goroutines of their own, where nothing else would keep a panic from ending the process.
func (s *server) recovers(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if panicked := recover(); panicked != nil {
				s.Log.ErrorContext(ctx, "tool panicked", "method", method, "panic", panicked,
					"stack", string(debug.Stack()))
				result, err = nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInternalError,
					Message: "Something went wrong on our side. It is logged.",
				}
			}
		}()
		return next(ctx, method, r)
	}
}
