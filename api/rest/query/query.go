// Package query reads requests of the data API: the grammar of PostgREST's URLs, headers and bodies
// (https://docs.postgrest.org/en/stable/references/api.html).
//
// Parse returns a Request of plain values. The package depends neither on HTTP nor on the database's schema;
// package plan resolves names. A Request is immutable once Parse has returned it.
package query

import (
	"slices"
	"strings"
)

// An Input is an HTTP request in plain values.
type Input struct {
	Method         string
	Path           string // below the mount, unescaped: /projects, /rpc/name
	RawQuery       string // without the question mark
	Prefer         []string
	Accept         []string
	Range          string
	AcceptProfile  string
	ContentProfile string
	ContentType    string
	Body           []byte
}

// A Request is a parsed request. It is read-only.
type Request struct {
	Method      string // one of GET, HEAD, POST, PATCH, PUT, DELETE and OPTIONS
	Target      Target
	Schema      string // one of those exposed
	Profiled    bool   // responses name the schema, since the client chose it or could have
	Root        *Resource
	Columns     []string // ?columns=; nil where it is missing
	OnConflict  []string // ?on_conflict=; nil where it is missing
	Arguments   []Argument
	Preferences Preferences
	Accept      []MediaType // by preference, never empty
	Range       Range
	Payload     Payload
	Canonical   string // the query string with sorted parameters, for Content-Location
}

// A Target is the resource that the path names.
type Target struct {
	Kind TargetKind
	Name string // of the table or function
}

// A TargetKind is the kind of a Target.
type TargetKind int

// The kinds of targets.
const (
	TargetRoot     TargetKind = iota // the description of the API
	TargetTable                      // a table or view
	TargetFunction                   // a function, under /rpc
)

// An Argument is an argument of a function, as text.
type Argument struct{ Name, Value string }

// The methods that a request can have.
const (
	MethodGet     = "GET"
	MethodHead    = "HEAD"
	MethodPost    = "POST"
	MethodPatch   = "PATCH"
	MethodPut     = "PUT"
	MethodDelete  = "DELETE"
	MethodOptions = "OPTIONS"
)

var methods = []string{
	MethodGet, MethodHead, MethodPost, MethodPatch, MethodPut, MethodDelete, MethodOptions,
}

// Reads reports whether the method is GET or HEAD.
func (r *Request) Reads() bool { return r.Method == MethodGet || r.Method == MethodHead }

// Parse reads a request. The schemas are those that clients may name; the first is the default. Its errors
// are *Error.
func Parse(in Input, schemas []string) (*Request, error) {
	r := &Request{
		Method:      in.Method,
		Root:        &Resource{},
		Preferences: parsePreferences(in.Prefer),
		Accept:      parseAccept(in.Accept),
	}
	if unknown := r.Preferences.Unknown; r.Preferences.Strict() && len(unknown) > 0 {
		return nil, newError(CodeInvalidPreference, "Invalid preferences given with handling=strict").
			with("Invalid preferences: "+strings.Join(unknown, ", "), "")
	}
	if !slices.Contains(methods, in.Method) {
		return nil, UnsupportedMethod(in.Method)
	}
	if err := r.parseProfile(in, schemas); err != nil {
		return nil, err
	}
	var err error
	if r.Target, err = parsePath(in.Path); err != nil || r.Target.Kind == TargetRoot {
		return r, err
	}
	if err := r.parseParameters(in.RawQuery); err != nil {
		return nil, err
	}
	if in.Method == MethodGet { // a Range has no meaning for other methods (RFC 9110, section 14.2)
		if r.Range, err = parseRange(in.Range); err != nil {
			return nil, err
		}
	}
	return r, r.parseBody(in)
}

// parseProfile determines the schema of the request.
func (r *Request) parseProfile(in Input, schemas []string) error {
	profile := in.ContentProfile
	if r.Reads() {
		profile = in.AcceptProfile
	}
	r.Schema, r.Profiled = schemas[0], len(schemas) > 1 || profile != ""
	if profile == "" {
		return nil
	}
	if !slices.Contains(schemas, profile) {
		return newError(CodeInvalidSchema, "Invalid schema: "+profile).
			with(nil, "Only the following schemas are exposed: "+strings.Join(schemas, ", "))
	}
	r.Schema = profile
	return nil
}

func parsePath(path string) (Target, error) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case len(segments) == 1 && segments[0] == "":
		return Target{Kind: TargetRoot}, nil
	case len(segments) == 1:
		return Target{TargetTable, segments[0]}, nil
	case len(segments) == 2 && segments[0] == "rpc":
		return Target{TargetFunction, segments[1]}, nil
	}
	return Target{}, newError(CodeInvalidPath, "Invalid path specified in request URL")
}

// parseBody reads the body of the methods that have one.
func (r *Request) parseBody(in Input) error {
	var err error
	switch {
	case r.Target.Kind == TargetFunction:
		if !r.Reads() && r.Method != MethodPost && r.Method != MethodOptions {
			return newError(CodeInvalidFunctionMethod, "Cannot use the "+r.Method+" method on RPC")
		}
		if r.Method == MethodPost {
			r.Payload, r.Arguments, err = parseArguments(in, r.Columns)
		}
	case r.Method == MethodPut: // it writes all columns
		r.Payload, err = parsePayload(in, nil)
	case r.Method == MethodPost, r.Method == MethodPatch:
		r.Payload, err = parsePayload(in, r.Columns)
	}
	return err
}
