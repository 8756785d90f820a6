package mcp

import (
	"net/http"
	"strings"

	"research/api/problem"
)

// serveSDK serves a request by a handler of the SDK. What the SDK refuses by plain text is returned, so that
// it has the form of other errors. Its errors of JSON-RPC have theirs.
func serveSDK(sdk http.Handler, w http.ResponseWriter, r *http.Request) error {
	kept := &keepingErrors{ResponseWriter: w}
	sdk.ServeHTTP(kept, r)
	if kept.status == 0 {
		return nil
	}
	code := codeInvalid
	switch {
	case kept.status >= http.StatusInternalServerError:
		code = problem.CodeInternal
	case kept.status == http.StatusUnsupportedMediaType:
		code = problem.CodeUnsupportedMedia
	}
	return &problem.Error{
		Status: kept.status, Code: code, Message: cut(strings.TrimSpace(kept.text.String()), maxErrorLength),
	}
}

// A keepingErrors keeps responses of http.Error.
type keepingErrors struct {
	http.ResponseWriter
	status int // of what is kept; 0 means that nothing is
	text   strings.Builder
}

func (w *keepingErrors) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *keepingErrors) Write(part []byte) (int, error) {
	if w.status != 0 {
		return w.text.Write(part)
	}
	return w.ResponseWriter.Write(part)
}

// Unwrap is for http.ResponseController.
func (w *keepingErrors) Unwrap() http.ResponseWriter { return w.ResponseWriter }
