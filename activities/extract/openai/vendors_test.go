package openai_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/outcome"
)

// Each server is understood after as many calls as it rejects, and the next request takes one.
func TestServersOfVendors(t *testing.T) {
	t.Parallel()
	want, err := newModel(t, modeltest.New(t)).Extract(t.Context(), request(interview))
	require.NoError(t, err)
	for _, vendor := range modeltest.Vendors() {
		t.Run(vendor.Name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(vendor.Answer.Behavior)
			model := newModel(t, server)
			response, err := model.Extract(t.Context(), request(interview))
			require.NoError(t, err)
			require.Equal(t, want.Findings, response.Findings)
			require.Positive(t, response.Usage.InputTokens)
			require.Equal(t, vendor.Answer.Calls, server.Count())

			_, err = model.Extract(t.Context(), request(interview))
			require.NoError(t, err)
			require.Equal(t, vendor.Answer.Calls+1, server.Count(), "what the server rejects is remembered")
			last := server.Calls()[server.Count()-1]
			require.Positive(t, last.MaxTokens+last.MaxCompletionTokens)
		})
	}
}

// An answer has no format that a server could reject, and may be streamed or whole.
func TestAnswersOfVendors(t *testing.T) {
	t.Parallel()
	for _, vendor := range modeltest.Vendors() {
		t.Run(vendor.Name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(vendor.Answer.Behavior)
			lines, used, err := compose(t, newModel(t, server))
			require.NoError(t, err)
			require.Equal(t, honestLines(), lines)
			require.Positive(t, used.InputTokens)
			require.LessOrEqual(t, server.Count(), vendor.Answer.Calls)
		})
	}
}

// Each fault is told apart on the first call, or after those that find out the form of the request. Where a
// part is read, all parts are.
func TestFaultsOfVendors(t *testing.T) {
	t.Parallel()
	long := longInterview()
	for _, vendor := range modeltest.Vendors() {
		for _, fault := range vendor.Faults {
			t.Run(vendor.Name+": "+string(fault.Kind), func(t *testing.T) {
				t.Parallel()
				server := modeltest.New(t).Always(fault.Behavior)
				model := newModel(t, server)
				chunks := model.Plan(long, twoHypotheses)
				_, err := model.Extract(t.Context(),
					extract.Request{Transcript: long, Chunk: chunks[0], Hypotheses: twoHypotheses})
				var failed *extract.Error
				require.ErrorAs(t, err, &failed)
				require.Equal(t, outcome.Code(fault.Says), failed.Code)
				require.Equal(t, fault.Calls, server.Count())
				require.LessOrEqual(t, server.Count(), 5)
				if failed.Code != outcome.CodeModelTooLong {
					return
				}
				server = modeltest.New(t).Always(fault.Behavior)
				got := readAll(t.Context(), newModel(t, server), long)
				require.NoError(t, got.ended)
				require.Empty(t, got.unread)
				// Three chunks are too long, and have two halves; the fourth is short.
				const ideal = 3 + 3*2 + 1
				require.LessOrEqual(t, server.Count(), ideal*3/2)
			})
		}
	}
}

var update = flag.Bool("update", false, "write the table of servers into docs/extraction.md")

func TestTheDocumentHasTheTableOfServers(t *testing.T) {
	t.Parallel()
	const document = "../../../docs/extraction.md"
	raw, err := os.ReadFile(document)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(raw), "<!-- servers -->\n")
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, "<!-- /servers -->")
	require.True(t, ok)
	if *update {
		text := before + "<!-- servers -->\n" + tableOfServers() + "<!-- /servers -->" + after
		require.NoError(t, os.WriteFile(document, []byte(text), 0o600))
		return
	}
	require.Equal(t, tableOfServers(), table,
		"go test ./activities/extract/openai -run TheTableOfServers -update")
}

// tableOfServers writes what the import says of each case, with a link to what the case is made from.
func tableOfServers() string {
	var b strings.Builder
	b.WriteString("| server |")
	for _, kind := range modeltest.Kinds {
		b.WriteString(" " + string(kind) + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(modeltest.Kinds)) + "\n")
	for _, vendor := range modeltest.Vendors() {
		b.WriteString("| " + vendor.Name + " |")
		for _, kind := range modeltest.Kinds {
			c, ok := vendor.Of(kind)
			said := "`" + c.Says + "`"
			switch {
			case !ok:
				b.WriteString(" |")
				continue
			case c.Says == string(outcome.CodeModelTooLong):
				said = "split"
			case c.Says == "" && c.Calls == 1:
				said = "read"
			case c.Says == "":
				said = fmt.Sprintf("read, %d calls", c.Calls)
			}
			fmt.Fprintf(&b, " [%s](%s) |", said, c.Link)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestListingsNameModelsWithAPrefix(t *testing.T) {
	t.Parallel()
	url := httpServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"models/gemini-2.5-flash"},{"id":"llama3.2:latest"}]}`))
	})
	for model, isListed := range map[string]bool{
		"gemini-2.5-flash": true, "models/gemini-2.5-flash": true, "llama3.2": true, "gemini-9": false,
	} {
		o, err := openai.New(openai.Config{BaseURL: url, Model: model, Timeout: time.Minute})
		require.NoError(t, err)
		err = o.Probe(t.Context())
		if isListed {
			require.NoError(t, err, model)
		} else {
			require.Error(t, err, model)
		}
	}
}

func TestTheEffortOfReasoningIsPassedOnUnlessItIsRejected(t *testing.T) {
	t.Parallel()
	const effort = `"reasoning_effort":"low"`
	server := modeltest.New(t).Always(modeltest.Vendors()[0].Answer.Behavior)
	model, err := openai.New(openai.Config{
		BaseURL: server.URL, Model: "m", Timeout: time.Minute, ReasoningEffort: "low",
	})
	require.NoError(t, err)
	response, err := model.Extract(t.Context(), request(interview))
	require.NoError(t, err)
	require.Contains(t, string(server.Calls()[0].Body), effort)
	require.EqualValues(t, 128, response.Usage.CachedTokens)
	require.EqualValues(t, 200, response.Usage.ReasoningTokens)
	require.Contains(t, model.PromptVersion(), "-low")

	server.Then(modeltest.Status(400, `{"error":{"message":"Unrecognized request argument supplied: `+
		`reasoning_effort","type":"invalid_request_error","param":null,"code":null}}`))
	for range 2 {
		_, err = model.Extract(t.Context(), request(interview))
		require.NoError(t, err)
	}
	calls := server.Calls()
	require.Contains(t, string(calls[len(calls)-3].Body), effort)
	require.NotContains(t, string(calls[len(calls)-2].Body), "reasoning_effort")
	require.NotContains(t, string(calls[len(calls)-1].Body), "reasoning_effort")
}
