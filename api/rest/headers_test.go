package rest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadersAreAJSONObject(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{}`, headersJSON(nil))
	header := http.Header{
		"Accept":  {"text/csv", "application/json"},
		"X-Empty": {""},
		"X-Quote": {`a "quoted" \ text with <tags> & ümlauts` + "\t\xff"},
	}
	text := headersJSON(header)
	var got map[string]string
	require.NoError(t, json.Unmarshal([]byte(text), &got), text)
	require.Equal(t, map[string]string{
		"accept":  "text/csv, application/json",
		"x-empty": "",
		"x-quote": `a "quoted" \ text with <tags> & ümlauts` + "\t\ufffd",
	}, got)
	require.Equal(t, `{"a":"1","b":"2"}`, headersJSON(http.Header{"B": {"2"}, "A": {"1"}}), "in order")
}

func TestCookiesAreAJSONObject(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	require.Equal(t, `{}`, cookiesJSON(r))
	r.Header.Set("Cookie", "a=1; b=2")
	require.JSONEq(t, `{"a":"1","b":"2"}`, cookiesJSON(r))
}
