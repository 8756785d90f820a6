// Package body bounds the memory of request bodies, and the time in which they arrive, over all requests.
//
// A client can announce megabytes, send all but the last byte, and wait. Bytes are therefore counted as they
// arrive, and each body must arrive at a minimum rate.
package body

import (
	"io"
	"net/http"
	"sync"
	"time"
)

const (
	// freeBytes of each body are not counted: no more than a connection itself takes. Small requests are so
	// never rejected for lack of memory.
	freeBytes = 16 << 10
	// windowBytes must arrive within each window, a rate of 16 KB a second. Only the time in which the handler
	// waits for them counts.
	windowBytes = 160 << 10
	window      = 10 * time.Second
	firstWindow = 30 * time.Second
)

// Config bounds bodies. All fields are required.
type Config struct {
	Bytes        int64                      // of all bodies that are being read or handled
	RequestBytes int64                      // that one handler keeps in memory at most
	ReadTimeout  time.Duration              // for a whole body
	NetworkOf    func(*http.Request) string // what counts as one client; it has at most half of Bytes
}

// A Limiter counts the bytes of bodies. It is safe for concurrent use.
type Limiter struct {
	cfg Config

	mu       sync.Mutex
	used     int64
	networks map[string]int64
}

// New returns a limiter.
func New(cfg Config) *Limiter { return &Limiter{cfg: cfg, networks: map[string]int64{}} }

// errExhausted is the error of reading a body for which there is no memory.
var errExhausted error = exhausted{}

type exhausted struct{}

func (exhausted) Error() string { return "too many bytes of request bodies at once" }

// Unavailable makes every edge answer 503 with Retry-After.
func (exhausted) Unavailable() bool { return true }

// Handler bounds the bodies of the requests to next. Reading a body for which there is no memory is an error
// with the method Unavailable. The memory is free when next returns.
func (l *Limiter) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody {
			next.ServeHTTP(w, r)
			return
		}
		b := &limited{
			ReadCloser: r.Body, limiter: l, network: l.cfg.NetworkOf(r), control: http.NewResponseController(w),
			until: time.Now().Add(l.cfg.ReadTimeout), left: firstWindow,
		}
		defer b.release()
		r.Body = b
		next.ServeHTTP(w, r)
	})
}

// take counts n more bytes of a network, and reports whether there is memory for them.
func (l *Limiter) take(network string, n int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used+n > l.cfg.Bytes || l.networks[network]+n > l.cfg.Bytes/2 {
		return false
	}
	l.used += n
	l.networks[network] += n
	return true
}

func (l *Limiter) giveBack(network string, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used -= n
	if l.networks[network] -= n; l.networks[network] == 0 {
		delete(l.networks, network)
	}
}

// A limited body counts its bytes. It is for one goroutine.
type limited struct {
	io.ReadCloser
	limiter *Limiter
	network string
	control *http.ResponseController
	until   time.Time // when the whole body must have arrived

	read  int64         // bytes of the body
	taken int64         // those that are counted
	got   int64         // bytes in this window
	left  time.Duration // of this window
}

func (b *limited) Read(p []byte) (int, error) {
	began := time.Now()
	deadline := began.Add(b.left)
	if deadline.After(b.until) {
		deadline = b.until
	}
	// Only the recorders of tests have no deadlines.
	_ = b.control.SetReadDeadline(deadline)
	n, err := b.ReadCloser.Read(p)
	if b.got += int64(n); b.got >= windowBytes {
		b.got, b.left = 0, window
	} else {
		b.left -= time.Since(began)
	}
	if err == io.EOF {
		// The server goes on to read, to notice a client that closes the connection. After an error the deadline
		// stays: before it sends the answer, the server reads what is left of the body.
		_ = b.control.SetReadDeadline(b.until)
	}
	b.read += int64(n)
	if more := min(b.read-freeBytes, b.limiter.cfg.RequestBytes) - b.taken; more > 0 {
		if !b.limiter.take(b.network, more) {
			return 0, errExhausted
		}
		b.taken += more
	}
	return n, err
}

// release gives the memory back.
func (b *limited) release() {
	if b.taken > 0 {
		b.limiter.giveBack(b.network, b.taken)
	}
}
