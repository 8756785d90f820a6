package config

import "time"

// HTTP configures the server of `serve`.
type HTTP struct {
	Addr       string        // host:port
	PublicURL  string        // how clients reach the service, without a trailing slash
	BodyBytes  int           // of all request bodies in memory
	DrainDelay time.Duration // between a stop signal and the end of listening
}

func readHTTP(r *reader) HTTP {
	r.group = "HTTP"
	h := HTTP{
		Addr: r.hostPort("HTTP_ADDR", "127.0.0.1:8080", "The address that `serve` listens on."),
		PublicURL: r.origin("PUBLIC_URL",
			"The URL at which clients reach the service; it is part of every token. It has no path: the service "+
				"needs a host name, or a port, of its own. Defaults to `HTTP_ADDR` over http."),
		BodyBytes: r.number("HTTP_BODY_BYTES", 128<<20, 32<<20, 1<<40,
			"Bytes of request bodies that `serve` has in memory at the same time, of all clients; one network has at "+
				"most half. Requests beyond it are answered with 503; those of up to 16 KB never are."),
		DrainDelay: r.duration("DRAIN_DELAY", 5*time.Second, 0, 5*time.Minute,
			"How long a stopping `serve` reports that it is not ready and still answers, so that load balancers "+
				"remove it first. `dev` defaults to `0s`."),
	}
	if h.PublicURL == "" {
		h.PublicURL = "http://" + h.Addr
	}
	return h
}
