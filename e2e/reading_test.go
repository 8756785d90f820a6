package e2e

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// The file is replaced by one that is read with other speakers, as a decision about labels would do.
func TestAnInterviewThatIsReadAgainCanBeParsedAgain(t *testing.T) {
	t.Parallel()
	const before = "Dana: Closing the books takes five days because receipts are missing.\nSam: Why is that " +
		"so?\n" +
		"Dana: Nobody has the time to ask for them.\nSam: I see.\n"
	const after = "Lee: Good morning everybody.\n" +
		"Kim: Closing the books takes five days because receipts are missing.\nSam: Why is that so?\n" +
		"Dana: Nobody has the time to ask for them.\nSam: I see.\n"
	s := startService(t)
	editor := s.signIn(t, s.Editor)
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days because receipts are missing")
	id := s.add(t, editor, "talk.txt", []byte(before))
	s.startParse(t, editor, id, h)
	s.waitForStatus(t, editor, id, "parsed")
	evidence := func() string {
		return dbtest.Value[string](t, s.DB, `select string_agg(concat_ws(' ', id, quote, speaker), '|' order by id)
			from evidence`)
	}
	found := evidence()
	require.Contains(t, found, "Closing the books takes five days because receipts are missing. Dana")

	s.Exec(t, "update private.import_files set data = convert_to($2, 'UTF8') where import_id = $1", id, after)
	decide := func(query string) map[string]any {
		status, answer := s.request(t, http.MethodPut, "/api/import/"+id+"/reading"+query, editor,
			"application/json", []byte(`{"people": ["Kim"]}`))
		require.Equal(t, http.StatusOK, status, "%v", answer)
		return answer
	}
	foreseen := decide("?dry_run=true")
	require.Equal(t, found, evidence())
	require.Equal(t, foreseen, decide(""))
	require.EqualValues(t, 1, foreseen["evidence"].(map[string]any)["moved"])
	moved := evidence()
	require.Contains(t, moved, "Closing the books takes five days because receipts are missing. Kim")
	require.Equal(t, found[:36], moved[:36], "the evidence keeps its id")

	// The worker has the transcript of the first run in its cache.
	s.startParse(t, editor, id, h)
	imported := s.waitForStatus(t, editor, id, "parsed")
	require.EqualValues(t, 1, imported["coverage"])
	require.Equal(t, moved, evidence())
	require.Equal(t, []any{"Dana", "Kim", "Lee", "Sam"}, speakersOf(t, s, id))
	require.Equal(t, "1", dbtest.Value[string](t, s.DB,
		"select string_agg(neutral_count::text, ' ') from speaker_stances where speaker = 'Kim'"))
}

func speakersOf(t *testing.T, s *service, id string) []any {
	t.Helper()
	return dbtest.Value[[]any](t, s.DB,
		`select jsonb_agg(speaker order by speaker) from import_speakers where import_id = $1`, id)
}
