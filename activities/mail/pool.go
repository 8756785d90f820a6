package mail

import (
	"context"
	"errors"
	"net/mail"
	"slices"
	"sync"
	"time"
)

const (
	// idleTimeout is below what servers allow a silent client: RFC 5321 requires five minutes, some allow one.
	idleTimeout = 30 * time.Second
	// mailsPerConnection is what many servers accept before they close a connection.
	mailsPerConnection = 100
)

// A pool is a transport by SMTP. It keeps connections open for the next mails.
type pool struct {
	endpoint *endpoint
	slots    chan struct{} // one for each connection that may be open

	mu    sync.Mutex
	idle  []*connection // the one used last at the end
	prune *time.Timer
}

func newPool(cfg Config) (*pool, error) {
	e, err := newEndpoint(cfg)
	if err != nil {
		return nil, err
	}
	return &pool{endpoint: e, slots: make(chan struct{}, max(cfg.Connections, 1))}, nil
}

// deliver sends one mail. Its errors are those of Sender.Send.
func (p *pool) deliver(ctx context.Context, from, to *mail.Address, raw []byte, _ string) error {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return ErrUnavailable
	}
	defer func() { <-p.slots }()
	c, err := p.begin(ctx, from, to)
	if err != nil {
		return err
	}
	err = c.send(ctx, to, raw)
	p.release(c, err)
	return err
}

// begin starts a mail on an idle connection, or on a new one. The server may have closed an idle connection:
// that shows at the first command, before anything of the mail is sent.
func (p *pool) begin(ctx context.Context, from, to *mail.Address) (*connection, error) {
	if c := p.takeIdle(); c != nil {
		if c.begin(ctx, from, to) == nil {
			return c, nil
		}
		_ = c.conn.Close()
	}
	c, err := p.endpoint.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.begin(ctx, from, to); err != nil {
		_ = c.conn.Close()
		return nil, err
	}
	return c, nil
}

// release keeps a connection for the next mail, if the session can continue after the result of the last.
func (p *pool) release(c *connection, err error) {
	if !inSync(err) || err != nil && !c.reset() {
		_ = c.conn.Close()
		return
	}
	if c.mails >= mailsPerConnection {
		c.quit()
		return
	}
	c.idleSince = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
	if p.prune == nil {
		p.prune = time.AfterFunc(idleTimeout, p.closeOld)
	}
}

// inSync reports whether the server replied to the last command and did not announce to close the connection
// (421).
func inSync(err error) bool {
	var temporary *TemporaryError
	var permanent *PermanentError
	switch {
	case err == nil, errors.As(err, &permanent):
		return true
	case errors.As(err, &temporary):
		return temporary.Code != 0 && temporary.Code != 421
	}
	return false
}

func (p *pool) takeIdle() *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c
}

// closeOld closes connections that were idle for idleTimeout, and runs again as long as there are others.
func (p *pool) closeOld() {
	p.mu.Lock()
	young := slices.IndexFunc(p.idle, func(c *connection) bool { return time.Since(c.idleSince) < idleTimeout })
	if young < 0 {
		young = len(p.idle)
	}
	old := slices.Clone(p.idle[:young])
	p.idle = slices.Delete(p.idle, 0, young)
	p.prune = nil
	if len(p.idle) > 0 {
		p.prune = time.AfterFunc(idleTimeout, p.closeOld)
	}
	p.mu.Unlock()
	for _, c := range old {
		c.quit()
	}
}

// close closes the idle connections.
func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	if p.prune != nil {
		p.prune.Stop()
	}
	p.mu.Unlock()
	for _, c := range idle {
		c.quit()
	}
}
