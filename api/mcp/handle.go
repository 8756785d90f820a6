package mcp

import (
	"cmp"
	"context"
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

// A callee is a tool or a prompt: the method that calls it, and its name.
type callee struct{ method, name string }

const (
	callTool  = "tools/call"
	getPrompt = "prompts/get"
)

// handle returns the handler of a tool. It turns errors into results that the model can act on. A result is
// both structured and a text with the same JSON.
func handle[In, Out any](s *server, name, scope string, do tool[In, Out]) mcp.ToolHandlerFor[In, Out] {
	s.scopes[callee{callTool, name}] = scope
	return func(ctx context.Context, r *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		out, err := run(ctx, func(ctx context.Context) (Out, error) { return do(ctx, r, in) })
		var text []byte
		if err == nil {
			text, err = problem.Encode(out)
		}
		if err != nil {
			return nil, out, refusal(s.explain(ctx, name, err).Message)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, out, nil
	}
}

// run bounds the time of a call, and ends it with its HTTP request: the SDK gives calls another context.
func run[Out any](ctx context.Context, do func(context.Context) (Out, error)) (Out, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	defer context.AfterFunc(visitOf(ctx).request.Context(), cancel)()
	return do(ctx)
}

// calls is middleware that every call of a tool or a prompt passes, before the SDK validates its arguments.
// It checks the scope and the limit of the user, and records the call. Unknown names are left to the SDK.
func (s *server) calls(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		name := calledName(r)
		scope, known := s.scopes[callee{method, name}]
		if !known {
			return next(ctx, method, r)
		}
		began, v := time.Now(), visitOf(ctx)
		var result mcp.Result
		err := s.permit(v, scope)
		if err == nil {
			result, err = next(ctx, method, r)
		} else if answer := s.explain(ctx, name, err); method == callTool {
			called := &mcp.CallToolResult{}
			called.SetError(refusal(answer.Message))
			result, err = called, nil
		} else {
			err = protocolError(answer)
		}
		s.ended(ctx, name, codeOf(v, result, err), time.Since(began))
		return result, err
	}
}

// calledName returns the name of the tool or the prompt that a request calls. It is empty for other requests.
func calledName(r mcp.Request) string {
	switch params := r.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return params.Name
	case *mcp.GetPromptParams:
		return params.Name
	}
	return ""
}

// permit takes a call from the user's limit.
func (s *server) permit(v *visit, scope string) error {
	if !v.principal.Allows(scope) {
		return s.insufficientScope(v.principal, scope)
	}
	if wait := s.limit.Take(v.principal.Subject.UserID.String()); wait > 0 {
		return tooManyCalls(s.Limit, wait)
	}
	return nil
}

// codeOf returns the code of the error of a call. It is empty if there is none.
func codeOf(v *visit, result mcp.Result, err error) string {
	called, is := result.(*mcp.CallToolResult)
	switch {
	case v.code != "":
		return v.code
	case err != nil: // of the SDK, whose results are not valid
		return problem.CodeInternal
	case is && called.IsError: // of the SDK, for the arguments
		return codeInvalid
	}
	return ""
}

// ended records a call; the code is that of its error, or empty.
func (s *server) ended(ctx context.Context, name, code string, took time.Duration) {
	s.record(ctx, name, code)
	if s.Telemetry != nil {
		s.Telemetry.ToolCalled(ctx, name, cmp.Or(code, "ok"), took)
	}
}

// A refusal is what the model is told of an error. The SDK makes it the text of a result that is marked as an
// error.
type refusal string

func (r refusal) Error() string { return string(r) }

// explain returns what the model is told of the error of a call. What is our fault is logged.
func (s *server) explain(ctx context.Context, name string, err error) *problem.Error {
	v := visitOf(ctx)
	answer := s.edge.Answer(v.request, err)
	if answer.Status >= http.StatusInternalServerError {
		s.Log.ErrorContext(ctx, "tool failed", "tool", name, "error", err)
	}
	v.code = answer.Code
	return answer
}

// protocolError returns an answer as an error of JSON-RPC, for what has no results that are errors.
func protocolError(answer *problem.Error) error {
	code := int64(jsonrpc.CodeInvalidParams)
	if answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusTooManyRequests {
		code = jsonrpc.CodeInternalError
	}
	return &jsonrpc.Error{Code: code, Message: answer.Message}
}

// asCaller runs statements as the caller when it is the caller's turn.
func asCaller[T any](ctx context.Context, s *server, work func(*db.Queries) (T, error)) (value T, err error) {
	subject := principal(ctx).Subject
	err = s.Statements.Do(ctx, admission.Caller{User: subject.UserID}, func() error {
		value, err = db.AsUser(ctx, s.Store, subject, work)
		return err
	})
	return value, err
}

// maxErrorLength is how much of an error the model reads, in characters. The SDK quotes arguments in its own.
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

// withoutSubscriptions is middleware for a method that the SDK serves always. Lists do not change.
func withoutSubscriptions(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method == "subscriptions/listen" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no subscriptions"}
		}
		return next(ctx, method, r)
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
