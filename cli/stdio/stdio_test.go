package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"research/cli/stdio"
)

const secret = "rsp_0123456789"

// A service is an MCP server for the token, with the tool `greet` and the tools of a test.
func service(t *testing.T, options *mcp.StreamableHTTPOptions, add ...func(*mcp.Server)) *httptest.Server {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "service", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, greet)
	for _, tools := range add {
		tools(server)
	}
	options.Stateless = true
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

type greeting struct {
	Name string `json:"name"`
}

func greet(_ context.Context, _ *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
	return text("Hello, " + in.Name + " <3"), nil, nil
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

func textOf(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	require.Len(t, result.Content, 1)
	content, ok := result.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return content.Text
}

// connect runs a bridge to url, and connects the SDK's client over its pipes. The bridge ends with the test.
func connect(t *testing.T, url string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	fromClient, toBridge := io.Pipe()
	fromBridge, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- stdio.Bridge{
			Endpoint: url, Token: secret, Stdin: fromClient, Stdout: toClient, Stderr: io.Discard,
		}.Run(t.Context())
	}()
	client := mcp.NewClient(&mcp.Implementation{Name: "assistant", Version: "1"}, options)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: fromBridge, Writer: toBridge}, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, session.Close())
		require.NoError(t, <-done)
	})
	return session
}

// converse runs a bridge for these lines until it ends, and returns its messages by id and its sentences.
func converse(t *testing.T, url string, input io.Reader) (answers map[string]reply, stderr string) {
	t.Helper()
	var stdout, sentences bytes.Buffer
	require.NoError(t, stdio.Bridge{
		Endpoint: url, Token: secret, Stdin: input, Stdout: &stdout, Stderr: &sentences,
	}.Run(t.Context()))
	answers = map[string]reply{}
	for line := range strings.Lines(stdout.String()) {
		var r reply
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		require.NotContains(t, answers, string(r.ID))
		answers[string(r.ID)] = r
	}
	return answers, sentences.String()
}

type reply struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  struct {
		Code    int
		Message string
		Data    struct{ Status int }
	}
}

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"

func TestPassesToolsOn(t *testing.T) {
	t.Parallel()
	for name, jsonResponse := range map[string]bool{"as JSON": true, "as events": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := service(t, &mcp.StreamableHTTPOptions{JSONResponse: jsonResponse})
			session := connect(t, s.URL, nil)
			tools, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, tools.Tools, 1)
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "greet", Arguments: greeting{"Ada"},
			})
			require.NoError(t, err)
			require.Equal(t, "Hello, Ada <3", textOf(t, result))

			_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"})
			require.ErrorContains(t, err, `unknown tool "nothing"`)
		})
	}
}

func TestPassesProgressOn(t *testing.T) {
	t.Parallel()
	slow := func(s *mcp.Server) {
		mcp.AddTool(s, &mcp.Tool{Name: "slow"},
			func(ctx context.Context, r *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
				err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: r.Params.GetProgressToken(), Message: "half",
				})
				return text("done"), nil, err
			})
	}
	progress := make(chan string, 1)
	session := connect(t, service(t, &mcp.StreamableHTTPOptions{}, slow).URL, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Message
		},
	})
	params := &mcp.CallToolParams{Name: "slow"}
	params.SetProgressToken("p1")
	result, err := session.CallTool(t.Context(), params)
	require.NoError(t, err)
	require.Equal(t, "done", textOf(t, result))
	require.Equal(t, "half", <-progress)
}

func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	const calls = 20
	var together sync.WaitGroup
	together.Add(calls)
	meet := func(s *mcp.Server) {
		mcp.AddTool(s, &mcp.Tool{Name: "meet"},
			func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
				together.Done()
				together.Wait() // for ever, unless all calls arrive
				return text("met"), nil, nil
			})
	}
	session := connect(t, service(t, &mcp.StreamableHTTPOptions{JSONResponse: true}, meet).URL, nil)
	var callers sync.WaitGroup
	for range calls {
		callers.Go(func() {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "meet"})
			if err != nil || textOf(t, result) != "met" {
				t.Errorf("a call failed: %v", err)
			}
		})
	}
	callers.Wait()
}

// A service without sessions knows by the end of the connection that nobody waits any more.
func TestPassesCancellationOn(t *testing.T) {
	t.Parallel()
	started, cancelled := make(chan struct{}), make(chan struct{})
	inner := service(t, &mcp.StreamableHTTPOptions{})
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/call"`)) && bytes.Contains(body, []byte(`"Zoe"`)) {
			close(started)
			<-r.Context().Done()
			close(cancelled)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		inner.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(outer.Close)
	session := connect(t, outer.URL, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "greet", Arguments: greeting{"Zoe"}})
	require.ErrorIs(t, err, context.Canceled)
	<-cancelled
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "greet", Arguments: greeting{"Bo"}})
	require.NoError(t, err)
	require.Equal(t, "Hello, Bo <3", textOf(t, result))
}

func TestTellsTheVersionOfTheProtocol(t *testing.T) {
	t.Parallel()
	versions := make(chan string, 10)
	inner := service(t, &mcp.StreamableHTTPOptions{JSONResponse: true})
	outer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		versions <- r.Header.Get("Mcp-Protocol-Version")
		inner.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(outer.Close)
	input, lines := io.Pipe()
	output, answers := io.Pipe()
	go func() {
		_ = stdio.Bridge{
			Endpoint: outer.URL, Token: secret, Stdin: input, Stdout: answers, Stderr: io.Discard,
		}.Run(t.Context())
		_ = answers.Close()
	}()
	decoder := json.NewDecoder(output)
	send := func(message string) {
		_, err := io.WriteString(lines, message+"\n")
		require.NoError(t, err)
		var r reply
		require.NoError(t, decoder.Decode(&r))
		require.Zero(t, r.Error.Code, r.Error.Message)
	}
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`)
	require.Empty(t, <-versions)
	send(`{"jsonrpc":"2.0","id":"b","method":"tools/list"}`)
	require.Equal(t, "2025-06-18", <-versions)
	send(`{"jsonrpc":"2.0","id":"c","method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}}}`)
	require.Equal(t, "2026-07-28", <-versions)
	require.NoError(t, lines.Close())
	require.ErrorIs(t, decoder.Decode(&reply{}), io.EOF)
}

func TestEndsWithItsInput(t *testing.T) {
	t.Parallel()
	s := service(t, &mcp.StreamableHTTPOptions{JSONResponse: true})
	t.Run("after the answers", func(t *testing.T) {
		t.Parallel()
		input := "\n" + ping + strings.TrimSpace(strings.Replace(ping, "7", `"eight"`, 1))
		answers, stderr := converse(t, s.URL, strings.NewReader(input))
		require.Len(t, answers, 2)
		require.JSONEq(t, `{}`, string(answers["7"].Result))
		require.JSONEq(t, `{}`, string(answers[`"eight"`].Result))
		require.Empty(t, stderr)
	})

	t.Run("with answers to what takes too long", func(t *testing.T) {
		t.Parallel()
		hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}))
		t.Cleanup(hangs.Close)
		var stdout, stderr bytes.Buffer
		require.NoError(t, stdio.Bridge{
			Endpoint: hangs.URL, Token: secret, Stdin: strings.NewReader(ping), Stdout: &stdout, Stderr: &stderr,
			Drain: 10 * time.Millisecond,
		}.Run(t.Context()))
		const says = "The input has ended, and the service has not answered in time."
		require.Contains(t, stdout.String(), `"id":7,"error":{"code":-32603,"message":"`+says)
		require.Contains(t, stderr.String(), "research mcp: "+says)
	})

	t.Run("when nobody reads its output", func(t *testing.T) {
		t.Parallel()
		output, answers := io.Pipe()
		require.NoError(t, output.CloseWithError(errors.New("gone")))
		input, lines := io.Pipe()
		go func() { _, _ = io.WriteString(lines, ping) }()
		err := stdio.Bridge{
			Endpoint: s.URL, Token: secret, Stdin: input, Stdout: answers, Stderr: io.Discard,
		}.Run(t.Context())
		require.EqualError(t, err, "write messages: gone")
	})

	t.Run("when it is interrupted", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		}))
		t.Cleanup(hangs.Close)
		input, lines := io.Pipe()
		go func() { _, _ = io.WriteString(lines, ping) }()
		require.NoError(t, stdio.Bridge{
			Endpoint: hangs.URL, Token: secret, Stdin: input, Stdout: io.Discard, Stderr: io.Discard,
		}.Run(ctx))
	})
}

func TestAnswersWhenNobodyReadsItsSentences(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	input, lines := io.Pipe()
	output, answers := io.Pipe()
	unread, sentences := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- stdio.Bridge{
			Endpoint: s.URL, Token: secret, Stdin: input, Stdout: answers, Stderr: sentences,
		}.Run(t.Context())
	}()
	decoder := json.NewDecoder(output)
	for range 3 {
		for _, line := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n", ping} {
			_, err := io.WriteString(lines, line)
			require.NoError(t, err)
		}
		var r reply
		require.NoError(t, decoder.Decode(&r))
		require.Equal(t, "7", string(r.ID))
		require.Equal(t, 404, r.Error.Data.Status)
	}
	require.NoError(t, unread.Close())
	require.NoError(t, lines.Close())
	require.NoError(t, <-done)
}

func TestAnswersForTheService(t *testing.T) {
	t.Parallel()
	header := func(name, value string, status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(name, value)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	status := func(status int, body string) http.HandlerFunc { return header("X-None", "", status, body) }
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status int
		says   string
	}{
		"a token that is not accepted": {
			header("WWW-Authenticate", `Bearer error="invalid_token"`, 401, ""), 401,
			"does not accept RESEARCH_TOKEN",
		},
		"a scope that is missing": {
			header("WWW-Authenticate", `Bearer error="insufficient_scope", scope="research:read research:write"`, 403,
				`{"message":"This needs the scope research:write."}`), 403,
			"RESEARCH_TOKEN lacks a scope. Make a token with research:read and research:write under Settings",
		},
		"what is forbidden":      {status(403, `{"message":"Members only."}`), 403, "answers 403. Members only."},
		"a server without MCP":   {status(404, "not found"), 404, "There is no MCP server at "},
		"MCP that is off":        {status(404, `{"message":"MCP is off."}`), 404, " MCP is off."},
		"too many requests":      {header("Retry-After", "30", 429, ""), 429, "Try again in 30 seconds."},
		"an outage":              {status(503, "<html>"), 503, "answers 503. The service is not available"},
		"a proxy that fails":     {status(502, "<html>"), 502, "answers 502. The service is not available"},
		"a body that is refused": {status(413, ""), 413, "answers 413. The message is longer than"},
		"a redirect": {
			header("Location", "https://elsewhere.example/mcp", 307, ""), 307,
			`redirects to "https://elsewhere.example/mcp", and was not followed.`,
		},
		"a page":        {header("Content-Type", "text/html", 200, "<html>"), 200, "answers with text/html"},
		"half a body":   {header("Content-Type", "application/json", 200, `{"jsonrpc":`), 0, "broke off"},
		"half a stream": {header("Content-Type", "text/event-stream", 200, "data: {\n"), 0, "broke off"},
		"a stream without an answer": {
			header("Content-Type", "text/event-stream", 200, ": nothing\n\n"), 0, "The answer broke off",
		},
		"escapes of a terminal": {status(403, `{"message":"a\u001b[2Jb"}`), 403, "403. a [2Jb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.answer)
			t.Cleanup(s.Close)
			answers, stderr := converse(t, s.URL, strings.NewReader(ping))
			require.Contains(t, answers["7"].Error.Message, c.says)
			require.Equal(t, -32603, answers["7"].Error.Code)
			require.Equal(t, c.status, answers["7"].Error.Data.Status)
			require.Equal(t, "research mcp: "+answers["7"].Error.Message+"\n", stderr)
			require.NotContains(t, stderr, secret)
		})
	}

	t.Run("a service that cannot be reached", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(http.NotFoundHandler())
		s.Close()
		answers, stderr := converse(t, s.URL, strings.NewReader(ping))
		require.Contains(t, answers["7"].Error.Message, s.URL+" cannot be reached")
		require.Contains(t, stderr, "Check PUBLIC_URL")
	})

	t.Run("a certificate that is not trusted", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(s.Close)
		answers, _ := converse(t, s.URL, strings.NewReader(ping))
		require.Contains(t, answers["7"].Error.Message, "The certificate of "+s.URL+" is not trusted")
	})

	t.Run("an error of MCP with a status", func(t *testing.T) {
		t.Parallel()
		s := httptest.NewServer(header("Content-Type", "application/json", 400,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"Unsupported protocol version"}}`))
		t.Cleanup(s.Close)
		answers, _ := converse(t, s.URL, strings.NewReader(ping))
		require.Equal(t, -32022, answers["7"].Error.Code)
		require.Equal(t, "Unsupported protocol version", answers["7"].Error.Message)
	})
}

// Another host must not receive the token.
func TestFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	t.Cleanup(elsewhere.Close)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"moved"}}`)
	}))
	t.Cleanup(s.Close)
	answers, _ := converse(t, s.URL, strings.NewReader(ping))
	require.NotEmpty(t, answers["7"].Error.Message)
}

func TestBoundsMessages(t *testing.T) {
	t.Parallel()
	const tooLong = 16<<20 + 1
	t.Run("of the assistant", func(t *testing.T) {
		t.Parallel()
		s := service(t, &mcp.StreamableHTTPOptions{JSONResponse: true})
		for name, c := range map[string]struct {
			line, id, says string
			code           int
		}{
			"too long":    {`"` + strings.Repeat("x", tooLong) + `"`, "null", "longer than 16 MB", -32600},
			"not JSON":    {"Hello", "null", "not JSON", -32700},
			"not JSONRPC": {`{"id":7}`, "null", "not a JSON-RPC message", -32600},
			"a batch":     {"[" + strings.TrimSpace(ping) + "]", "null", "not a JSON-RPC message", -32600},
			"an old request": {
				`{"jsonrpc":"1.0","id":8,"method":"ping"}`, "8", "not a JSON-RPC message", -32600,
			},
			"a request without a version": {`{"id":"é 8","method":"ping"}`, `"é 8"`, "not a JSON-RPC message", -32600},
			"a method that is none": {
				`{"jsonrpc":"2.0","id":-8,"method":8}`, "-8", "not a JSON-RPC message", -32600,
			},
			"an id that is none": {
				`{"jsonrpc":"2.0","id":[8],"method":"ping"}`, "null", "not a JSON-RPC message", -32600,
			},
			"an old response": {`{"jsonrpc":"1.0","id":8,"result":{}}`, "null", "not a JSON-RPC message", -32600},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				answers, _ := converse(t, s.URL, strings.NewReader(c.line+"\n"+ping))
				require.Contains(t, answers[c.id].Error.Message, c.says)
				require.Equal(t, c.code, answers[c.id].Error.Code)
				require.JSONEq(t, `{}`, string(answers["7"].Result))
			})
		}
	})

	t.Run("of the service", func(t *testing.T) {
		t.Parallel()
		for media, begin := range map[string]string{
			"application/json":  `{"jsonrpc":"2.0","id":7,"result":"`,
			"text/event-stream": `data: {"jsonrpc":"2.0","id":7,"result":"`,
		} {
			t.Run(media, func(t *testing.T) {
				t.Parallel()
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", media)
					_, _ = io.WriteString(w, begin+strings.Repeat("x", tooLong)+"\"}\n\n")
				}))
				t.Cleanup(s.Close)
				answers, _ := converse(t, s.URL, strings.NewReader(ping))
				require.Regexp(t, "longer than 16 MB|broke off", answers["7"].Error.Message)
			})
		}
	})

	t.Run("in their number", func(t *testing.T) {
		t.Parallel()
		var input strings.Builder
		for id := range 65 {
			fmt.Fprintf(&input, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", id+100)
		}
		said := untilRefused(t, input.String())
		require.Equal(t, 65, strings.Count(said, "\n"))
		require.Equal(t, 1, strings.Count(said, "Too many requests are open."))
		require.Contains(t, said, `{"jsonrpc":"2.0","id":164,"error"`)
	})

	t.Run("with an id that is open", func(t *testing.T) {
		t.Parallel()
		said := untilRefused(t, ping+ping)
		require.Contains(t, said, "A request with this id is open already.")
		require.Contains(t, said, `"result":{}`)
	})
}

// untilRefused runs a bridge to a service that answers once the bridge has said something by itself, and
// returns what it wrote.
func untilRefused(t *testing.T, input string) string {
	t.Helper()
	said := &firstWrite{done: make(chan struct{})}
	waits := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID int }
		_ = json.NewDecoder(r.Body).Decode(&request)
		<-said.done
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{}}`, request.ID)
	}))
	t.Cleanup(waits.Close)
	require.NoError(t, stdio.Bridge{
		Endpoint: waits.URL, Token: secret, Stdin: strings.NewReader(input), Stdout: said, Stderr: io.Discard,
	}.Run(t.Context()))
	return said.String()
}

// A firstWrite closes done when something is written.
type firstWrite struct {
	bytes.Buffer
	once sync.Once
	done chan struct{}
}

func (w *firstWrite) Write(p []byte) (int, error) {
	defer w.once.Do(func() { close(w.done) })
	return w.Buffer.Write(p)
}
