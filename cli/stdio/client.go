package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// versionHeader is required after `initialize` since the revision 2025-06-18.
const versionHeader = "Mcp-Protocol-Version"

// A client sends messages to the service. Each has a connection of the SDK to itself: it breaks as a whole
// when a response is not as expected, and the requests beside it must go on. The service has no sessions.
type client struct {
	endpoint, token string
	http            *http.Transport
	version         atomic.Value // of the protocol, a string: what initialize has negotiated
}

func newClient(endpoint, token string) *client {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: 2 * time.Minute, // above the longest tool
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       time.Minute,
		ForceAttemptHTTP2:     true,
	}
	return &client{endpoint: endpoint, token: token, http: transport}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// exchange sends one message, and passes on what the service answers, up to the response to a request. An
// error means that the response did not arrive; it says what to do.
func (c *client) exchange(ctx context.Context, msg jsonrpc.Message, pass func(jsonrpc.Message)) error {
	x := &exchange{client: c}
	// A redirect would repeat the token elsewhere.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport := &mcp.StreamableClientTransport{
		Endpoint: c.endpoint, HTTPClient: &http.Client{Transport: x, CheckRedirect: stay},
		DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: maxMessage,
	}
	conn, err := transport.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.Write(ctx, msg); err != nil {
		return x.explain(ctx, err)
	}
	request, ok := msg.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return nil
	}
	for {
		received, err := conn.Read(ctx)
		if err != nil {
			return x.explain(ctx, err)
		}
		response, ok := received.(*jsonrpc.Response)
		if !ok {
			pass(received)
			continue
		}
		var wire *jsonrpc.Error
		if response.Error != nil && !errors.As(response.Error, &wire) {
			return errCut // the SDK has made this response
		}
		if request.Method == "initialize" {
			c.remember(response.Result)
		}
		pass(response)
		return nil
	}
}

// remember keeps the version of the protocol that an answer to initialize has.
func (c *client) remember(result json.RawMessage) {
	var negotiated struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &negotiated) == nil && negotiated.ProtocolVersion != "" {
		c.version.Store(negotiated.ProtocolVersion)
	}
}

// An exchange is the HTTP of one message. It keeps what the SDK would leave out of its errors.
type exchange struct {
	client  *client
	problem atomic.Pointer[error]
}

// RoundTrip sends a request with the token. A response that is not of MCP is an error that says what to do.
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+x.client.token)
	r.Header.Set("User-Agent", "research-mcp")
	if version, ok := x.client.version.Load().(string); ok && r.Header.Get(versionHeader) == "" {
		r.Header.Set(versionHeader, version)
	}
	response, err := x.client.http.RoundTrip(r)
	if err != nil {
		return nil, x.fail(unreachable(x.client.endpoint, err))
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = response.Body.Close() }()
		const enough = 64 << 10
		body, _ := io.ReadAll(io.LimitReader(response.Body, enough))
		if isResponse(body) {
			response.Body = io.NopCloser(bytes.NewReader(body))
			return response, nil
		}
		return nil, x.fail(refused(x.client.endpoint, response, body))
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch media {
	case "text/event-stream": // the SDK bounds each event
	case "", "application/json":
		response.Body = &bounded{ReadCloser: response.Body, left: maxMessage + 1, exchange: x}
	default:
		_ = response.Body.Close()
		return nil, x.fail(notMCP(x.client.endpoint, media))
	}
	return response, nil
}

// isResponse reports whether a body is an error of JSON-RPC, which is passed on as it is.
func isResponse(body []byte) bool {
	msg, err := jsonrpc.DecodeMessage(body)
	response, ok := msg.(*jsonrpc.Response)
	return err == nil && ok && response.Error != nil
}

// fail keeps err, and returns it.
func (x *exchange) fail(err error) error {
	x.problem.CompareAndSwap(nil, &err)
	return err
}

// explain returns why an exchange failed, given the error of the SDK.
func (x *exchange) explain(ctx context.Context, err error) error {
	var wire *jsonrpc.Error
	var ended problem
	switch problem := x.problem.Load(); {
	case errors.As(context.Cause(ctx), &ended):
		return ended
	case problem != nil:
		return *problem
	case errors.As(err, &wire):
		return wire
	}
	return errCut
}

// A bounded body fails where it exceeds its limit.
type bounded struct {
	io.ReadCloser
	left     int64
	exchange *exchange
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.exchange.fail(errLarge)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
