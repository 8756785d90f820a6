package db_test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// ask asks a question over all interviews of a project.
func ask(t testing.TB, d *dbtest.DB, who, project uuid.UUID, change func(*db.ClaimAnswerParams)) (
	db.PrivateAskResult, db.ClaimAnswerParams,
) {
	t.Helper()
	params := db.ClaimAnswerParams{
		AnswerID: uuid.New(), ClaimID: uuid.New(), ProjectID: project, Question: "Who pays?",
		Mode: db.AnswerModeQuick,
	}
	if change != nil {
		change(&params)
	}
	row, err := db.AsUser(t.Context(), d.Store, db.User(who), func(q *db.Queries) (db.ClaimAnswerRow, error) {
		return q.ClaimAnswer(t.Context(), params)
	})
	require.NoError(t, err)
	return row.Result, params
}

func askAgain(t testing.TB, d *dbtest.DB, who, answer uuid.UUID) (db.PrivateAskResult, uuid.UUID) {
	t.Helper()
	claim := uuid.New()
	row, err := db.AsUser(t.Context(), d.Store, db.User(who),
		func(q *db.Queries) (db.ClaimAnswerAgainRow, error) {
			return q.ClaimAnswerAgain(t.Context(), db.ClaimAnswerAgainParams{AnswerID: answer, ClaimID: claim})
		})
	require.NoError(t, err)
	return row.Result, claim
}

// An asked question is an answer that a run has begun, with a plan that reads its first interview.
type asked struct {
	conversation
	id, claim uuid.UUID
}

func (c conversation) ask(t *testing.T, imports ...uuid.UUID) asked {
	t.Helper()
	result, params := ask(t, c.d, c.Editor, c.Project, func(p *db.ClaimAnswerParams) { p.Imports = imports })
	require.Equal(t, db.PrivateAskResultClaimed, result)
	a := asked{conversation: c, id: params.AnswerID, claim: params.ClaimID}
	a.begin(t)
	return a
}

func (a asked) begin(t *testing.T) {
	t.Helper()
	a.start(t)
	a.plan(t)
}

func (a asked) start(t *testing.T) {
	t.Helper()
	a.service(t, func(q *db.Queries) error {
		begun, err := q.BeginAnswer(t.Context(), db.BeginAnswerParams{
			AnswerID: a.id, ClaimID: a.claim, WorkflowID: "w", RunID: "r", Extractor: "openai", Model: "m",
		})
		require.EqualValues(t, 1, begun)
		return err
	})
}

func (a asked) plan(t *testing.T) {
	t.Helper()
	a.service(t, func(q *db.Queries) error {
		found, err := q.ListScopeImports(t.Context(), db.ListScopeImportsParams{
			ProjectID: a.Project, Scope: a.row(t).Scope, Most: 10,
		})
		if err != nil {
			return err
		}
		var imports []uuid.UUID
		for _, i := range found {
			imports = append(imports, i.ID)
		}
		if _, err := q.PlanAnswer(t.Context(), db.PlanAnswerParams{
			AnswerID: a.id, ClaimID: a.claim, Imports: imports, ProgressTotal: 2,
		}); err != nil {
			return err
		}
		return q.InsertAnswerParts(t.Context(), db.InsertAnswerPartsParams{
			AnswerID: a.id, ClaimID: a.claim, Ordinals: []int32{0}, Imports: imports[:1], UtteranceFroms: []int32{0},
			UtteranceTos: []int32{1}, ByteStarts: []int32{0}, ByteEnds: []int32{5},
		})
	})
}

func (a asked) service(t *testing.T, fn func(*db.Queries) error) {
	t.Helper()
	require.NoError(t, a.d.AsService(t.Context(), fn))
}

func (a asked) row(t *testing.T) db.Answer {
	t.Helper()
	viewer := db.User(a.Viewer)
	row, err := db.AsUser(t.Context(), a.d.Store, viewer, func(q *db.Queries) (db.GetAnswerRow, error) {
		return q.GetAnswer(t.Context(), a.id)
	})
	require.NoError(t, err)
	return row.Answer
}

// say writes a sentence that quotes whole transcripts, as their import and their words.
func (a asked) say(t *testing.T, ordinal int32, said map[uuid.UUID]string) (people int32, err error) {
	t.Helper()
	params := db.WriteSentenceParams{AnswerID: a.id, Ordinal: ordinal, Text: "They pay."}
	for id, words := range said {
		params.Imports = append(params.Imports, id)
		params.Quotes = append(params.Quotes, words)
		params.ByteStarts = append(params.ByteStarts, 0)
		params.ByteEnds = append(params.ByteEnds, int32(len(words)))
		params.Matches = append(params.Matches, "verbatim")
	}
	return db.AsService(t.Context(), a.d.Store, func(q *db.Queries) (int32, error) {
		if _, err := q.LockAnswer(t.Context(), db.LockAnswerParams{AnswerID: a.id, ClaimID: a.claim}); err != nil {
			return 0, err
		}
		return q.WriteSentence(t.Context(), params)
	})
}

func (a asked) mustSay(t *testing.T, ordinal int32, said map[uuid.UUID]string) int32 {
	t.Helper()
	people, err := a.say(t, ordinal, said)
	require.NoError(t, err)
	return people
}

func (a asked) finish(t *testing.T) {
	t.Helper()
	result := db.AnswerResultAnswered
	a.service(t, func(q *db.Queries) error {
		_, err := q.FinishAnswer(t.Context(), db.FinishAnswerParams{
			AnswerID: a.id, ClaimID: a.claim, Result: &result, Coverage: 1,
		})
		return err
	})
}

// sentences lists the sentences of an answer: ordinal and people.
func (a asked) sentences(t *testing.T) string {
	t.Helper()
	return dbtest.Value[string](t, a.d, `
		select coalesce(string_agg(concat_ws(' ', ordinal, people_count), ', ' order by ordinal), '')
		from answer_sentences where answer_id = $1`, a.id)
}

func TestAsking(t *testing.T) {
	t.Parallel()

	t.Run("is for editors, over interviews that there are", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		other := fill(t, c.d)
		empty, _ := ask(t, c.d, c.Editor, c.Project, nil)
		require.Equal(t, db.PrivateAskResultNothingToRead, empty)
		interview := c.upload(t, "Ann: I pay.")
		for name, test := range map[string]struct {
			who    uuid.UUID
			change func(*db.ClaimAnswerParams)
			want   db.PrivateAskResult
		}{
			"an outsider": {other.Owner, nil, db.PrivateAskResultProjectNotFound},
			"a viewer":    {c.Viewer, nil, db.PrivateAskResultForbidden},
			"a question of another project": {
				c.Editor, func(p *db.ClaimAnswerParams) { p.QuestionID = &other.Question },
				db.PrivateAskResultQuestionNotFound,
			},
			"an interview of another project": {
				c.Editor, func(p *db.ClaimAnswerParams) { p.Imports = []uuid.UUID{other.Import} },
				db.PrivateAskResultNothingToRead,
			},
			"a persona whom nobody has": {
				c.Editor, func(p *db.ClaimAnswerParams) { p.Personas = []uuid.UUID{uuid.New()} },
				db.PrivateAskResultNothingToRead,
			},
			"an interview": {
				c.Editor, func(p *db.ClaimAnswerParams) { p.Imports = []uuid.UUID{interview} },
				db.PrivateAskResultClaimed,
			},
		} {
			got, _ := ask(t, c.d, test.who, c.Project, test.change)
			require.Equal(t, test.want, got, name)
		}
		require.Equal(t, 1,
			dbtest.Value[int](t, c.d, "select count(*) from answers where project_id = $1", c.Project))
	})

	t.Run("is bounded for a user and for the queue, whatever is deleted", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		c.upload(t, "Ann: I pay.")
		twice := func(p *db.ClaimAnswerParams) { p.AskLimit, p.QueueLimit = 2, 5 }
		for _, want := range []string{"claimed", "claimed", "ask_limit"} {
			got, params := ask(t, c.d, c.Editor, c.Project, twice)
			require.EqualValues(t, want, got)
			c.editor.mustExec(t, "delete from answers where id = $1", params.AnswerID)
		}
		got, _ := ask(t, c.d, c.Owner, c.Project, twice)
		require.EqualValues(t, "claimed", got, "the limit is that of a user")
		c.d.Exec(t, "update private.answer_claims set claimed_at = now() - interval '61 minutes'")
		got, _ = ask(t, c.d, c.Editor, c.Project, twice)
		require.EqualValues(t, "claimed", got, "it is one of an hour")
		got, _ = ask(t, c.d, c.Owner, c.Project, func(p *db.ClaimAnswerParams) { p.QueueLimit = 2 })
		require.EqualValues(t, "queue_full", got)
		got, _ = ask(t, c.d, c.Owner, c.Project, func(p *db.ClaimAnswerParams) { p.WorkspaceQueueLimit = 2 })
		require.EqualValues(t, "workspace_queue_full", got)
	})

	t.Run("again succeeds for one of several, and ends the earlier claim", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		interview := c.upload(t, "Ann: I pay.")
		a := c.ask(t)
		running, _ := askAgain(t, c.d, c.Editor, a.id)
		require.EqualValues(t, "answer_running", running)
		a.mustSay(t, 0, map[uuid.UUID]string{interview: "I pay."})
		a.finish(t)
		for who, want := range map[uuid.UUID]string{
			c.Viewer: "forbidden", c.d.Tenant(t).Owner: "answer_not_found",
		} {
			got, _ := askAgain(t, c.d, who, a.id)
			require.EqualValues(t, want, got)
		}
		results := make([]string, 8)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() {
				got, _ := askAgain(t, c.d, c.Editor, a.id)
				results[i] = string(got)
			})
		}
		all.Wait()
		slices.Sort(results)
		require.Equal(t, slices.Concat(slices.Repeat([]string{"answer_running"}, 7), []string{"claimed"}), results)
		require.Equal(t, "0 1", a.sentences(t), "they stay until the new run writes")
		require.Nil(t, a.row(t).Result)
		_, err := a.say(t, 1, map[uuid.UUID]string{interview: "I pay."})
		require.ErrorIs(t, err, db.ErrNotFound, "the earlier run writes nothing")
	})

	t.Run("can be cancelled while it is read", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		interview := c.upload(t, "Ann: I pay.")
		a := c.ask(t)
		cancel := func(who uuid.UUID) db.PrivateCancelResult {
			user := db.User(who)
			row, err := db.AsUser(t.Context(), c.d.Store, user, func(q *db.Queries) (db.CancelAnswerRow, error) {
				return q.CancelAnswer(t.Context(), db.CancelAnswerParams{AnswerID: a.id, ErrorMessage: "Cancelled."})
			})
			require.NoError(t, err)
			return row.Result
		}
		require.EqualValues(t, "forbidden", cancel(c.Viewer))
		require.EqualValues(t, "answer_not_found", cancel(c.d.Tenant(t).Owner))
		require.EqualValues(t, "canceled", cancel(c.Editor))
		require.EqualValues(t, "not_running", cancel(c.Editor))
		_, err := a.say(t, 0, map[uuid.UUID]string{interview: "I pay."})
		require.ErrorIs(t, err, db.ErrNotFound)
	})
}

func TestScopesOfQuestions(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	persona := dbtest.Value[uuid.UUID](t, c.d,
		"insert into personas (project_id, name) values ($1, 'P') returning id",
		c.Project)
	first, second := c.upload(t, "Ann: I pay."), c.upload(t, "Bob: I never pay.", "Ann: I pay.")
	c.d.Exec(t, "update imports set interviewed_on = '2030-04-01', persona_id = $2 where id = $1", first,
		persona)
	c.d.Exec(t, "update imports set interviewed_on = '2030-05-01' where id = $1", second)
	require.Equal(t, 3,
		dbtest.Value[int](t, c.d, "select private.count_people(array[$1::uuid, $2::uuid])", first, second),
		"who is not said to be one person is two")
	c.d.Exec(t, "delete from private.transcripts where import_id = $1", c.upload(t, "Cem: Hello."))
	for scope, want := range map[string][]uuid.UUID{
		`{}`:                     {first, second},
		`{"from": "2030-04-02"}`: {second},
		`{"to": "2030-05-01"}`:   {first, second},
		`{"to": "2030-04-30"}`:   {first},
		`{"personas": ["` + persona.String() + `"]}`:                           {first},
		`{"imports": ["` + second.String() + `", "` + uuid.NewString() + `"]}`: {second},
	} {
		got, err := db.AsService(t.Context(), c.d.Store, func(q *db.Queries) ([]db.ListScopeImportsRow, error) {
			return q.ListScopeImports(t.Context(), db.ListScopeImportsParams{
				ProjectID: c.Project, Scope: json.RawMessage(scope), Most: 10,
			})
		})
		require.NoError(t, err)
		var ids []uuid.UUID
		for _, row := range got {
			ids = append(ids, row.ID)
			require.Equal(t, dbtest.Value[[]int64](t, c.d, `
				select array[length(convert_from(body, 'UTF8')), (select count(*) from utterances where import_id = $1)]
				from private.transcripts where import_id = $1`, row.ID), []int64{row.Bytes, row.Turns}, scope)
		}
		require.Equal(t, want, ids, scope)
	}
}

func TestQuotesOfAnswersAreProven(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	interview, second := c.upload(t, "Ann: I pay €20.", "Bob: I never pay."), c.upload(t, "Cem: I pay.")
	const words = "I pay €20."
	a := c.ask(t)
	for _, altered := range []string{"I pay €2O.", "i pay €20.", "I pay €20. ", "pay €20."} {
		_, err := a.say(t, 0, map[uuid.UUID]string{interview: altered})
		require.Equal(t, "23514", state(err), altered)
	}
	require.Empty(t, a.sentences(t), "a sentence is stored with all its quotes, or not at all")
	require.EqualValues(t, 2, a.mustSay(t, 0, map[uuid.UUID]string{interview: words, second: "I pay."}))
	require.EqualValues(t, 1, a.mustSay(t, 1, map[uuid.UUID]string{interview: words + "\nI never pay."}),
		"a quote counts for the first speaker")
	require.EqualValues(t, 2, a.row(t).PeopleCount)
	require.Equal(t, "Ann 0 1", dbtest.Value[string](t, c.d, `
		select concat_ws(' ', speaker, utterance_from, utterance_to)
		from answer_quotes where sentence_ordinal = 1`))

	c.d.Exec(t,
		"update import_speakers set role = 'interviewer' where import_id = $1 and speaker = 'Ann'", interview)
	require.Equal(t, "0 1, 1 1", a.sentences(t), "interviewers are not counted")
	require.Equal(t, "Bob", dbtest.Value[string](t, c.d,
		"select speaker from answer_quotes where sentence_ordinal = 1"), "whose words prove something")
	c.d.Exec(t, "update import_speakers set role = 'participant'")
	c.d.Exec(t, "update import_speakers set participant_id = (select id from participants where name = 'Ann')")
	require.Equal(t, "0 1, 1 1", a.sentences(t), "they are one person")

	_, err := c.editor.try(t, "update answer_quotes set quote = 'I pay', byte_end = 5")
	require.Equal(t, "42501", state(err))
}

func TestEditorsKeepAndDeleteAnswers(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	interview := c.upload(t, "Ann: I pay.")
	a := c.ask(t)
	a.mustSay(t, 0, map[uuid.UUID]string{interview: "I pay."})
	quoted := c.quote(t, interview, c.d.Hypothesis(t, c.Tenant, "H"), "supports", "I pay.")
	foreign := fill(t, c.d)
	c.editor.mustExec(t, "update answers set title = 'Payment', kept = true")
	c.editor.mustExec(t, "update answer_quotes set evidence_id = $1", quoted)
	_, err := c.editor.try(t, "update answer_quotes set evidence_id = $1", foreign.Evidence)
	require.Equal(t, "23503", state(err))
	c.d.Exec(t, "delete from evidence where id = $1", quoted)
	require.True(t, dbtest.Value[bool](t, c.d,
		"select bool_and(evidence_id is null) from answer_quotes where answer_id = $1",
		a.id))
	rows, err := asUser(t, c.d, c.Viewer).try(t, "delete from answers")
	require.NoError(t, err)
	require.Zero(t, rows)
	c.editor.mustExec(t, "delete from answers where id = $1", a.id)
	require.Empty(t, a.sentences(t))
	require.Equal(t, "answer", value[string](t, asUser(t, c.d, c.Owner),
		"select target_type from audit_log($1) where action = 'deleted'", c.Workspace))
}

func TestAnswersFollowInterviews(t *testing.T) {
	t.Parallel()

	// answered has two interviews, of which both are quoted by the first sentence, and one by each other.
	answered := func(t *testing.T) (a asked, first, second uuid.UUID) {
		t.Helper()
		c := newConversation(t)
		first, second = c.upload(t, "Ann: I pay."), c.upload(t, "Bob: I never pay.")
		a = c.ask(t)
		a.mustSay(t, 0, map[uuid.UUID]string{first: "I pay.", second: "I never pay."})
		a.mustSay(t, 1, map[uuid.UUID]string{first: "I pay."})
		a.mustSay(t, 2, map[uuid.UUID]string{second: "I never pay."})
		a.finish(t)
		require.EqualValues(t, 2, a.row(t).PeopleCount)
		require.Nil(t, a.row(t).StaleSince)
		return a, first, second
	}
	as := func(t *testing.T, a asked, fn func(*db.Queries) error) {
		t.Helper()
		require.NoError(t, a.d.AsUser(t.Context(), db.User(a.Editor), fn))
	}
	setAside := func(t *testing.T, a asked, id uuid.UUID) {
		t.Helper()
		as(t, a, func(q *db.Queries) error {
			_, err := q.SetImportAside(t.Context(), id)
			return err
		})
	}

	t.Run("that are deleted, with their quotes and what they alone proved", func(t *testing.T) {
		t.Parallel()
		a, first, second := answered(t)
		setAside(t, a, first)
		require.Equal(t, "0 1, 2 1", a.sentences(t))
		row := a.row(t)
		require.EqualValues(t, 1, row.PeopleCount)
		require.NotNil(t, row.StaleSince)
		require.EqualValues(t, "answered", *row.Result)
		as(t, a, func(q *db.Queries) error {
			_, err := q.DeleteImport(t.Context(), second)
			return err
		})
		require.Empty(t, a.sentences(t))
		require.EqualValues(t, "not_found", *a.row(t).Result, "nothing is left that answers")
	})

	t.Run("that are read again", func(t *testing.T) {
		t.Parallel()
		a, first, _ := answered(t)
		p := turnParams(a.Project, []string{"Ann: I do pay."})
		as(t, a, func(q *db.Queries) error {
			return q.ReplaceTranscript(t.Context(), db.ReplaceTranscriptParams{
				ImportID: first, Format: p.Format, Language: p.Language, Body: p.Body, Speakers: p.Speakers,
				Starts: p.Starts, Ends: p.Ends, Texts: p.Texts, ByteStarts: p.ByteStarts, ByteEnds: p.ByteEnds,
			})
		})
		require.Equal(t, "0 1, 2 1", a.sentences(t))
		require.NotNil(t, a.row(t).StaleSince)
	})

	t.Run("that are redacted, with all that a model wrote of them", func(t *testing.T) {
		t.Parallel()
		a, first, _ := answered(t)
		a.d.Exec(t, "update answers set missing = 'Whether Ann pays yearly.'")
		a.d.Exec(t, `insert into private.answer_responses (key, project_id, workspace_id, response)
			values ('\x00', $1, $2, '{"text": "Ann pays."}')`, a.Project, a.Workspace)
		as(t, a, func(q *db.Queries) error {
			return q.RedactImport(t.Context(), db.RedactImportParams{
				ImportID: first, Kinds: []string{}, Olds: []string{}, News: []string{},
			})
		})
		require.Equal(t, "2 1", a.sentences(t), "a sentence that quotes others may have the words")
		require.Empty(t, a.row(t).Missing)
		require.Zero(t, dbtest.Value[int](t, a.d, "select count(*) from private.answer_responses"))
	})

	t.Run("that are new or restored, or change their place in the scope", func(t *testing.T) {
		t.Parallel()
		fresh := func(a asked) {
			a.d.Exec(t, "update answers set stale_since = null")
		}
		stale := func(a asked) bool { return a.row(t).StaleSince != nil }
		a, first, second := answered(t)
		a.upload(t, "Cem: Hello.")
		require.True(t, stale(a))
		setAside(t, a, first)
		fresh(a)
		as(t, a, func(q *db.Queries) error {
			_, err := q.RestoreImport(t.Context(), first)
			return err
		})
		require.True(t, stale(a))
		require.Equal(t, "0 1, 2 1", a.sentences(t), "what it proved is to be asked again")
		fresh(a)
		a.editor.mustExec(t, "update imports set interviewed_on = '2030-01-01' where id = $1", second)
		require.True(t, stale(a))
		fresh(a)
		a.editor.mustExec(t, "update imports set title = 'Renamed'")
		require.False(t, stale(a))
		limited := a.ask(t, second)
		a.upload(t, "Dan: Hello.")
		require.True(t, stale(a))
		require.False(t, stale(limited), "its scope does not have it")
		foreign := newConversationIn(t, a.d)
		fresh(a)
		foreign.upload(t, "Eve: Hello.")
		require.False(t, stale(a), "it is of another project")
	})

	t.Run("that change before or while they are read again", func(t *testing.T) {
		t.Parallel()
		a, first, _ := answered(t)
		end := func() {
			t.Helper()
			a.service(t, func(q *db.Queries) error {
				_, err := q.EndAnswer(t.Context(), db.EndAnswerParams{
					AnswerID: a.id, ClaimID: a.claim, Status: db.AnswerStatusFailed, ErrorCode: "model_unavailable",
				})
				return err
			})
		}
		again := func() {
			t.Helper()
			_, a.claim = askAgain(t, a.d, a.Editor, a.id)
		}
		again()
		end()
		require.Nil(t, a.row(t).StaleSince, "nothing was planned")
		again()
		a.upload(t, "Cem: Hello.")
		require.NotNil(t, a.row(t).StaleSince, "its sentences are those of the earlier run")
		a.start(t)
		require.NotNil(t, a.row(t).StaleSince)
		a.plan(t)
		require.Nil(t, a.row(t).StaleSince)
		a.upload(t, "Dan: Hello.")
		a.start(t)
		require.NotNil(t, a.row(t).StaleSince, "as in a run that continues")
		a.plan(t)
		end()
		require.NotNil(t, a.row(t).StaleSince, "its sentences are still those of the earlier run")
		again()
		a.begin(t)
		a.service(t, func(q *db.Queries) error { return q.DeleteAnswerText(t.Context(), a.id) })
		a.mustSay(t, 0, map[uuid.UUID]string{first: "I pay."})
		end()
		require.Nil(t, a.row(t).StaleSince, "its sentences are of this run")
	})

	t.Run("that are deleted, whoever speaks in them", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		first := c.upload(t, "Ann: I pay.")
		c.d.Exec(t, "update participants set persona_id = $1", c.persona(t, "Clerk"))
		c.d.Exec(t, "update imports set persona_id = $1", c.persona(t, "Driver"))
		result, params := ask(t, c.d, c.Editor, c.Project, func(p *db.ClaimAnswerParams) {
			p.Personas = []uuid.UUID{dbtest.Value[uuid.UUID](t, c.d, "select persona_id from participants")}
		})
		require.Equal(t, db.PrivateAskResultClaimed, result)
		a := asked{conversation: c, id: params.AnswerID, claim: params.ClaimID}
		a.begin(t)
		a.finish(t)
		setAside(t, a, first)
		require.NotNil(t, a.row(t).StaleSince)
	})

	t.Run("that change while they are read: the run ends, and writes nothing", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		first, second := c.upload(t, "Ann: I pay."), c.upload(t, "Bob: I never pay.")
		reads, other := c.ask(t, first), c.ask(t, second)
		store := func(a asked, key byte) {
			a.service(t, func(q *db.Queries) error {
				_, err := q.StoreAnswerResponse(t.Context(), db.StoreAnswerResponseParams{
					AnswerID: a.id, ClaimID: a.claim, Key: []byte{key}, Response: json.RawMessage(`{}`), InputTokens: 3,
				})
				return err
			})
		}
		setAside(t, reads, first)
		row := reads.row(t)
		require.EqualValues(t, "failed", row.Status)
		require.Equal(t, "interview_changed", *row.ErrorCode)
		store(reads, 1)
		require.Zero(t, dbtest.Value[int](t, c.d, "select count(*) from private.answer_responses"))
		require.EqualValues(t, 3, reads.row(t).InputTokens, "what it cost is counted")
		require.EqualValues(t, "reading", other.row(t).Status)
		store(other, 1)
		require.Equal(t, 1, dbtest.Value[int](t, c.d, "select count(*) from private.answer_responses"))
	})
}

// waitForLocks waits until that many statements wait for a lock.
func waitForLocks(t *testing.T, d *dbtest.DB, number int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return dbtest.Value[int](t, d, `select count(*) from pg_stat_activity
			where datname = current_database() and wait_event_type = 'Lock'`) == number
	}, 5*time.Minute, 10*time.Millisecond)
}

func TestAQuestionThatIsAskedDuringADeletionWaits(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	first, _ := c.upload(t, "Ann: I pay."), c.upload(t, "Bob: I never pay.")
	var a asked
	deleted, answered := make(chan error, 1), make(chan struct{})
	c.d.AsOwner(t, func(holder *pgx.Conn) {
		tx, err := holder.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "select from import_speakers where import_id = $1 for update", first)
		require.NoError(t, err)
		go func() {
			_, err := db.AsUser(t.Context(), c.d.Store, db.User(c.Editor),
				func(q *db.Queries) (db.SetImportAsideRow, error) { return q.SetImportAside(t.Context(), first) })
			deleted <- err
		}()
		waitForLocks(t, c.d, 1)
		go func() {
			defer close(answered)
			a = c.ask(t)
		}()
		waitForLocks(t, c.d, 2)
		require.NoError(t, tx.Rollback(t.Context()))
		require.NoError(t, <-deleted)
		<-answered
	})
	require.EqualValues(t, 1, dbtest.Value[int](t, c.d, "select imports_total from answers where id = $1", a.id))
}

func TestEventsOfAnswers(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	interview := c.upload(t, "Ann: I pay.")
	a := c.ask(t)
	c.ask(t) // another answer has its own events
	a.mustSay(t, 0, map[uuid.UUID]string{interview: "I pay."})
	a.service(t, func(q *db.Queries) error {
		_, err := q.FinishAnswerPart(t.Context(), db.FinishAnswerPartParams{
			AnswerID: a.id, ClaimID: a.claim, Unread: json.RawMessage(`[]`), ResponseKeys: [][]byte{},
		})
		return err
	})
	a.finish(t)
	c.editor.mustExec(t, "delete from answers where id = $1", a.id)
	a.service(t, func(q *db.Queries) error {
		_, err := q.PublishEvents(t.Context(), 1000)
		return err
	})
	read := func(who uuid.UUID, answer *uuid.UUID) string {
		user := db.User(who)
		rows, err := db.AsUser(t.Context(), c.d.Store, user, func(q *db.Queries) ([]db.ReadEventsRow, error) {
			return q.ReadEvents(t.Context(), db.ReadEventsParams{AnswerID: answer, Most: 1000})
		})
		require.NoError(t, err)
		var lines []string
		for _, row := range rows {
			var body struct {
				Data struct {
					AnswerID       *uuid.UUID
					Status, Result string
				}
			}
			require.NoError(t, json.Unmarshal(row.Body, &body))
			require.Equal(t, a.id, *body.Data.AnswerID)
			lines = append(lines, strings.TrimSpace(row.Type+" "+body.Data.Status+" "+body.Data.Result))
		}
		return strings.Join(lines, ", ")
	}
	require.Equal(t, "answer.asked queued, answer.progress, answer.progress, answer.sentence, "+
		"answer.progress, answer.progress, answer.finished answered answered, answer.deleted",
		read(c.Viewer, &a.id))
	require.Empty(t, read(c.d.Tenant(t).Owner, &a.id))
}

func TestTokensOfAnswers(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	c.upload(t, "Ann: I pay.")
	c.d.Exec(t, "insert into private.settings values ('workspace_tokens_per_day', '100')")
	a := c.ask(t)
	reserve := func(ordinal int, wanted int) bool {
		t.Helper()
		return dbtest.Value[bool](t, c.d, "select private.reserve_tokens($1, $2, $3)", a.claim, ordinal, wanted)
	}
	require.True(t, reserve(0, 60))
	require.True(t, reserve(0, 60), "a retry reserves nothing twice")
	require.False(t, reserve(1, 60))
	a.service(t, func(q *db.Queries) error {
		isNew, err := q.StorePartResponse(t.Context(), db.StorePartResponseParams{
			AnswerID: a.id, ClaimID: a.claim, Key: []byte{1}, Response: json.RawMessage(`{}`), InputTokens: 20,
		})
		require.True(t, isNew)
		return err
	})
	require.True(t, reserve(1, 80), "what was reserved for the call is free")
	require.EqualValues(t, 20, a.row(t).InputTokens)
	a.finish(t)
	a.service(t, func(q *db.Queries) error {
		_, err := q.StoreAnswerResponse(t.Context(), db.StoreAnswerResponseParams{
			AnswerID: a.id, ClaimID: a.claim, Key: []byte{2}, Response: json.RawMessage(`{}`), OutputTokens: 5,
		})
		return err
	})
	require.Zero(t, dbtest.Value[int](t, c.d, "select private.reserved_tokens($1, null, null)", c.Workspace),
		"an ended answer reserves nothing")
	require.Equal(t, 25, dbtest.Value[int](t, c.d, "select tokens from private.daily_usage where subject = $1",
		c.Workspace), "calls that end later are counted")

	within := func(wanted int64) int64 {
		rows, err := db.AsService(t.Context(), c.d.Store, func(q *db.Queries) (int64, error) {
			return q.ReserveAnswerTokens(t.Context(), db.ReserveAnswerTokensParams{
				AnswerID: a.id, ClaimID: a.claim, Wanted: wanted, Spent: 20, MaxTokens: 50,
			})
		})
		require.NoError(t, err)
		return rows
	}
	require.EqualValues(t, 0, within(31))
	require.EqualValues(t, 1, within(30))
}
