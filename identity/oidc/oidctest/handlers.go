package oidctest

import (
	"bytes"
	"io"
	"net/http"
)

// Hang returns a handler that does not respond until the client gives up, or the test ends.
func (p *Provider) Hang() http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client has left
		select {
		case <-r.Context().Done():
		case <-p.closed:
		}
	}
}

// RedirectTo redirects to an address.
func RedirectTo(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address, http.StatusFound) }
}

// HTML responds with a page, as proxies and pages of maintenance do.
func HTML(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<!doctype html><title>Please wait</title>")
	}
}

// JSON responds with a body.
func JSON(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Big responds with JSON of a size.
func Big(size int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"keys":[`)
		line := bytes.Repeat([]byte(" "), 1<<16)
		for written := 0; written < size; written += len(line) {
			if _, err := w.Write(line); err != nil {
				return // the client has seen enough
			}
		}
		_, _ = io.WriteString(w, `]}`)
	}
}
