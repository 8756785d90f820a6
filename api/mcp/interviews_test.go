package mcp_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/mcp"
	"research/db"
	"research/db/dbtest"
)

// interview stores an interview whose lines are turns, as "Speaker: text" in turn every ten seconds.
func (e *edge) interview(t testing.TB, project uuid.UUID, title string, turns ...string) (of uuid.UUID) {
	t.Helper()
	p := db.StoreImportParams{
		ProjectID: project, Title: title, Filename: "a.vtt", Format: "webvtt", Sha256: uuid.NewString(),
		Language: "en",
	}
	for i, turn := range turns {
		speaker, text, _ := strings.Cut(turn, ": ")
		p.Speakers, p.Texts = append(p.Speakers, speaker), append(p.Texts, text)
		p.Starts, p.Ends = append(p.Starts, int64(i)*10_000), append(p.Ends, int64(i)*10_000+9_000)
		if i > 0 {
			p.Body = append(p.Body, '\n')
		}
		p.ByteStarts = append(p.ByteStarts, int32(len(p.Body)))
		p.Body = append(p.Body, text...)
		p.ByteEnds = append(p.ByteEnds, int32(len(p.Body)))
	}
	p.SizeBytes = int64(len(p.Body))
	require.NoError(t, e.AsService(t.Context(), func(q *db.Queries) (err error) {
		of, err = q.StoreImport(t.Context(), p)
		return err
	}))
	e.Exec(t, `update import_speakers set role = 'interviewer' where import_id = $1 and speaker = 'Host'`, of)
	return of
}

// evidence adds a quote of an interview that says something about a hypothesis.
func (e *edge) evidence(
	t testing.TB, project, imported, hypothesis uuid.UUID, quote, stance, review string,
) (of uuid.UUID) {
	t.Helper()
	body := dbtest.Value[[]byte](t, e.DB, "select body from private.transcripts where import_id = $1", imported)
	at := strings.Index(string(body), quote)
	require.GreaterOrEqual(t, at, 0, quote)
	of = dbtest.Value[uuid.UUID](t, e.DB, `
		insert into evidence (project_id, import_id, quote, byte_start, byte_end, match, origin, review)
		values ($1, $2, $3, $4, $5, 'verbatim', 'ai', $6::evidence_review) returning id`,
		project, imported, quote, at, at+len(quote), review)
	e.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance, strength)
		values ($1, $2, $3::evidence_stance, 'strong')`, of, hypothesis, stance)
	return of
}

// A world is an edge with an interview, hypotheses, evidence and an answer.
type world struct {
	*edge
	imported, hypothesis, evidenceID, answer uuid.UUID
}

func populate(t testing.TB, change ...func(*mcp.Config, *mcp.Deps)) *world {
	t.Helper()
	return populated(t, setup(t, change...))
}

func populated(t testing.TB, e *edge) *world {
	t.Helper()
	w := &world{edge: e}
	w.imported = e.interview(t, e.Project, "Interview with Ann",
		"Host: What happens with receipts at the end of a month?",
		"Ann: I lose most of my receipts, so I pay for them myself.",
		"Host: How often?",
		"Ann: Every month. It is about twenty euros.",
		"Host: What did you try?",
		"Ann: A spreadsheet, but nobody keeps it up to date.",
		"Host: And your colleagues?",
		"Ann: They photograph everything with the telephone.",
	)
	w.hypothesis = e.Hypothesis(t, e.Tenant, "People pay for lost receipts themselves")
	e.Exec(t, "update hypotheses set falsified_if = 'Nobody pays.' where id = $1", w.hypothesis)
	e.Exec(t, `insert into import_hypotheses
			(import_id, hypothesis_id, project_id, statement, coverage, model_coverage, checked_at)
		values ($1, $2, $3, 'People pay for lost receipts themselves', 1, 1, now())`,
		w.imported, w.hypothesis, e.Project)
	w.evidenceID = w.evidence(t, e.Project, w.imported, w.hypothesis, "I pay for them myself", "supports",
		"accepted")
	w.answer = dbtest.Value[uuid.UUID](t, e.DB, `
		insert into answers (project_id, question, mode, status, result)
		values ($1, 'What do people do with lost receipts?', 'quick', 'answered', 'answered') returning id`,
		e.Project)
	e.Exec(t, `insert into answer_sentences (answer_id, ordinal, project_id, text)
		values ($1, 0, $2, 'They pay for them.')`, w.answer, e.Project)
	body := dbtest.Value[[]byte](t, e.DB, "select body from private.transcripts where import_id = $1",
		w.imported)
	at := strings.Index(string(body), "I pay for them myself")
	e.Exec(t, `insert into answer_quotes (answer_id, project_id, sentence_ordinal, ordinal, import_id, quote,
			byte_start, byte_end, match)
		values ($1, $2, 0, 0, $3, 'I pay for them myself', $4, $5, 'verbatim')`,
		w.answer, e.Project, w.imported, at, at+len("I pay for them myself"))
	return w
}
