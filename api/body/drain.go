package body

import (
	"io"
	"net/http"
	"time"
)

// How long Drain reads, as nginx does by default (lingering_time and lingering_timeout).
const (
	drainTime  = 30 * time.Second
	drainPause = 5 * time.Second
)

// Drain reads what is left of a body after next has responded, and discards it. Many clients send a whole
// body before they read the response, so that a connection that is closed while they send hides the response
// from them: an upload that is too large would be a broken pipe instead of a 413.
func Drain(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.ProtoMajor != 1 {
			next.ServeHTTP(w, r)
			return
		}
		body := &drainable{ReadCloser: r.Body}
		inner := r.WithContext(r.Context()) // the server looks at the type of its own request's body
		inner.Body = body
		next.ServeHTTP(w, inner)
		// A client that waits for 100 Continue sends nothing after another response.
		if body.ended || !body.begun && r.Header.Get("Expect") != "" {
			return
		}
		control := http.NewResponseController(w)
		if control.Flush() != nil { // only the recorders of tests cannot
			return
		}
		buffer := make([]byte, 32<<10)
		for end := time.Now().Add(drainTime); !body.ended && time.Now().Before(end); {
			_ = control.SetReadDeadline(time.Now().Add(drainPause))
			_, _ = body.Read(buffer)
		}
	})
}

// A drainable is a body that knows whether there is more to read.
type drainable struct {
	io.ReadCloser
	begun, ended bool
}

func (d *drainable) Read(p []byte) (int, error) {
	n, err := d.ReadCloser.Read(p)
	d.begun, d.ended = true, err != nil
	return n, err
}
