package activities_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/db"
	"research/db/dbtest"
	"research/outcome"
	"research/transcript"
)

// doubtfulInterview returns an interview in which it is in doubt whether Berth is somebody. What is in doubt
// depends on the weights of readings.
func doubtfulInterview(t *testing.T) []byte {
	t.Helper()
	const turns = "\nWiebke: We sail at nine, if the lock is open.\n" +
		"Jonte: And if it is not?\nWiebke: Then we wait. Last year we waited for two days.\n" +
		"Jonte: Who tells you?\nWiebke: Somebody calls, or nobody does, which is worse.\n" +
		"Jonte: Do you like it?\nWiebke: I would not do anything else.\nJonte: Thank you.\nWiebke: " +
		"You are welcome.\n"
	for _, said := range []string{"Cuxhaven", "4 west, 0421 555 0188", "by the old crane", "4 west in 2019"} {
		file := []byte("Berth: " + said + turns)
		read, err := transcript.Parse(file)
		require.NoError(t, err)
		if q, ok := extract.AskAboutSpeakers(read); read.NeedsLook && ok && q.Labels[0].Label == "Berth" {
			return file
		}
	}
	require.Fail(t, "nothing is in doubt")
	return nil
}

// A checkFixture is an import whose speakers are in doubt, claimed by a server with a model.
type checkFixture struct {
	*parseFixture
	server *modeltest.Server
}

func newCheckFixture(t *testing.T, cfg activities.ImportsConfig) *checkFixture {
	t.Helper()
	server := modeltest.New(t).Always(modeltest.Speakers(map[string]string{"Berth": "nobody"}))
	model, err := openai.New(openai.Config{BaseURL: server.URL, Model: "test-model", Timeout: time.Minute})
	require.NoError(t, err)
	cfg.Concurrency, cfg.Timeout = 1, time.Hour
	if cfg.Speakers == nil {
		cfg.Speakers = model
	}
	f := &checkFixture{parseFixture: newConfiguredParseFixture(t, model, cfg), server: server}
	f.byModel = true
	f.ref.ImportID = f.uploadDoubtful(t)
	return f
}

// uploadDoubtful stores the doubtful interview as an editor, with its file.
func (f *checkFixture) uploadDoubtful(t *testing.T) uuid.UUID {
	t.Helper()
	file := doubtfulInterview(t)
	read, err := transcript.Parse(file)
	require.NoError(t, err)
	sum := sha256.Sum256(file)
	params := db.StoreImportParams{
		ProjectID: f.tenant.Project, Title: "Harbour", Format: string(read.Format), Language: "en",
		SizeBytes: int64(len(file)), Sha256: hex.EncodeToString(sum[:]), Body: []byte(read.Text),
	}
	for _, u := range read.Utterances {
		params.Speakers, params.Texts = append(params.Speakers, u.Speaker), append(params.Texts, u.Text)
		params.Starts, params.Ends = append(params.Starts, -1), append(params.Ends, -1)
		params.ByteStarts = append(params.ByteStarts, int32(u.ByteStart))
		params.ByteEnds = append(params.ByteEnds, int32(u.ByteEnd))
		params.Confidences = append(params.Confidences, u.Confidence)
	}
	id, err := db.AsUser(t.Context(), f.Store, db.User(f.tenant.Editor), func(q *db.Queries) (uuid.UUID, error) {
		id, err := q.StoreImport(t.Context(), params)
		if err != nil {
			return id, err
		}
		err = q.DescribeImport(t.Context(), db.DescribeImportParams{
			ImportID: id, Warnings: json.RawMessage(`[]`), Reading: json.RawMessage(`{}`),
			Confidence: read.Confidence, NeedsLook: true,
		})
		if err != nil {
			return id, err
		}
		return id, q.KeepFile(t.Context(), db.KeepFileParams{
			ImportID: id, Data: file, Speakers: json.RawMessage(`{}`), Remembered: []string{},
		})
	})
	require.NoError(t, err)
	return id
}

// claimToCheck claims the import, and reports whether the run is to check its speakers.
func (f *checkFixture) claimToCheck(t *testing.T) bool {
	t.Helper()
	f.claim(t)
	return dbtest.Value[bool](t, f.DB, "select check_speakers from private.import_runs where claim_id = $1",
		f.ref.ClaimID)
}

func (f *checkFixture) check() (activities.CheckSpeakersResult, error) {
	return run[activities.CheckSpeakersResult](f.parseFixture, f.imports.CheckSpeakers, f.ref)
}

// speakers returns the speakers of the utterances, and the least confidence.
func (f *checkFixture) speakers(t *testing.T) (names string, least float64) {
	t.Helper()
	names = dbtest.Value[string](t, f.DB, "select string_agg(distinct speaker, ',' order by speaker) "+
		"from utterances where import_id = $1 and speaker <> ''", f.ref.ImportID)
	return names, dbtest.Value[float64](t, f.DB,
		"select min(confidence) from utterances where import_id = $1", f.ref.ImportID)
}

func TestAnswersOfTheModelSettleSpeakers(t *testing.T) {
	t.Parallel()
	f := newCheckFixture(t, activities.ImportsConfig{})
	require.True(t, f.claimToCheck(t))
	_, before := f.speakers(t)
	require.Less(t, before, 0.9)

	result, err := f.check()
	require.NoError(t, err)
	require.Equal(t, activities.CheckSpeakersResult{Asked: true, Labels: 1}, result)
	require.Equal(t, 1, f.server.Count())
	names, least := f.speakers(t)
	require.Equal(t, "Jonte,Wiebke", names)
	require.GreaterOrEqual(t, least, 0.9)
	require.False(t, f.row(t).NeedsLook)
	require.GreaterOrEqual(t, f.row(t).ReadingConfidence, 0.7)
	require.Positive(t, f.row(t).InputTokens)
	require.JSONEq(t, `{}`, string(f.row(t).Reading), "nobody has decided")
	require.JSONEq(t, `{"nobody": ["Berth"]}`, dbtest.Value[string](t, f.DB,
		"select advice::text from private.import_files where import_id = $1", f.ref.ImportID))
	require.Equal(t, "Jonte,Wiebke", dbtest.Value[string](t, f.DB,
		"select string_agg(name, ',' order by name) from participants where name in ('Berth', 'Jonte', 'Wiebke')"))
	require.Equal(t, 2, dbtest.Value[int](t, f.DB,
		"select count(*) from import_speakers where import_id = $1", f.ref.ImportID))

	// The parse counts the call, and asks no second time.
	end := f.parse(t)
	require.Equal(t, outcome.StatusParsed, end.Status)
	require.Equal(t, 2, f.server.Count())
	require.Equal(t, 2, dbtest.Value[int](t, f.DB, "select calls from private.import_runs where claim_id = $1",
		f.ref.ClaimID))
	spent := f.row(t)
	require.Equal(t, spent.InputTokens, dbtest.Value[int64](t, f.DB,
		"select input_tokens from private.import_runs where claim_id = $1", f.ref.ClaimID))
	f.refresh(t)
	again, err := f.check()
	require.NoError(t, err)
	require.Zero(t, again)
}

func TestACheckIsPaidForOnce(t *testing.T) {
	t.Parallel()
	f := newCheckFixture(t, activities.ImportsConfig{})
	f.claim(t)
	// The worker is killed after the answer was stored and before it was used.
	f.Exec(t, "create function private.kill() returns trigger language plpgsql as "+
		"$$ begin raise exception 'killed'; end $$")
	f.Exec(t, "create trigger kill before update of advice on private.import_files "+
		"for each row execute function private.kill()")
	_, err := f.check()
	require.Error(t, err)
	require.NotContains(t, err.Error(), "Berth")
	require.True(t, f.row(t).NeedsLook, "the transaction is undone as a whole")
	f.Exec(t, "drop trigger kill on private.import_files")
	_, err = f.check()
	require.NoError(t, err)
	require.False(t, f.row(t).NeedsLook)
	require.Equal(t, 1, f.server.Count())
}

func TestNobodyIsAskedWhereThatIsNotWanted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"the workspace forbids it": "update workspaces set check_speakers = false",
		"somebody has decided":     `update imports set reading = '{"nobody": ["Berth"]}'`,
		"a layout was chosen":      "update private.import_files set layout = 'labels'",
		"it was named":             `update private.import_files set speakers = '{"Berth": {"rename": "B"}}'`,
		"nothing is in doubt":      "update imports set needs_look = false",
		"a model was asked":        "update private.import_files set advice = '{}'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, isClaimed := range []bool{false, true} { // the change is made before or after the claim
				f := newCheckFixture(t, activities.ImportsConfig{})
				if isClaimed {
					require.True(t, f.claimToCheck(t))
				}
				f.Exec(t, change)
				if !isClaimed {
					require.False(t, f.claimToCheck(t))
				}
				result, err := f.check()
				require.NoError(t, err)
				require.Zero(t, result)
				require.Zero(t, f.server.Count())
			}
		})
	}
	t.Run("there is no model", func(t *testing.T) {
		t.Parallel()
		f := newCheckFixture(t, activities.ImportsConfig{})
		f.byModel = false
		require.False(t, f.claimToCheck(t))
	})
	t.Run("the import was read before", func(t *testing.T) {
		t.Parallel()
		f := newCheckFixture(t, activities.ImportsConfig{})
		f.claim(t)
		f.parse(t)
		asked := f.server.Count()
		f.refresh(t)
		result, err := f.check()
		require.NoError(t, err)
		require.Zero(t, result)
		require.Equal(t, asked, f.server.Count())
	})
	t.Run("the run is not the latest", func(t *testing.T) {
		t.Parallel()
		f := newCheckFixture(t, activities.ImportsConfig{})
		f.claim(t)
		f.ref.ClaimID = uuid.New()
		_, err := f.check()
		requireNotRetried(t, activities.TypeSuperseded, err)
	})
}

// Whatever a model answers, the import goes on as it was read.
func TestChecksThatFailChangeNothing(t *testing.T) {
	t.Parallel()
	unknown := `{"labels":[{"label":"l7","answer":"nobody","same_as":""},{"label":"k1","answer":"nobody",` +
		`"same_as":""}],"unlabelled":{"answer":"label","label":"k9"}}`
	twice := `{"labels":[{"label":"l1","answer":"nobody","same_as":""},{"label":"l1","answer":"person",` +
		`"same_as":""}],"unlabelled":{"answer":"unsure","label":""}}`
	for name, c := range map[string]struct {
		behavior modeltest.Behavior
		failed   outcome.Code // "" for an answer that says nothing
		retried  bool
	}{
		"unknown ids":       {modeltest.Say(unknown), "", false},
		"contradictions":    {modeltest.Say(twice), "", false},
		"unsure":            {modeltest.Honest(), "", false},
		"prose":             {modeltest.Say("Berth is a place, I would say."), outcome.CodeModelBadAnswer, false},
		"nothing":           {modeltest.Blank(), outcome.CodeModelBadAnswer, false},
		"a refusal":         {modeltest.Refuse(), outcome.CodeModelRefused, false},
		"a rejected key":    {modeltest.BadKey(), outcome.CodeModelKeyRejected, false},
		"an endless answer": {modeltest.Looping(), outcome.CodeModelTooLong, false},
		"too many requests": {modeltest.RateLimited(time.Second), outcome.CodeModelRateLimited, true},
		"an outage":         {modeltest.Status(http.StatusBadGateway, "Berth"), outcome.CodeModelUnavailable, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newCheckFixture(t, activities.ImportsConfig{})
			f.claim(t)
			f.server.Always(c.behavior)
			before, _ := f.speakers(t)
			_, err := f.check()
			switch {
			case c.failed == "":
				require.NoError(t, err)
			case c.retried:
				var failed *temporal.ApplicationError
				require.ErrorAs(t, err, &failed)
				require.Equal(t, string(c.failed), failed.Type())
				require.False(t, failed.NonRetryable())
			default:
				requireNotRetried(t, string(c.failed), err)
			}
			if err != nil {
				require.NotContains(t, err.Error(), "Berth")
			}
			after, _ := f.speakers(t)
			require.Equal(t, before, after)
			require.True(t, f.row(t).NeedsLook)
			if !c.retried { // as long as the model fails, no chunk is read either
				f.server.Always(modeltest.Nothing())
				require.Equal(t, outcome.StatusParsed, f.parse(t).Status)
			}
		})
	}
}

func TestTheTokensOfAnImportBoundItsCheck(t *testing.T) {
	t.Parallel()
	f := newCheckFixture(t, activities.ImportsConfig{MaxTokens: 100})
	f.claim(t)
	_, err := f.check()
	requireNotRetried(t, string(outcome.CodeTokenLimit), err)
	require.Zero(t, f.server.Count())

	f = newCheckFixture(t, activities.ImportsConfig{})
	f.claim(t)
	f.Exec(t, `insert into private.settings values ('workspace_tokens_per_day', '100')
		on conflict (name) do update set value = excluded.value`)
	f.Exec(t, `insert into private.daily_usage (subject, day, tokens) values ($1, private.today(), 90)`,
		f.tenant.Workspace)
	_, err = f.check()
	requireNotRetried(t, activities.TypeTokenBudget, err)
	require.Zero(t, f.server.Count())
}

func TestAnEstimateCountsTheCheck(t *testing.T) {
	t.Parallel()
	f := newCheckFixture(t, activities.ImportsConfig{})
	model, err := openai.New(openai.Config{BaseURL: f.server.URL, Model: "test-model", Timeout: time.Minute})
	require.NoError(t, err)
	estimate := func() activities.Estimate {
		estimate, err := activities.EstimateParse(t.Context(), f.Store, model, f.ref.ImportID,
			[]uuid.UUID{f.bookkeeping}, false)
		require.NoError(t, err)
		return estimate
	}
	with := estimate()
	f.Exec(t, "update workspaces set check_speakers = false")
	without := estimate()
	require.Equal(t, without.Calls+1, with.Calls)
	require.Equal(t, without.Usage.InputTokens+1000, with.Usage.InputTokens)
}
