package rest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/rest/catalog"
	"research/api/rest/query"
)

func TestCompiledReadsAreCached(t *testing.T) {
	t.Parallel()
	id := &catalog.Column{Name: "id", Type: "text", BaseType: "text"}
	books := &catalog.Table{Schema: "library", Name: "books", Columns: []*catalog.Column{id}}
	h := &Handler{cfg: Config{Schemas: []string{"library"}}}
	s := newSchema(catalog.New(catalog.Contents{Tables: []*catalog.Table{books}}, []string{"library"}))
	compile := func(s *schema, in query.Input, estimates bool) compiled {
		c, err := h.compile(s, in, estimates)
		require.NoError(t, err)
		return c
	}
	in := query.Input{Method: http.MethodGet, Path: "/books", RawQuery: "id=eq.1"}
	first := compile(s, in, false)

	t.Run("for requests with the same text", func(t *testing.T) {
		require.Same(t, first.request, compile(s, in, false).request)
	})
	t.Run("unless anything that they depend on differs", func(t *testing.T) {
		for name, change := range map[string]func(*query.Input){
			"method":  func(in *query.Input) { in.Method = http.MethodHead },
			"query":   func(in *query.Input) { in.RawQuery = "id=eq.2" },
			"prefer":  func(in *query.Input) { in.Prefer = []string{"count=exact"} },
			"accept":  func(in *query.Input) { in.Accept = []string{"text/csv"} },
			"range":   func(in *query.Input) { in.Range = "0-1" },
			"profile": func(in *query.Input) { in.AcceptProfile = "library" },
		} {
			other := in
			change(&other)
			require.NotSame(t, first.request, compile(s, other, false).request, name)
		}
		require.NotSame(t, first.request, compile(s, in, true).request, "who may see estimates")
		require.NotSame(t, first.request, compile(newSchema(s.catalog), in, false).request, "a reloaded schema")
	})
	t.Run("but neither writes nor long reads are", func(t *testing.T) {
		size := s.reads.Len()
		in := query.Input{Method: http.MethodDelete, Path: "/books", RawQuery: "id=eq.1"}
		compile(s, in, false)
		in.Method, in.RawQuery = http.MethodGet, "id=eq."+strings.Repeat("x", maxReadBytes)
		compile(s, in, false)
		require.Equal(t, size, s.reads.Len())
	})
}
