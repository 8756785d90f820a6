package mcp

import (
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/internal/ratelimit"
)

// Path is where the server is mounted. PublicURL with it is the resource of access tokens.
const Path = "/mcp"

// Config holds the settings of operators.
type Config struct {
	PublicURL string // how clients reach the service, without a trailing slash; package api sets it
	Limit     int    // tool calls of one user within an hour; 0 means no limit
	Version   string // of the program; empty if unknown
	// Wait is how long a call waits for an answer to a question; 0 means 50 seconds.
	Wait time.Duration
}

// A server serves /mcp.
type server struct {
	Config
	Deps
	edge     problem.Edge
	resource string            // that tokens must be for
	scopes   map[callee]string // complete before the first request
	wait     time.Duration     // for an answer
	limit    *ratelimit.Limiter
	requests *admission.Queue // by user
	buffered http.Handler     // answers with JSON
	streamed http.Handler     // answers with an event stream, which has progress
}
