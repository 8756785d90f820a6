package cli

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/config"
)

// doctorModel runs `research doctor model` with a server, and returns its findings and exit code.
func doctorModel(t *testing.T, base string, change func(*config.Extract)) ([]finding, int) {
	t.Helper()
	e := config.Extract{BaseURL: base, Model: "m", Timeout: time.Minute}
	if change != nil {
		change(&e)
	}
	var out, log bytes.Buffer
	code := Run(t.Context(), []string{"doctor", "model", "--json"}, System{
		Settings: func() (config.Config, error) { return config.Config{Extract: e}, nil },
		Stdout:   &out, Stderr: &log,
	})
	var findings []finding
	require.NoError(t, json.Unmarshal(out.Bytes(), &findings), "%s%s", out.String(), log.String())
	return findings, code
}

func findingOf(t *testing.T, findings []finding, check string) finding {
	t.Helper()
	i := slices.IndexFunc(findings, func(f finding) bool { return f.Check == check })
	require.GreaterOrEqual(t, i, 0, "%s: %+v", check, findings)
	return findings[i]
}

func TestDoctorModelSaysWhatAGoodModelCanDo(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	findings, code := doctorModel(t, modeltest.Listing(t, server, "m")+"/v1", func(e *config.Extract) {
		e.Prices = config.Prices{Input: 1, Output: 4, Currency: "EUR"}
	})
	require.Equal(t, exitOK, code, "%+v", findings)
	for _, f := range findings {
		require.Equal(t, stateOK, f.State, "%+v", f)
	}
	for check, found := range map[string]string{
		"form of answers": "takes a JSON schema",
		"denial":          "took a denial for a contradiction",
		"quotes":          "quotes are in the interview",
		"long prompts":    "in one request from beginning to end",
		"tokens":          "in 2 requests",
		"speed":           "tokens of answers a second; an interview of an hour takes",
		"cost":            "EUR for this check; an interview of an hour costs about 0.0",
	} {
		require.Contains(t, findingOf(t, findings, check).Found, found)
	}
	require.Equal(t, 2, server.Count())
}

func TestDoctorModelSaysWhatDoesNotWork(t *testing.T) {
	t.Parallel()
	silent := func(w http.ResponseWriter, x *modeltest.Exchange) {
		modeltest.Complete(func(c modeltest.Call) modeltest.Completion {
			return modeltest.Completion{Content: modeltest.Answer(c).JSON(), InputTokens: 1}
		})(w, x)
	}
	for name, c := range map[string]struct {
		behavior           modeltest.Behavior
		check, state, want string
		code               int
	}{
		"no schema": {
			modeltest.NoSchema(false, modeltest.Honest()), "form of answers", stateWarn, "JSON object", exitOK,
		},
		"finds nothing": {modeltest.Nothing(), "finding", stateFail, "did not find a quote", exitFailure},
		"no JSON":       {modeltest.Garbage(), "model", stateFail, "could not be read, twice", exitFailure},
		"invents":       {modeltest.Invented(), "quotes", stateWarn, "are not in the interview", exitFailure},
		"a small context": {
			modeltest.ContextTooLong(8000), "long prompts", stateWarn, "do not fit in one request", exitOK,
		},
		"a long call in vain": {
			modeltest.PromptsOver(8000, modeltest.Drop()), "long prompts", stateFail, "was not answered", exitFailure,
		},
		"no credit":           {modeltest.NoCredit(), "model", stateFail, "no credit", exitFailure},
		"does not count":      {silent, "tokens", stateWarn, "counted 2 tokens of prompts of about", exitOK},
		"refuses to read it":  {modeltest.Refuse(), "model", stateFail, "declines", exitFailure},
		"a key is not enough": {modeltest.BadKey(), "model", stateFail, "refuses the key", exitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(c.behavior)
			findings, code := doctorModel(t, modeltest.Listing(t, server, "m")+"/v1", nil)
			f := findingOf(t, slices.DeleteFunc(findings, func(f finding) bool {
				return f.Check == "model" && f.State == stateOK
			}), c.check)
			require.Equal(t, c.state, f.State)
			require.Contains(t, f.Found, c.want)
			require.NotEmpty(t, f.Do)
			require.Equal(t, c.code, code)
		})
	}
}

func TestDoctorModelSpendsNothingAtAWrongAddress(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	base := modeltest.Listing(t, server, "m")
	for _, address := range []string{base, base + "/v1/chat/completions"} {
		findings, code := doctorModel(t, address, nil)
		require.Equal(t, exitFailure, code)
		require.Equal(t, []finding{{
			"model", stateFail, "no model server is at OPENAI_BASE_URL, but one is at " + base + "/v1",
			"set OPENAI_BASE_URL=" + base + "/v1",
		}}, findings)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html>"))
	}))
	t.Cleanup(page.Close)
	findings, code := doctorModel(t, page.URL+"/v1", nil)
	require.Equal(t, exitFailure, code)
	require.Contains(t, findings[0].Found, "is no model server")

	findings, code = doctorModel(t, base+"/v1", func(e *config.Extract) { e.Model = "other" })
	require.Equal(t, exitFailure, code)
	require.Contains(t, findings[0].Found, "does not list the model other")
	require.Zero(t, server.Count())
}

func TestDoctorModelWithoutAModelFails(t *testing.T) {
	t.Parallel()
	findings, code := doctorModel(t, "", nil)
	require.Equal(t, exitFailure, code)
	require.Len(t, findings, 1)
	require.True(t, strings.HasPrefix(findings[0].Found, "none: "), findings[0].Found)
	require.Contains(t, findings[0].Do, "OPENAI_BASE_URL")
}

func TestDoctorWarnsOfAModelThatCouldNotBeVerified(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t) // it has no list of models
	e := config.Extract{BaseURL: server.URL, Model: "m", Timeout: time.Minute}
	d := doctor{cfg: config.Config{Extract: e}}
	d.checkModel(t.Context())
	require.Len(t, d.findings, 1)
	require.Equal(t, stateWarn, d.findings[0].State)
	require.Contains(t, d.findings[0].Do, "research doctor model")
	require.Zero(t, server.Count(), "the check is free")

	findings, code := doctorModel(t, server.URL, nil)
	require.Equal(t, exitOK, code)
	require.Equal(t, finding{"model", stateOK, "m answers", ""}, findings[0])
}
