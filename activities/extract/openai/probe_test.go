package openai_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
)

func probed(t *testing.T, base string) *openai.Extractor {
	t.Helper()
	o, err := openai.New(openai.Config{BaseURL: base, Model: "m", Timeout: time.Minute})
	require.NoError(t, err)
	return o
}

func TestAProbeFindsAWrongAddress(t *testing.T) {
	t.Parallel()
	server := modeltest.Listing(t, modeltest.New(t), "m")
	for base, works := range map[string]string{
		server:                                server + "/v1",
		server + "/v1/chat/completions":       server + "/v1",
		server + "/v1/models":                 server + "/v1",
		server + "/api":                       server + "/v1",
		server + "/somewhere/else/altogether": "",
	} {
		o := probed(t, base)
		require.ErrorIs(t, o.Probe(t.Context()), openai.ErrNotAPI, base)
		require.Equal(t, works, o.WorkingAddress(t.Context()), base)
	}
	require.NoError(t, probed(t, server+"/v1").Probe(t.Context()))
}

func TestAProbeTellsWhatCouldNotBeVerified(t *testing.T) {
	t.Parallel()
	answer := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	for name, c := range map[string]struct {
		list, completions http.HandlerFunc
		want              error
	}{
		"a page": {
			answer(200, "text/html", "<!doctype html>"), answer(405, "text/html", "<!doctype html>"),
			openai.ErrNotAPI,
		},
		"a page for everything": {
			answer(200, "text/html", "<!doctype html>"), answer(200, "text/html", "<!doctype html>"),
			openai.ErrNotAPI,
		},
		"a page that forbids": {
			answer(200, "text/html", "<!doctype html>"), answer(403, "text/html", "<!doctype html>"),
			openai.ErrNotAPI,
		},
		"no list, in JSON": {
			answer(404, "application/json", `{"error":{"message":"no such path"}}`), nil, openai.ErrNotListed,
		},
		"no list, but completions": {
			answer(404, "text/plain", ""), answer(422, "text/plain", "missing field `messages`"), openai.ErrNotListed,
		},
		"an empty list": {answer(200, "application/json", `{"data":[]}`), nil, openai.ErrNotListed},
		"a byte order mark": {
			answer(200, "application/json", "\ufeff"+`{"data":[{"id":"m"}]}`), nil, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					c.completions(w, r)
					return
				}
				c.list(w, r)
			})
			err := probed(t, url).Probe(t.Context())
			require.ErrorIs(t, err, c.want)
		})
	}
}

func TestTheFormOfRequestsIsKnown(t *testing.T) {
	t.Parallel()
	for form, behavior := range map[openai.Form]modeltest.Behavior{
		openai.FormSchema: modeltest.Honest(),
		openai.FormObject: modeltest.NoSchema(false, modeltest.Honest()),
		openai.FormPrompt: modeltest.NoSchema(true, modeltest.Honest()),
	} {
		o := newModel(t, modeltest.New(t).Always(behavior))
		_, err := o.Extract(t.Context(), request(interview))
		require.NoError(t, err)
		require.Equal(t, form, o.Form())
	}
}
