// Package contract compares the responses of the service with the OpenAPI document of package reference.
// Tests of every edge call Check with their traffic: an undocumented route, status, header or field fails the
// test.
package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"research/api/reference"
)

func init() {
	// The document describes pages, archives and streams as text.
	openapi3filter.RegisterBodyDecoder("application/xml", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("application/zip", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/markdown", openapi3filter.PlainBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.PlainBodyDecoder)
}

// An Exchange is a request and its response.
type Exchange struct {
	Method string
	Path   string // with the query
	Status int
	Header http.Header
	Body   []byte
}

// A Contract is the document, with a record of the parts that were exercised. It is safe for concurrent use.
type Contract struct {
	Document *openapi3.T
	routes   *chi.Mux

	mu   sync.Mutex
	seen map[string]bool // operations, statuses and fields, as All lists them
}

// New reads the document. Objects of the document are closed: a field that it does not mention is an error.
// Clients must not rely on that.
func New() (*Contract, error) {
	content, err := reference.Document()
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(content, &tree); err != nil {
		return nil, err
	}
	closeObjects(tree)
	if content, err = json.Marshal(tree); err != nil {
		return nil, err
	}
	document, err := openapi3.NewLoader().LoadFromData(content)
	if err != nil {
		return nil, err
	}
	if err := document.Validate(context.Background(), openapi3.EnableExamplesValidation()); err != nil {
		return nil, err
	}
	c := &Contract{Document: document, routes: chi.NewRouter(), seen: map[string]bool{}}
	for address, item := range document.Paths.Map() {
		for method := range item.Operations() {
			c.routes.Method(method, address, http.NotFoundHandler())
		}
	}
	return c, nil
}

// closeObjects forbids other fields in each object that lists its fields.
func closeObjects(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	case map[string]any:
		properties, isObject := node["properties"].(map[string]any)
		if _, open := node["additionalProperties"]; isObject && !open && node["type"] == "object" {
			node["additionalProperties"] = false
		}
		for name, child := range node {
			if name != "example" && name != "examples" {
				closeObjects(child)
			}
		}
		for _, child := range properties {
			closeObjects(child)
		}
	}
}

// Routes returns the documented routes, sorted: the method and the path.
func (c *Contract) Routes() []string {
	var routes []string
	for address, item := range c.Document.Paths.Map() {
		for method := range item.Operations() {
			routes = append(routes, method+" "+address)
		}
	}
	slices.Sort(routes)
	return routes
}

// find returns the documented route of a request, or nil.
func (c *Contract) find(method, address string) *routers.Route {
	match := chi.NewRouteContext()
	if !c.routes.Match(match, method, address) {
		return nil
	}
	pattern := match.RoutePattern()
	item := c.Document.Paths.Value(pattern)
	return &routers.Route{
		Spec: c.Document, Path: pattern, PathItem: item, Method: method, Operation: item.GetOperation(method),
	}
}

// documentedPaths are the prefixes of the paths that the document describes.
var documentedPaths = []string{"/api/", "/auth/v1/", "/.well-known/"}

// Check returns an error that names the undocumented part of an exchange. Other paths than documentedPaths
// are not part of the document, nor are responses to unknown paths.
func (c *Contract) Check(e Exchange) error {
	address, err := url.Parse(e.Path)
	if err != nil {
		return err
	}
	documented := func(prefix string) bool { return strings.HasPrefix(address.Path, prefix) }
	if !slices.ContainsFunc(documentedPaths, documented) || documented("/api/codec") {
		return nil
	}
	route := c.find(e.Method, strings.TrimSuffix(address.Path, "/"))
	switch {
	case route == nil && slices.Contains(notThere, e.Status):
		return nil
	case route == nil:
		return fmt.Errorf("%s %s is not documented, and was answered with %d", e.Method, address.Path, e.Status)
	case switchedOff(e), e.Status == clientGone:
		return nil
	}
	request := &http.Request{Method: e.Method, URL: address, Header: http.Header{}}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, Route: route},
		Status:                 e.Status,
		Header:                 e.Header,
		Body:                   io.NopCloser(bytes.NewReader(e.Body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		return fmt.Errorf("%s %s was answered with %d: %w", e.Method, route.Path, e.Status, err)
	}
	c.record(route, e)
	return nil
}

// notThere are the statuses for a path or a method that does not exist, and for preflight requests.
var notThere = []int{http.StatusNoContent, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusOK}

// clientGone is the status of a request whose client closed the connection. Nobody receives it.
const clientGone = 499

// switchedOff reports whether the exchange is the response of every path of /auth/v1 in an installation
// without identity of its own.
func switchedOff(e Exchange) bool {
	return e.Status == http.StatusNotFound && e.Header.Get("X-Sb-Error-Code") == "feature_disabled"
}

// CheckEvent fails the test unless the data of an event of a stream is documented.
func CheckEvent(t testing.TB, data []byte) {
	t.Helper()
	var event any
	require.NoError(t, json.Unmarshal(data, &event))
	require.NoError(t, Shared(t).Document.Components.Schemas["StreamEvent"].Value.VisitJSON(event))
}

var shared = sync.OnceValues(New)

// Check fails the test unless the exchange is documented. It records the exchange in the contract of the test
// process.
func Check(t testing.TB, e Exchange) {
	t.Helper()
	require.NoError(t, Shared(t).Check(e))
}

// Shared returns the contract of the test process.
func Shared(t testing.TB) *Contract {
	t.Helper()
	c, err := shared()
	require.NoError(t, err)
	return c
}
