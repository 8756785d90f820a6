package problem_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/problem"
)

func TestReadJSONNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	type inner struct {
		Name string `json:"name"`
	}
	type request struct {
		HypothesisIDs []string `json:"hypothesisIds"`
		Refresh       bool     `json:"refresh"`
		Days          *int     `json:"days"`
		Inner         inner    `json:"inner"`
	}
	for body, want := range map[string][2]string{
		`{"hypothesis_ids": []}`: {
			"hypothesis_ids", "hypothesis_ids is not a field of this request; hypothesisIds is.",
		},
		`{"refersh": true}`: {"refersh", "refersh is not a field of this request; refresh is."},
		`{"inner": {"naem": ""}}`: {
			"naem", "naem is not a field of this request. It has: hypothesisIds, refresh, days, inner, name.",
		},
		`{"extra": 1}`: {
			"extra", "extra is not a field of this request. It has: hypothesisIds, refresh, days, inner, name.",
		},
		`{"hypothesisIds": "a"}`:  {"hypothesisIds", "hypothesisIds must be a list; it has text."},
		`{"hypothesisIds": [1]}`:  {"hypothesisIds", "hypothesisIds must be a list of text; it has a number."},
		`{"refresh": "yes"}`:      {"refresh", "refresh must be true or false; it has text."},
		`{"days": 1.5}`:           {"days", "days must be a whole number; it has a number."},
		`{"inner": {"name": []}}`: {"inner.name", "inner.name must be text; it has a list."},
		`{"inner": []}`:           {"inner", "inner must be an object; it has a list."},
		`{"refresh": true,}`:      {"body", "The body is not JSON: it is not well-formed at byte 18."},
		`{"refresh": tr`:          {"body", "The body is not JSON: it ends too early."},
		`{'refresh': true}`:       {"body", "The body is not JSON: it is not well-formed at byte 2."},
		"\x1f\x8b":                {"body", "The body is not JSON: it is not well-formed at byte 1."},
	} {
		var value request
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
		err := problem.ReadJSON(httptest.NewRecorder(), r, 1<<10, &value)
		var rejected *problem.Error
		require.True(t, errors.As(err, &rejected), "%s: %v", body, err)
		require.Equal(t, http.StatusBadRequest, rejected.Status)
		require.Equal(t, want[1], rejected.Message, body)
		require.Equal(t, problem.Fields{want[0]: want[1]}, rejected.Details, body)
	}

	t.Run("skips a byte order mark", func(t *testing.T) {
		t.Parallel()
		var value request
		for body, want := range map[string]error{"\ufeff{\"refresh\": true}": nil, "\ufeff": io.EOF, "": io.EOF} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
			require.Equal(t, want, problem.ReadJSON(httptest.NewRecorder(), r, 1<<10, &value), "%q", body)
		}
		require.True(t, value.Refresh)
	})

	t.Run("repeats a part of a long name", func(t *testing.T) {
		t.Parallel()
		var value request
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/",
			strings.NewReader(`{"`+strings.Repeat("ä", 400)+`": 1}`))
		var rejected *problem.Error
		require.True(t, errors.As(problem.ReadJSON(httptest.NewRecorder(), r, 1<<10, &value), &rejected))
		require.Less(t, len(rejected.Message), 200)
	})
}
