package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token"
)

// document is the result of fetch, as clients read it.
type document struct {
	ID, Title, Text, URL string
	Metadata             map[string]string
	More                 bool
	Cursor               string
}

// said returns the lines of a text that were said in an interview, without their mark.
func (d document) said() (lines []string) {
	for line := range strings.SplitSeq(d.Text, "\n") {
		if said, is := strings.CutPrefix(line, "> "); is {
			lines = append(lines, said)
		}
	}
	return lines
}

func TestFetch(t *testing.T) {
	t.Parallel()
	w := populate(t)
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	fetch := func(t *testing.T, id string) document {
		t.Helper()
		d := call[document](t, session, "fetch", map[string]any{"id": id})
		require.Equal(t, id, d.ID)
		require.False(t, d.More)
		require.Equal(t, w.Project.String(), d.Metadata["project"])
		require.True(t, strings.HasPrefix(d.Text, "Lines that begin with"), d.Text)
		delete(d.Metadata, "project")
		return d
	}
	imported := "import:" + w.imported.String()

	t.Run("an interview", func(t *testing.T) {
		d := fetch(t, imported)
		require.Equal(t, "Interview with Ann", d.Title)
		require.Equal(t, publicURL+"/imports/"+w.imported.String(), d.URL)
		require.Equal(t, map[string]string{
			"interview": "Interview with Ann", "interview_id": imported, "turns": "0-7",
		}, d.Metadata)
		require.Len(t, d.said(), 8)
		require.Equal(t, "[0] Host (interviewer) at 00:00: What happens with receipts at the end of a month?",
			d.said()[0])
	})

	t.Run("turns, with those around them", func(t *testing.T) {
		d := fetch(t, fmt.Sprintf("utterance:%s:5-5", w.imported))
		require.Equal(t, publicURL+"/imports/"+w.imported.String()+"?u=5", d.URL)
		require.Equal(t, "Ann, in Interview with Ann", d.Title)
		require.Equal(t, map[string]string{
			"interview": "Interview with Ann", "interview_id": imported, "turns": "2-7", "speaker": "Ann",
			"start": "00:50",
		}, d.Metadata)
		require.Equal(t, "[5] Ann at 00:50: A spreadsheet, but nobody keeps it up to date.", d.said()[3])
	})

	t.Run("a hypothesis", func(t *testing.T) {
		d := fetch(t, "hypothesis:"+w.hypothesis.String())
		require.Equal(t, fmt.Sprintf("%s/projects/%s/evidence?h=%s", publicURL, w.Project, w.hypothesis), d.URL)
		require.Contains(t, d.Text, "It is wrong if: Nobody pays.")
		require.Contains(t, d.Text, "Result: supports. 1 person supports it.")
		require.Equal(t, []string{"I pay for them myself"}, d.said())
		require.Contains(t, d.Text, "evidence:"+w.evidenceID.String()+" (strong, accepted), Ann, in Interview with")
		require.Equal(t, map[string]string{"status": "untested"}, d.Metadata)
	})

	t.Run("a quote", func(t *testing.T) {
		d := fetch(t, "evidence:"+w.evidenceID.String())
		require.Equal(t, fmt.Sprintf("%s/imports/%s?e=%s", publicURL, w.imported, w.evidenceID), d.URL)
		require.Equal(t, []string{"I pay for them myself"}, d.said())
		require.Contains(t, d.Text, "It supports hypothesis:"+w.hypothesis.String()+" (strong): People pay for")
		require.Equal(t, map[string]string{
			"interview": "Interview with Ann", "interview_id": imported, "turns": "1-1", "speaker": "Ann",
			"start": "00:10", "status": "accepted",
		}, d.Metadata)
	})

	t.Run("an answer", func(t *testing.T) {
		d := fetch(t, "answer:"+w.answer.String())
		require.Equal(t, fmt.Sprintf("%s/projects/%s/ask?a=%s", publicURL, w.Project, w.answer), d.URL)
		require.Contains(t, d.Text, "Question: What do people do with lost receipts?")
		require.Contains(t, d.Text, "\nSentence 1 (1 person):\n> They pay for them.\nIts quotes:\n")
		require.Contains(t, d.Text, fmt.Sprintf("Interview with Ann [utterance:%s:1-1]:\n", w.imported))
		require.Equal(t, []string{"They pay for them.", "I pay for them myself"}, d.said())
	})
}

// What a model wrote from transcripts may repeat what they say.
func TestFetchMarksWhatAModelWrote(t *testing.T) {
	t.Parallel()
	w := populate(t)
	w.Exec(t, "update evidence set summary = E'Sum\\nmary', rationale = 'Why' where id = $1", w.evidenceID)
	w.Exec(t, "update answers set missing = E'Who\\npays' where id = $1", w.answer)
	w.Exec(t, "update utterances set confidence = 0 where import_id = $1", w.imported)
	w.Exec(t, `insert into answer_quotes (answer_id, project_id, ordinal, import_id, quote, byte_start, byte_end,
			match)
		select answer_id, project_id, 0, import_id, quote, byte_start, byte_end, match from answer_quotes`)
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	read := func(id string) document {
		return call[document](t, session, "fetch", map[string]any{"id": id})
	}
	require.Equal(t, []string{"I pay for them myself", "Sum", "mary", "Why"},
		read("evidence:"+w.evidenceID.String()).said())
	answer := read("answer:" + w.answer.String())
	require.Equal(t, []string{
		"Who", "pays", "They pay for them.", "I pay for them myself", "I pay for them myself",
	}, answer.said())
	require.Contains(t, answer.Text, "(it is doubtful who says this):\n> I pay")
}

// Whoever renames a speaker does not want the label of the transcript to leave the service.
func TestSpeakersHaveTheirDisplayNames(t *testing.T) {
	t.Parallel()
	w := populate(t)
	w.Exec(t, "update participants set name = 'P1' where name = 'Ann'")
	w.Exec(t, "update imports set title = 'First' where id = $1", w.imported)
	session := w.connect(t, w.app(t, w.Editor, allScopes))
	for tool, args := range map[string]map[string]any{
		"search":         {"query": "spreadsheet"},
		"fetch":          {"id": "answer:" + w.answer.String()},
		"get_evidence":   {"hypothesis": w.hypothesis.String()},
		"get_hypotheses": {"project": w.Project.String()},
		"ask_interviews": {"answer_id": w.answer.String()},
		"record_evidence": {
			"hypothesis": w.hypothesis.String(), "import": w.imported.String(), "stance": "supports",
			"quote": "It is about twenty euros",
		},
	} {
		text, err := json.Marshal(call[map[string]any](t, session, tool, args))
		require.NoError(t, err)
		require.Contains(t, string(text), "P1", tool)
		require.NotContains(t, string(text), "Ann", tool)
	}
	told := fail(t, session, "record_evidence", map[string]any{
		"hypothesis": w.hypothesis.String(), "import": w.imported.String(), "stance": "supports",
		"quote": "It is about thirty euros",
	})
	require.Contains(t, told, "> P1: ")
	require.NotContains(t, told, "Ann")
}

func TestFetchReadsALongHypothesis(t *testing.T) {
	t.Parallel()
	w := populate(t)
	statement, refuted := strings.Repeat("long ", 395)+"end.", strings.Repeat("Nobody pays for it.\n", 990)+"END"
	w.Exec(t, "update hypotheses set statement = $2, falsified_if = $3, decision_reason = $3 where id = $1",
		w.hypothesis, statement, refuted)
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	args := map[string]any{"id": "hypothesis:" + w.hypothesis.String()}
	var text string
	for {
		page := call[document](t, session, "fetch", args)
		_, lines, _ := strings.Cut(page.Text, "\n")
		text += lines + "\n"
		if !page.More {
			break
		}
		args["cursor"] = page.Cursor
	}
	for _, whole := range []string{
		"Hypothesis: " + statement, "It is wrong if: " + refuted, "Reason for the verdict: " + refuted,
	} {
		require.True(t, strings.Contains(text, whole+"\n"), whole[:20]) //nolint:testifylint // texts are long
	}
}

// Evidence of a run that goes on may not be there when it ends.
func TestFetchHasNoUnfinishedEvidence(t *testing.T) {
	t.Parallel()
	w := populate(t)
	w.Exec(t, "update evidence set in_progress = true where id = $1", w.evidenceID)
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	require.Contains(t, fail(t, session, "fetch", map[string]any{"id": "evidence:" + w.evidenceID.String()}),
		"There is nothing with this id")
}

func TestFetchPages(t *testing.T) {
	t.Parallel()
	e := setup(t)
	var turns []string
	for n := range 120 {
		turns = append(turns, fmt.Sprintf("Ann: Turn %d. %s", n, strings.Repeat("\"So it is.\" ", n*n%97)+"Yes."))
	}
	turns = append(turns, "Bob: "+strings.Repeat("long ", 13_000)+"end") // 64 KB
	imported := e.interview(t, e.Project, "Long", turns...)
	session := e.connect(t, e.app(t, e.Viewer, token.ScopeRead))
	arguments := map[string]any{"id": "import:" + imported.String()}
	var said []string
	pages := 0
	for {
		d := call[document](t, session, "fetch", arguments)
		require.NotEmpty(t, d.Metadata["turns"])
		said = append(said, d.said()...)
		pages++
		require.Less(t, pages, 20)
		if !d.More {
			break
		}
		arguments["cursor"] = d.Cursor
	}
	require.Greater(t, pages, 3)
	var want []string
	for n, turn := range turns[:120] {
		_, text, _ := strings.Cut(turn, ": ")
		want = append(want, fmt.Sprintf("[%d] Ann at %02d:%02d: %s", n, n*10/60, n*10%60, text))
	}
	require.Equal(t, want, said[:120])
	require.Equal(t, "[120] Bob at 20:00: "+strings.TrimPrefix(turns[120], "Bob: "),
		strings.Join(said[120:], ""))
}

func TestFetchRejectsWhatIsNoID(t *testing.T) {
	t.Parallel()
	w := populate(t)
	session := w.connect(t, w.app(t, w.Viewer, token.ScopeRead))
	of := w.imported.String()
	for _, id := range []string{
		"", ":", "import", "import:", "import:" + of[:35], "import:" + of + "\x00", "import:{" + of + "}",
		"project:" + of, "utterance:" + of, "utterance:" + of + ":", "utterance:" + of + ":-1-2",
		"utterance:" + of + ":2-1", "utterance:" + of + ":1-99999999999999999999", "utterance:" + of + ":01-2",
		"utterance:" + of + ":1-2-3", "file:///etc/passwd", strings.Repeat("import:", 10_000),
	} {
		require.Contains(t, fail(t, session, "fetch", map[string]any{"id": id}),
			"id must be one that another tool returned", id)
	}
	for _, id := range []string{
		"utterance:" + of + ":8-9", "import:" + uuid.NewString(), "import:" + w.hypothesis.String(),
		"hypothesis:" + of, "evidence:" + of, "answer:" + of,
	} {
		require.Contains(t, fail(t, session, "fetch", map[string]any{"id": id}), "There is nothing with", id)
	}
}
