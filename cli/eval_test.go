package cli_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db"
	"research/db/dbtest"
)

func TestEvalComparesTwoModels(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	settings := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_MODEL=small"}
	r := run(t, settings, "", "eval",
		"--against", "OPENAI_MODEL=large", "--against", "MODEL_EXAMPLE=on", "--repeats", "2")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "A: openai, model small (v2)")
	require.Contains(t, r.stdout, "B: openai, model large (v2-example)")
	require.Contains(t, r.stdout, "No difference was shown")
	require.Equal(t, 16, server.Count())

	for message, args := range map[string][]string{
		"does not know OPENAI_API_KEY":  {"--against", "OPENAI_API_KEY=x"},
		"does not know OPENAI_BASE_URL": {"--against", "OPENAI_BASE_URL=https://models.example/v1"},
		"must be on or off":             {"--against", "MODEL_EXAMPLE=perhaps"},
		"must be precise or broad":      {"--against", "KEYWORD_RETRIEVAL=wide"},
		"--max-cost requires prices":    {"--max-cost", "1"},
		"--repeats must be at least 1":  {"--repeats", "0"},
		"--max-cost must not be neg":    {"--max-tokens", "-1"},
		"-price must not be negative":   {"--max-cost", "1", "--input-price", "-1"},
		"not a response that eval kept": {"--resume", "eval_test.go"},
		"--save requires":               {"--save", "x.json"},
		"requires the id of a project":  {"--from-project", "x"},
		"the limit of costs was":        {"--max-cost", "0.000001", "--input-price", "1"},
		"the limit of tokens was reach": {"--max-tokens", "1"},
	} {
		r := run(t, settings, "", append([]string{"eval"}, args...)...)
		require.Equal(t, 1, r.code, message)
		require.Contains(t, r.stderr, message)
	}
	unreadable := modeltest.New(t).Always(modeltest.Refuse())
	r = run(t, []string{"OPENAI_BASE_URL=" + unreadable.URL, "OPENAI_MODEL=m"}, "", "eval")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.stderr, "nothing could be read")

	closed := modeltest.New(t).Always(modeltest.Status(http.StatusUnauthorized, `{"error": {"message": "no"}}`))
	for _, args := range [][]string{{"eval"}, {"eval", "--against", "OPENAI_MODEL=other"}} {
		r := run(t, []string{"OPENAI_BASE_URL=" + closed.URL, "OPENAI_MODEL=m"}, "", args...)
		require.Equal(t, 1, r.code)
		require.Contains(t, r.stderr, "model_key_rejected (HTTP 401): `research doctor model` says")
	}
}

func TestEvalResumesAComparison(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	settings := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_MODEL=small"}
	args := []string{
		"eval", "--against", "OPENAI_MODEL=large", "--resume", filepath.Join(t.TempDir(), "responses.jsonl"),
	}
	limited := run(t, settings, "", append(args, "--max-tokens", "1")...)
	require.Equal(t, 1, limited.code)
	require.Contains(t, limited.stderr, "the limit of tokens was reached")
	require.Positive(t, server.Count())
	require.Less(t, server.Count(), 8)

	whole := run(t, settings, "", args...)
	require.Zero(t, whole.code, whole.stderr)
	require.Contains(t, whole.stdout, "No difference was shown")
	require.Equal(t, 8, server.Count(), "four transcripts for two models, each of them once")
}

func TestEvalMeasuresByTheJudgementsOfAProject(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	tenant := d.Tenant(t)
	settings := databaseSettings(d)
	empty := run(t, settings, "", "eval", "--from-project", tenant.Project.String())
	require.Equal(t, 1, empty.code)
	require.Contains(t, empty.stderr, "nobody has accepted or rejected")

	copying := d.Hypothesis(t, tenant, "Teams copy invoices by hand")
	const text = "We copy every invoice by hand.\nThe coffee is good."
	editor := db.User(tenant.Editor)
	importID, err := db.AsUser(t.Context(), d.Store, editor, func(q *db.Queries) (uuid.UUID, error) {
		return q.StoreImport(t.Context(), db.StoreImportParams{
			ProjectID: tenant.Project, Title: "Secret title", Format: "text", SizeBytes: 50,
			Sha256: strings.Repeat("0", 64), Body: []byte(text), Speakers: []string{"Dana Secret", "Dana Secret"},
			Starts: []int64{-1, -1}, Ends: []int64{-1, -1}, Texts: strings.Split(text, "\n"),
			ByteStarts: []int32{0, 31}, ByteEnds: []int32{30, 50},
		})
	})
	require.NoError(t, err)
	for quote, judged := range map[string]struct {
		review     string
		start, end int
	}{
		"We copy every invoice by hand.": {"accepted", 0, 30},
		"The coffee is good.":            {"rejected", 31, 50},
	} {
		evidence := dbtest.Value[string](t, d, `
			insert into evidence (project_id, import_id, quote, speaker, byte_start, byte_end, match, review)
			values ($1, $2, $3, 'Dana Secret', $4, $5, 'verbatim', $6::evidence_review)
			returning id::text`, tenant.Project, importID, quote, judged.start, judged.end, judged.review)
		d.Exec(t, `
			insert into evidence_hypotheses (evidence_id, hypothesis_id, stance) values ($1, $2, 'supports')`,
			evidence, copying)
	}
	direct := run(t, settings, "", "eval", "--keyword", "--from-project", tenant.Project.String())
	require.Zero(t, direct.code, direct.stderr)
	require.Contains(t, direct.stdout, "100 % (1/1)")

	file := filepath.Join(t.TempDir(), "judged.json")
	saved := run(t, settings, "", "eval", "--from-project", tenant.Project.String(), "--save", file)
	require.Zero(t, saved.code, saved.stderr)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(raw), "The coffee is good.")
	for _, private := range []string{"Secret", "@example.com", tenant.Editor.String()} {
		require.NotContains(t, string(raw), private)
	}
	again := run(t, settings, "", "eval", "--keyword", file)
	require.Zero(t, again.code, again.stderr)
	figures := func(out string) string { return out[strings.Index(out, "\n"):] } // without the time it took
	require.Equal(t, figures(direct.stdout), figures(again.stdout))
	occupied := run(t, settings, "", "eval", "--from-project", tenant.Project.String(), "--save", file)
	require.Equal(t, 1, occupied.code,
		"an existing file is kept")

	d.Exec(t, `update import_speakers set role = 'interviewer' where import_id = $1`, importID)
	for _, source := range [][]string{{"--from-project", tenant.Project.String()}, {file}} {
		interviewed := run(t, settings, "", append([]string{"eval", "--json", "--keyword"}, source...)...)
		require.Zero(t, interviewed.code, interviewed.stderr)
		require.Contains(t, interviewed.stdout, `"evidence": 0`, "the words of interviewers are not evidence")
		require.Contains(t, interviewed.stdout, `"gold": 0`)
	}
}

// meetingOf is a meeting in QMSum's format: somebody says a sentence, which answers a question.
func meetingOf(sentence, question string) string {
	return fmt.Sprintf(`{"meeting_transcripts": [{"speaker": "Ben", "content": %q}], `+
		`"specific_query_list": [{"query": %q, "relevant_text_span": [["0", "0"]]}]}`+"\n", sentence, question)
}

func TestEvalAskMeasuresAnswersByMeetings(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	meetings := meetingOf("The remote control gets a rubber case.", "Which case does the remote control get?") +
		meetingOf("The schools of Wales need more teachers.", "What do the schools of Wales need?")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "test.jsonl"), []byte(meetings), 0o600))

	r := run(t, nil, "", "eval", "ask", "--qmsum", folder)
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, "marked passage")
	require.Contains(t, r.stdout, "2 questions  40        6       100.0 %")
	require.NotContains(t, r.stdout, "other meetings", "there is no model")

	server := modeltest.New(t)
	settings := []string{"OPENAI_BASE_URL=" + server.URL, "OPENAI_MODEL=small"}
	r = run(t, settings, "", "eval", "ask", "--qmsum", folder, "--json")
	require.Zero(t, r.code, r.stderr)
	require.Contains(t, r.stdout, `"model": "small"`)
	r = run(t, settings, "", "eval", "ask", "--qmsum", folder, "--max-tokens", "1")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.stderr, "the limit of tokens was reach")
	require.Contains(t, r.stdout, "other meetings", "what was measured before is written")

	for message, args := range map[string][]string{
		"--qmsum requires":      {},
		"--split must be":       {"--qmsum", folder, "--split", "train"},
		"--max-tokens must not": {"--qmsum", folder, "--max-tokens", "-1"},
		"load the meetings":     {"--qmsum", folder, "--split", "val"},
	} {
		r := run(t, nil, "", append([]string{"eval", "ask"}, args...)...)
		require.Equal(t, 1, r.code, message)
		require.Contains(t, r.stderr, message)
	}
}
