package imports_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/db/dbtest"
)

const guidedInterview = `Interviewer: Tell me about the last time you sent an invoice.
Dana: It took me two weeks to get the money.
Interviewer: Would you pay for a tool that reminds them?
Dana: Yes, I would.
Interviewer: Mm-hm.
Dana: At once.
`

type led struct {
	*uploads
	id string
}

func serveLed(t *testing.T) led {
	t.Helper()
	u := serveUploads(t, func(*imports.Deps) {})
	status, stored := u.choose(t, "/", guidedInterview, nil)
	require.Equal(t, http.StatusCreated, status, "%v", stored)
	return led{u, stored["importId"].(string)}
}

// craft returns how the interview is led, with its questions as texts of their kinds.
func (l led) craft(t *testing.T, user uuid.UUID) (answer fields, questions []string) {
	t.Helper()
	status, answer := l.transcriptRequest(t, http.MethodGet, user, l.id+"/craft", nil)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	for _, raw := range answer["questions"].([]any) {
		q := raw.(fields)
		kinds := ""
		for _, kind := range []string{"open", "closed", "past", "hypothetical", "leading"} {
			if q[kind].(bool) {
				kinds += " " + kind
			}
		}
		questions = append(questions, fmt.Sprintf("%v%s: %s", q["ordinal"], kinds, q["text"]))
		require.Equal(t, q["text"], dbtest.Value[string](t, l.DB, `
			select convert_from(substring(body from $2 + 1 for $3 - $2), 'UTF8')
			from private.transcripts where import_id = $1`,
			l.id, int(q["byteStart"].(float64)), int(q["byteEnd"].(float64))))
	}
	return answer, questions
}

// answered is what the answer "At once." answers.
func (l led) answered(t *testing.T) string {
	t.Helper()
	return dbtest.Value[string](t, l.DB, `
		select coalesce((
			select asked_kind || ' ' ||
				convert_from(substring(t.body from asked_start + 1 for asked_end - asked_start), 'UTF8')
			from private.transcripts t where t.import_id = e.import_id and asked_kind is not null
		), '')
		from evidence e where quote = 'At once.'`)
}

func TestHowAnInterviewIsLed(t *testing.T) {
	t.Parallel()
	l := serveLed(t)
	l.Exec(t, `insert into questions (project_id, text) values
		($1, 'When was the last time you sent an invoice?'), ($1, 'Who decides what your company buys?'),
		($1, 'Wann haben Sie das letzte Mal eine Rechnung geschrieben, und was ist dann mit ihr passiert?')`,
		l.Project)
	l.Exec(t, "insert into evidence (project_id, import_id, quote, origin) values ($1, $2, 'At once.', 'ai')",
		l.Project, l.id)

	answer, questions := l.craft(t, l.Viewer)
	require.Equal(t, []string{
		"0 open past: Tell me about the last time you sent an invoice.",
		"2 closed hypothetical: Would you pay for a tool that reminds them?",
	}, questions)
	require.Equal(t, "en", answer["language"])
	require.Equal(t, 34.0, answer["words"])
	require.Equal(t, 20.0, answer["interviewerWords"])
	require.Equal(t, fields{"from": 0.0, "to": 0.0, "words": 10.0, "ms": nil}, answer["longest"])
	asked := map[string]any{}
	for _, planned := range answer["planned"].([]any) {
		asked[planned.(fields)["text"].(string)] = planned.(fields)["asked"]
	}
	require.Equal(t, fields{
		"When was the last time you sent an invoice?": []any{0.0}, "Who decides what your company buys?": []any{},
	}, asked)
	require.Equal(t, "hypothetical Would you pay for a tool that reminds them?", l.answered(t))

	t.Run("follows corrections", func(t *testing.T) {
		status, _ := judged{uploads: l.uploads, id: l.id}.correct(t,
			fields{"ordinal": 0, "text": "So, well. Tell me about the last time you sent an invoice."},
			fields{"ordinal": 2, "text": "How did you remind them?"})
		require.Equal(t, http.StatusOK, status)
		_, questions := l.craft(t, l.Viewer)
		require.Equal(t, []string{
			"0 open past: Tell me about the last time you sent an invoice.", "2 open past: How did you remind them?",
		}, questions)
		require.Empty(t, l.answered(t))
	})

	t.Run("is nobody's who does not see the import", func(t *testing.T) {
		stranger := l.User(t, "stranger@example.com")
		for _, path := range []string{l.id + "/craft", uuid.NewString() + "/craft", "x/craft"} {
			status, _ := l.transcriptRequest(t, http.MethodGet, stranger, path, nil)
			require.Equal(t, http.StatusNotFound, status)
		}
	})

	t.Run("has shares only in a language without lists", func(t *testing.T) {
		status, stored := l.choose(t, "/", "Haastattelija: Mitä te teette, kun lasku myöhästyy?\nAino: "+
			"Soitan asiakkaalle ja kysyn, milloin raha tulee. Se on aina yhtä ikävää, mutta muuta ei voi "+
			"tehdä.\n", nil)
		require.Equal(t, http.StatusCreated, status, "%v", stored)
		answer, questions := led{l.uploads, stored["importId"].(string)}.craft(t, l.Viewer)
		require.Equal(t, "", answer["language"])
		require.Empty(t, questions)
		require.Empty(t, answer["planned"])
		require.Equal(t, 23.0, answer["words"])
	})
}
