package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
)

// maxBodyBytes is the size of the largest request. The longest arguments are those of add_hypothesis: 22,000
// characters, of up to 12 bytes with escapes. The rest is for what clients add.
const maxBodyBytes = 1 << 20

// requestBudget is the share of one user: what an assistant that runs tools side by side needs.
var requestBudget = admission.Config{
	Requests: 512, UserRequests: 16, UserWaiting: 64, Slots: 1, WorkspaceSlots: 1, MaxWait: 10 * time.Second,
}

// ownUser charges a user for itself. Requests take no slots of requestBudget.
func ownUser(_ context.Context, user uuid.UUID) (uuid.UUID, error) { return user, nil }

// A visit is a request that passed the door.
type visit struct {
	principal token.Principal
	request   *http.Request
	code      string // of the error of the call; empty until there is one

	mu         sync.Mutex
	workspaces map[uuid.UUID]uuid.UUID // that the call is about, each with a project or none
}

type visitKey struct{}

// principal returns who calls a tool.
func principal(ctx context.Context) token.Principal { return visitOf(ctx).principal }

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// open returns the handler that admits requests, and hands them to the SDK.
func (s *server) open(public *url.URL) problem.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if origin := r.Header.Get("Origin"); origin != "" && !isOurs(public, origin) {
			return errOrigin
		}
		p, err := s.Authenticator.AdmitResource(r, s.resource)
		switch {
		case token.IsUnauthenticated(err):
			return s.unauthorized(r, err)
		case err != nil:
			return err
		}
		ticket, err := s.requests.Enter(r.Context(), admission.Caller{User: p.Subject.UserID})
		if err != nil {
			return err
		}
		defer ticket.Leave()
		message, err := readMessage(w, r)
		if err != nil {
			return err
		}
		method, called, err := callOf(message)
		if err != nil {
			return err
		}
		if scope := s.scopes[callee{method, called.Name}]; scope != "" && !p.Allows(scope) {
			return s.insufficientScope(p, scope)
		}
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, &visit{
			principal: p, request: r, workspaces: map[uuid.UUID]uuid.UUID{},
		}))
		if called.Meta.ProgressToken == nil {
			return serveSDK(s.buffered, w, r)
		}
		w.Header().Set("X-Accel-Buffering", "no") // nginx would hold back the progress
		return serveSDK(s.streamed, w, r)
	}
}

// isOurs reports whether the origin of a page is that of the service, or a program on the user's own machine.
// A page elsewhere has no token. It is refused all the same, as the protocol demands, so that a name that its
// owner lets point here (DNS rebinding) is of no use.
func isOurs(public *url.URL, origin string) bool {
	page, err := url.Parse(origin)
	if err != nil || page.Host == "" {
		return false
	}
	if page.Scheme == public.Scheme && strings.EqualFold(page.Host, public.Host) {
		return true
	}
	address, err := netip.ParseAddr(page.Hostname())
	return page.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// readMessage returns the JSON-RPC message in a body, which can be read again.
func readMessage(w http.ResponseWriter, r *http.Request) (jsonrpc.Message, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return nil, errBatch
	}
	if !json.Valid(body) { // which also bounds the depth; the SDK ignores what follows the message
		return nil, errMessage
	}
	message, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return nil, errMessage
	}
	return message, nil
}

// A call is what the door needs of the parameters of a call of a tool or a prompt.
type call struct {
	Name string `json:"name"`
	Meta struct {
		ProgressToken any `json:"progressToken"`
	} `json:"_meta"`
}

// callOf returns the method of a message, and what it calls. The call is empty for messages of other methods.
func callOf(message jsonrpc.Message) (method string, called call, err error) {
	request, is := message.(*jsonrpc.Request)
	if !is {
		return "", called, nil
	}
	if request.Method == callTool || request.Method == getPrompt {
		if json.Unmarshal(request.Params, &called) != nil {
			return "", called, errMessage
		}
	}
	return request.Method, called, nil
}

// unauthorized is the answer to a request without a valid token. It tells clients where to get one: RFC 9728.
func (s *server) unauthorized(r *http.Request, err error) *problem.Error {
	answer := problem.Unauthorized(err)
	parameters := []string{s.metadata(), parameter("scope", token.ScopeRead)}
	if r.Header.Get("Authorization") != "" {
		parameters = append(parameters,
			parameter("error", "invalid_token"), parameter("error_description", answer.Message))
	}
	answer.Header = challenge(parameters...)
	return answer
}

// insufficientScope is the answer to a call of a tool that a token does not allow. The scopes are those that
// a client should ask for: those that it has, too, as it would lose them otherwise.
func (s *server) insufficientScope(p token.Principal, scope string) *problem.Error {
	scopes := append([]string{scope}, p.Scopes...)
	slices.Sort(scopes)
	message := fmt.Sprintf("This needs the scope %s: ask the user for it.", scope)
	return &problem.Error{
		Status: http.StatusForbidden, Code: "insufficient_scope", Message: message,
		Header: challenge(
			parameter("error", "insufficient_scope"),
			parameter("scope", strings.Join(slices.Compact(scopes), " ")),
			s.metadata(),
			parameter("error_description", message),
		),
	}
}

// metadata is where the authorization server of the resource is named.
func (s *server) metadata() string {
	return parameter("resource_metadata", s.PublicURL+"/.well-known/oauth-protected-resource"+Path)
}

func challenge(parameters ...string) http.Header {
	return http.Header{"Www-Authenticate": {"Bearer " + strings.Join(parameters, ", ")}}
}

// parameter is a parameter of a challenge (RFC 9110, section 11.2).
func parameter(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}
