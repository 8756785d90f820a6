package projects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/problem/problemtest"
	"research/db/dbtest"
)

// A words is the answer of GET /api/project/{projectId}/words.
type words struct {
	Words []struct {
		Word               string
		Forms              []string
		People, Interviews int
		Places             []struct {
			ImportID, ImportTitle, Speaker, Text string
			Ordinal, TextFrom                    int
			StartMs                              *int64
			At                                   [2]int
		}
	}
	People, Interviews, ReadTurns int
	Truncated                     bool
}

// words reads the words of the project as the viewer.
func (e *edge) words(t *testing.T) (read words) {
	t.Helper()
	w := e.do(t, e.Viewer, http.MethodGet, e.Project.String()+"/words", "")
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &read))
	return read
}

func (w words) spelled() (list []string) {
	for _, one := range w.Words {
		list = append(list, one.Word)
	}
	return list
}

// says adds a turn of the participant of an interview, or of somebody else.
func (e *edge) says(t *testing.T, interview uuid.UUID, ordinal int, speaker, text string) {
	t.Helper()
	e.Exec(t, `insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start,
			byte_end, start_ms)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, interview, ordinal, e.Workspace, e.Project, speaker, text,
		ordinal*100_000, ordinal*100_000+len(text), ordinal*1000)
}

func TestWords(t *testing.T) {
	t.Parallel()

	t.Run("of an empty project are none", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "{[] 0 0 0 false}", fmt.Sprint(setup(t).words(t)))
	})

	t.Run("are those of participants that no hypothesis has", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.Hypothesis(t, e.Tenant, "People lose receipts")
		for i := range 3 {
			id := e.interview(t, i, uuid.Nil)
			e.Exec(t, `insert into import_speakers (import_id, speaker, project_id, display_name, role) values
				($1, 'Q', $2, 'Mia', 'interviewer'), ($1, 'N', $2, 'Note taker', 'other')`, id, e.Project)
			e.says(t, id, 0, "Q", "Which spreadsheet do you use?")
			e.says(t, id, 1, "N", "She shows a drawer.")
			e.says(t, id, 2, "P", "Well, my receipts wait for the approval, Mia.")
			e.says(t, id, 3, "P", "And the printer jams.")
			e.Exec(t, "update utterances set confidence = 0.5 where import_id = $1 and ordinal = 3", id)
			e.says(t, id, 4, "P", strings.Repeat("é", 400)+" the approval! "+strings.Repeat("é", 400))
		}
		theme := dbtest.Value[uuid.UUID](t, e.DB,
			"insert into themes (project_id, name) values ($1, 'Slow approvals') returning id", e.Project)
		require.Empty(t, e.words(t).Words)
		e.Exec(t, "delete from themes where id = $1", theme)
		read := e.words(t)
		require.Equal(t, []string{"approval"}, read.spelled())
		require.Equal(t, 3, read.People)
		require.Equal(t, 3, read.Interviews)
		require.Equal(t, 6, read.ReadTurns)
		word := read.Words[0]
		require.Equal(t, 3, word.People)
		require.Equal(t, 3, word.Interviews)
		require.Equal(t, []string{"approval"}, word.Forms)
		require.Len(t, word.Places, 3)
		require.Equal(t, "approval", word.Places[0].Text[word.Places[0].At[0]:word.Places[0].At[1]])
		require.Equal(t, "Interview", word.Places[0].ImportTitle)
		require.Regexp(t, "^Person [0-2]$", word.Places[0].Speaker)
		require.EqualValues(t, 2000, *word.Places[0].StartMs)
	})

	t.Run("have excerpts of long turns", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		for i := range 3 {
			id := e.interview(t, i, uuid.Nil)
			e.says(t, id, 0, "P", "Hm.")
			e.says(t, id, 1, "P", strings.Repeat("é ", 400)+"approval"+strings.Repeat(" é", 400))
		}
		place := e.words(t).Words[0].Places[0]
		require.LessOrEqual(t, len(place.Text), 600)
		require.Equal(t, "approval", place.Text[place.At[0]:place.At[1]])
		require.Equal(t, 2*400+400, place.TextFrom+place.At[0], "the place in the turn")
	})

	t.Run("count a person of several interviews once", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		person := dbtest.Value[uuid.UUID](t, e.DB,
			"insert into participants (project_id, name) values ($1, 'Ann') returning id", e.Project)
		for i := range 3 {
			id := e.interview(t, i, uuid.Nil)
			e.Exec(t, "update import_speakers set participant_id = $1 where import_id = $2", person, id)
			e.says(t, id, 0, "P", "It waits for the approval.")
			e.says(t, id, 1, "P", "Hm.")
		}
		read := e.words(t)
		require.Empty(t, read.Words)
		require.Equal(t, 1, read.People)
		require.Equal(t, 3, read.Interviews)
	})

	t.Run("are for those who see the project", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		stranger := e.User(t, "stranger@example.com")
		for _, project := range []string{e.Project.String(), uuid.NewString(), "nonsense"} {
			w := e.do(t, stranger, http.MethodGet, project+"/words", "")
			problemtest.RequireError(t, w, http.StatusNotFound, "project_not_found")
			w = e.do(t, uuid.Nil, http.MethodGet, project+"/words", "")
			problemtest.RequireError(t, w, http.StatusUnauthorized, "unauthorized")
		}
		w := e.do(t, e.Viewer, http.MethodGet, e.Project.String()+"/words?most=3", "")
		problemtest.RequireError(t, w, http.StatusBadRequest, "invalid_request")
	})
}
