package imports_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/imports"
	"research/api/token/tokentest"
	"research/db/dbtest"
)

// What people decide is tested in package transcript. Here a file is replaced by another one, which is read
// with other speakers.
const (
	misread = "Dana: We pay late because of receipts.\nSam: Why is that so?\n" +
		"Dana: The receipts are missing every month.\nKim: We talk in a kitchen in spring.\n" +
		"Dana: Nobody uses the tool at all.\nSam: Oh, I see.\n"
	decided = "Dana: We pay late because of receipts.\nSam: Why is that so?\n" +
		"Sam: The receipts are missing every month.\n" +
		"Dana: Nobody uses the tool at all.\nSam: Oh, I see.\n"
)

// reading sends a request about the reading of an import.
func (u *uploads) reading(
	t *testing.T, method string, user uuid.UUID, id, query, body string,
) (int, map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(
		t.Context(), method, u.url+"/"+id+"/reading"+query, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, user))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	checkContract(t, resp, raw)
	var answer map[string]any
	require.NoError(t, json.Unmarshal(raw, &answer))
	return resp.StatusCode, answer
}

// A judged is an interview with quotes, which a model has read for two hypotheses.
type judged struct {
	*uploads
	id           string
	yes, silence uuid.UUID // the hypotheses: one with evidence, one without
	quotes       map[string]uuid.UUID
}

func serveJudged(t *testing.T) judged {
	t.Helper()
	u := serveUploads(t, func(*imports.Deps) {})
	status, stored := u.choose(t, "/", misread, nil)
	require.Equal(t, http.StatusCreated, status, "%v", stored)
	require.Equal(t, []any{"Dana", "Sam", "Kim"}, stored["speakers"])
	j := judged{uploads: u, id: stored["importId"].(string), quotes: map[string]uuid.UUID{}}
	j.yes, j.silence = u.Hypothesis(t, u.Tenant, "Teams pay late"), u.Hypothesis(t, u.Tenant, "Teams like tools")
	for _, quote := range []string{
		"We pay late", "missing every month", "in a kitchen", "every month.\nWe talk", "Nobody uses the tool",
	} {
		j.quotes[quote] = dbtest.Value[uuid.UUID](t, u.DB, `
			insert into evidence (project_id, import_id, quote, origin, match, byte_start, byte_end)
			select $1, $2, $3, 'ai', 'repaired', at, at + octet_length($3)
			from private.transcripts t, lateral (select position($3 in convert_from(t.body, 'UTF8')) - 1 as at) x
			where t.import_id = $2 returning id`, u.Project, j.id, quote)
		u.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			values ($1, $2, 'supports')`,
			j.quotes[quote], j.yes)
	}
	u.Exec(t, `insert into import_hypotheses (
			import_id, hypothesis_id, project_id, statement, result, coverage, model_coverage, checked_at
		)
		select $1, h.id, h.project_id, h.statement, 'nothing_found', 1, 1, now()
		from hypotheses h where h.id in ($2, $3)`, j.id, j.yes, j.silence)
	u.Exec(t, `insert into private.import_readings (
			import_id, hypothesis_id, extractor, model, prompt_version, statement, read
		)
		select $1, ih.hypothesis_id, 'openai', 'm', 'v', ih.statement,
			int4multirange(int4range(0, octet_length(t.body)))
		from import_hypotheses ih join private.transcripts t using (import_id) where ih.import_id = $1`, j.id)
	u.Exec(t, `update imports set status = 'parsed', claim_id = gen_random_uuid(), coverage = 1,
		requested_hypotheses = array[$2::uuid, $3] where id = $1`, j.id, j.yes, j.silence)
	u.Exec(t, "select private.update_results(array[$1::uuid])", j.id)
	return j
}

// places lists the quotes with their speakers and turns; a quote without a place has none.
func (j judged) places(t *testing.T) map[string]string {
	t.Helper()
	places := map[string]string{}
	for quote, id := range j.quotes {
		places[quote] = dbtest.Value[string](t, j.DB, `
			select concat_ws(' ', speaker, match, coalesce(utterance_from::text, 'lost'), speaker_confirmed)
			from evidence where id = $1 and place_lost = (byte_start is null)`, id)
	}
	return places
}

func (j judged) replaceFile(t *testing.T, content string) {
	t.Helper()
	j.Exec(t, "update private.import_files set data = convert_to($2, 'UTF8') where import_id = $1",
		j.id, content)
}

func TestAnImportIsReadAgainWithADecision(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	snapshot := func() string {
		return dbtest.Value[string](t, j.DB, `select md5(concat(
			(select string_agg(i::text, '' order by i.id) from imports i),
			(select string_agg(u::text, '' order by u.ordinal) from utterances u),
			(select string_agg(e::text, '' order by e.id) from evidence e),
			(select count(*) from private.project_readings)))`)
	}
	j.replaceFile(t, decided)
	before := snapshot()
	status, foreseen := j.reading(t, http.MethodPut, j.Editor, j.id, "?dry_run=true", `{"nobody": ["Kim"]}`)
	require.Equal(t, http.StatusOK, status, "%v", foreseen)
	require.Equal(t, before, snapshot())

	status, answer := j.reading(t, http.MethodPut, j.Editor, j.id, "", `{"nobody": ["Kim"]}`)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	require.Equal(t, foreseen, answer)
	require.Equal(t, map[string]any{"kept": 1.0, "moved": 2.0, "placeLost": 2.0}, answer["evidence"])
	require.Equal(t, 5.0, answer["utterances"])
	require.Equal(t, []any{"Dana", "Sam"}, answer["speakers"])
	require.Equal(t, map[string]any{"nobody": []any{"Kim"}}, answer["decided"])
	require.Equal(t, map[string]string{
		"We pay late":           "Dana repaired 0 t",
		"missing every month":   "Sam repaired 2 t",
		"Nobody uses the tool":  "Dana repaired 3 t",
		"in a kitchen":          "Kim manual lost f",
		"every month.\nWe talk": "Dana manual lost f",
	}, j.places(t))

	t.Run("speakers, search, people and results follow", func(t *testing.T) {
		require.Equal(t, "Dana Sam", dbtest.Value[string](t, j.DB,
			"select string_agg(speaker, ' ' order by speaker) from import_speakers where import_id = $1", j.id))
		require.Equal(t, "Dana Sam", dbtest.Value[string](t, j.DB,
			"select string_agg(name, ' ' order by name) from participants"))
		for word, found := range map[string]bool{"kitchen": false, "tool": true} {
			require.Equal(t, found, dbtest.Value[bool](t, j.DB,
				"select exists (select from private.transcript_words where words @@ $1::tsquery)", word), word)
		}
		require.Equal(t, "2 1", dbtest.Value[string](t, j.DB, `
			select string_agg(supports_count::text, ' ' order by speaker) from speaker_stances`))
		require.Equal(t, 5, dbtest.Value[int](t, j.DB,
			"select supports_count from import_hypotheses where hypothesis_id = $1", j.yes))
		require.Equal(t, 0, dbtest.Value[int](t, j.DB, `
			select count(*) from activity_events where entity_type = 'evidence' and verb = 'updated'`))
	})

	t.Run("only what has changed is to be read again", func(t *testing.T) {
		require.Equal(t, "{[0,49),[87,126)}", dbtest.Value[string](t, j.DB,
			"select distinct read::text from private.import_readings where import_id = $1", j.id))
		require.True(t, dbtest.Value[bool](t, j.DB, `
			select coverage > 0.5 and coverage < 1 and claim_id is null and status = 'parsed' from imports
			where id = $1`, j.id))
		require.Equal(t, "pending", dbtest.Value[string](t, j.DB,
			"select result::text from import_hypotheses where hypothesis_id = $1", j.silence))
		require.True(t, dbtest.Value[bool](t, j.DB, "select private.is_unread($1, array[$2::uuid], true)", j.id,
			j.silence))
	})

	t.Run("again changes nothing", func(t *testing.T) {
		places := j.places(t)
		status, again := j.reading(t, http.MethodPut, j.Editor, j.id, "", `{"nobody": ["Kim"]}`)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, map[string]any{"kept": 3.0, "moved": 0.0, "placeLost": 2.0}, again["evidence"])
		require.Equal(t, places, j.places(t))
		status, got := j.reading(t, http.MethodGet, j.Viewer, j.id, "", "")
		require.Equal(t, http.StatusOK, status)
		for name, value := range got {
			require.Equal(t, value, again[name], name)
		}
	})

	t.Run("words that are back have their place again", func(t *testing.T) {
		j.replaceFile(t, misread)
		status, answer := j.reading(t, http.MethodPut, j.Editor, j.id, "", `{"people": ["Kim"]}`)
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, map[string]any{"kept": 1.0, "moved": 3.0, "placeLost": 1.0}, answer["evidence"])
		require.Equal(t, "Kim verbatim 3 t", j.places(t)["in a kitchen"])
		require.Equal(t, "person", dbtest.Value[string](t, j.DB,
			"select answer from private.project_readings where label = 'Kim'"))
	})
}

func TestChoicesOfSpeakersHoldWhenAFileIsReadAgain(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	_, stored := u.choose(t, "/", misread, map[string]string{
		"speakers": `{"Dana": {"rename": "Dana Weber", "role": "other"}, "Kim": {"mergeInto": "Sam"}}`,
	})
	id := stored["importId"].(string)
	u.Exec(t, "update import_speakers set display_name = 'D. W.' where import_id = $1 and role = 'other'", id)
	u.Exec(t, "update private.import_files set data = convert_to($2, 'UTF8') where import_id = $1", id, decided)
	status, answer := u.reading(t, http.MethodPut, u.Editor, id, "", `{}`)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	require.Equal(t, []any{"Dana Weber", "Sam"}, answer["speakers"])
	require.Equal(t, "D. W. other", dbtest.Value[string](t, u.DB, `
		select concat_ws(' ', display_name, role) from import_speakers
		where import_id = $1 and speaker = 'Dana Weber'`,
		id))
}

func TestALayoutHoldsUntilSomethingIsDecided(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	_, stored := u.choose(t, "/", doubtfulChat, map[string]string{"layout": "paragraphs"})
	id := stored["importId"].(string)
	for _, c := range []struct {
		method, body string
		speakers     int
	}{{http.MethodPut, `{}`, 1}, {http.MethodPut, `{"people": ["Dana"]}`, 2}, {http.MethodGet, "", 2}} {
		status, answer := u.reading(t, c.method, u.Editor, id, "", c.body)
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.Equal(t, c.speakers, dbtest.Value[int](t, u.DB,
			"select count(*) from import_speakers where import_id = $1", id))
	}
}

func TestWhoMayReadAFileAgainAndWhen(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	_, stored := u.choose(t, "/", misread, nil)
	id := stored["importId"].(string)
	rival := u.DB.Tenant(t)
	for name, c := range map[string]struct {
		method     string
		user       uuid.UUID
		id, body   string
		status     int
		identifier string
	}{
		"a viewer does not decide":   {http.MethodPut, u.Viewer, id, `{}`, 403, "forbidden"},
		"a stranger does not decide": {http.MethodPut, rival.Editor, id, `{}`, 404, "import_not_found"},
		"a stranger does not look":   {http.MethodGet, rival.Editor, id, ``, 404, "import_not_found"},
		"no import":                  {http.MethodGet, u.Editor, uuid.NewString(), ``, 404, "import_not_found"},
		"no id":                      {http.MethodPut, u.Editor, "x", `{}`, 404, "import_not_found"},
		"no decision":                {http.MethodPut, u.Editor, id, ``, 400, "invalid_request"},
		"an unknown member":          {http.MethodPut, u.Editor, id, `{"persons": []}`, 400, "invalid_request"},
		"a large decision": {
			http.MethodPut, u.Editor, id, `{"from": "` + strings.Repeat(" ", 17<<10) + `"}`, 413, "too_large",
		},
	} {
		status, answer := u.reading(t, c.method, c.user, c.id, "", c.body)
		require.Equal(t, c.status, status, "%s: %v", name, answer)
		require.Equal(t, c.identifier, answer["error"], name)
	}
	for _, open := range []string{"queued", "parsing"} {
		u.Exec(t, "update imports set status = $2::import_status where id = $1", id, open)
		for _, query := range []string{"", "?dry_run=true"} {
			status, answer := u.reading(t, http.MethodPut, u.Editor, id, query, `{}`)
			require.Equal(t, http.StatusConflict, status)
			require.Equal(t, "import_already_parsing", answer["error"])
		}
	}
	u.Exec(t, "update imports set status = 'failed' where id = $1", id)
	u.Exec(t, "delete from private.import_files where import_id = $1", id)
	status, answer := u.reading(t, http.MethodGet, u.Editor, id, "", "")
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "unreadable_transcript", answer["error"])
}

func TestAReadingHasTheAdviceOfTheModel(t *testing.T) {
	t.Parallel()
	u := serveUploads(t, func(*imports.Deps) {})
	const unlabelled = "I: How did you come to this work?\n\nR: By accident. My aunt had a shop.\n\n" +
		"And what did you do there?\n\nR: I counted the stock, and later I made the orders.\n\n" +
		"How do you make the orders today?\n\nR: On paper, still. The supplier wants a fax.\n\n" +
		"Would you change that?\n\nR: If it saved me the evening, yes.\n"
	_, stored := u.choose(t, "/", unlabelled, nil)
	require.Equal(t, true, stored["needsLook"])
	id := stored["importId"].(string)
	confidence := func() float64 {
		status, answer := u.reading(t, http.MethodGet, u.Editor, id, "", "")
		require.Equal(t, http.StatusOK, status, "%v", answer)
		return answer["confidence"].(float64)
	}
	before := confidence()
	u.Exec(t, `update private.import_files set advice = '{"voice": "of", "speaker": "I"}'
		where import_id = $1`, id)
	require.Greater(t, confidence(), before)
}
