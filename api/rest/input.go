package rest

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"research/api/problem"
	"research/api/rest/query"
)

// input reads the HTTP request as plain values, with the body of the methods that have one. The bodies of
// others are read as well: only then net/http notices a client that goes away.
func (h *Handler) input(w http.ResponseWriter, r *http.Request) (query.Input, error) {
	in := query.Input{
		Method:         r.Method,
		Path:           r.URL.Path,
		RawQuery:       r.URL.RawQuery,
		Prefer:         r.Header.Values("Prefer"),
		Accept:         r.Header.Values("Accept"),
		Range:          r.Header.Get("Range"),
		AcceptProfile:  r.Header.Get("Accept-Profile"),
		ContentProfile: r.Header.Get("Content-Profile"),
		ContentType:    r.Header.Get("Content-Type"),
	}
	if h.cfg.Conformance.RootFunction != "" && strings.Trim(in.Path, "/") == "" {
		in.Path = "/rpc/" + h.cfg.Conformance.RootFunction
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.cfg.MaxBodyBytes))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return in, bodyTooLarge(h.cfg.MaxBodyBytes)
	}
	if problem.IsUnavailable(err) {
		return in, err
	}
	if err != nil {
		return in, &query.Error{Code: query.CodeInvalidBody, Message: "The body could not be read"}
	}
	switch r.Method {
	case http.MethodPost, http.MethodPatch, http.MethodPut:
		in.Body = body
	}
	return in, nil
}
