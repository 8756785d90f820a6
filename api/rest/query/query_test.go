package query

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireError requires an error with the code, the message and the details.
func requireError(t *testing.T, err error, code, message string, details any) {
	t.Helper()
	var rejected *Error
	require.True(t, errors.As(err, &rejected), "%v", err)
	require.Equal(t, code, rejected.Code)
	require.Equal(t, message, rejected.Message)
	require.Equal(t, details, rejected.Details)
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]Target{
		"/":             {TargetRoot, ""},
		"":              {TargetRoot, ""},
		"/books":        {TargetTable, "books"},
		"/books/":       {TargetTable, "books"},
		"/rpc/count_to": {TargetFunction, "count_to"},
		"/rpc":          {TargetTable, "rpc"},
	} {
		r, err := Parse(Input{Method: MethodGet, Path: path}, []string{"public"})
		require.NoError(t, err, path)
		require.Equal(t, want, r.Target, path)
	}
	for _, path := range []string{"/books/1", "/rpc/a/b", "/a/b/c"} {
		_, err := Parse(Input{Method: MethodGet, Path: path}, []string{"public"})
		requireError(t, err, CodeInvalidPath, "Invalid path specified in request URL", nil)
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		in       Input
		schemas  []string
		want     string
		profiled bool
	}{
		{"the first schema is the default", Input{Method: MethodGet}, []string{"a"}, "a", false},
		{"answers name one of several schemas", Input{Method: MethodGet}, []string{"a", "b"}, "a", true},
		{"a read has Accept-Profile", Input{Method: MethodGet, AcceptProfile: "b"}, []string{"a", "b"}, "b", true},
		{"a write has Content-Profile", Input{Method: MethodDelete, ContentProfile: "a"}, []string{"a"}, "a", true},
		{"a write ignores Accept-Profile", Input{Method: MethodDelete, AcceptProfile: "b"}, []string{"a"}, "a",
			false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.in.Path = "/books"
			r, err := Parse(tt.in, tt.schemas)
			require.NoError(t, err)
			require.Equal(t, tt.want, r.Schema)
			require.Equal(t, tt.profiled, r.Profiled)
		})
	}
	_, err := Parse(Input{Method: MethodGet, Path: "/books", AcceptProfile: "c"}, []string{"a", "b"})
	requireError(t, err, CodeInvalidSchema, "Invalid schema: c", nil)
}

func TestMethods(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"TRACE", "COPY", ""} {
		_, err := Parse(Input{Method: method, Path: "/books"}, []string{"public"})
		requireError(t, err, CodeUnsupportedMethod, "Unsupported HTTP method: "+method, nil)
	}
	_, err := Parse(Input{Method: MethodDelete, Path: "/rpc/f"}, []string{"public"})
	requireError(t, err, CodeInvalidFunctionMethod, "Cannot use the DELETE method on RPC", nil)
}

func TestRequestsAreCanonical(t *testing.T) {
	t.Parallel()
	in := Input{Method: MethodGet, Path: "/books", RawQuery: "title=eq.a+b%26c&id=gt.1&id=lt.5"}
	r, err := Parse(in, []string{"public"})
	require.NoError(t, err)
	require.Equal(t, "id=gt.1&id=lt.5&title=eq.a%20b%26c", r.Canonical)
}

func TestQueryStringsLoseNothing(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]pair{
		"a=eq.x;y":    {{"a", "eq.x;y"}},
		"a=eq.1;b=2":  {{"a", "eq.1;b=2"}},
		"a=1&&b":      {{"a", "1"}, {"b", ""}},
		"a=x%20y%2Bz": {{"a", "x y+z"}},
		"a=100%&b=%z": {{"a", "100%"}, {"b", "%z"}},
	} {
		pairs, err := parsePairs(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, pairs, raw)
	}
	for _, raw := range []string{"a=%00", "a=%ff", "%ff=1"} {
		_, err := parsePairs(raw)
		requireError(t, err, CodeSyntax, "The query string is not well-formed",
			"It must be UTF-8 without a zero byte.")
	}
}

func TestParametersOfEmbeddedResources(t *testing.T) {
	t.Parallel()
	const selected = "select=id,writer:authors(name,books(id))"
	parse := func(query string) (*Request, error) {
		in := Input{Method: MethodGet, Path: "/books", RawQuery: selected + "&" + query}
		return Parse(in, []string{"public"})
	}
	r, err := parse("writer.name=eq.Ada&writer.order=name.desc&writer.books.limit=2&writer.books.offset=1" +
		"&not.or=(id.eq.1)")
	require.NoError(t, err)
	writer := r.Root.Embeds[0]
	require.Equal(t, "name", writer.Filter.Parts[0].Filter.Column.Name)
	require.Equal(t, []OrderTerm{{Column: Column{Name: "name"}, Direction: "desc"}}, writer.Order)
	require.Equal(t, int64(2), *writer.Embeds[0].Limit)
	require.Equal(t, int64(1), writer.Embeds[0].Offset)
	require.True(t, r.Root.Filter.Parts[0].Negated)
	require.True(t, r.Root.Filter.Parts[0].Any)

	_, err = parse("labels.name=eq.x")
	requireError(t, err, CodeNotEmbedded, "'labels' is not an embedded resource in this request", nil)
	_, err = parse("authors.name=eq.x")
	requireError(t, err, CodeNotEmbedded, "'authors' is not an embedded resource in this request",
		"Target names are not allowed in filters if they have an alias")
}

func TestArgumentsOfAFunction(t *testing.T) {
	t.Parallel()
	in := Input{Method: MethodGet, Path: "/rpc/f", RawQuery: "a=1&b=gt.2&a=3&=e"}
	r, err := Parse(in, []string{"public"})
	require.NoError(t, err)
	require.Equal(t, []Argument{{"a", "1"}, {"a", "3"}, {"", "e"}}, r.Arguments, "a filter is not an argument")
	require.Equal(t, []string{"a", ""}, r.ArgumentNames())
	require.Len(t, r.Root.Filter.Parts, 1)

	in.RawQuery = "a.b=x"
	_, err = Parse(in, []string{"public"})
	require.Error(t, err, "a.b is neither an argument nor a filter")
}
