package imports_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/api/token/tokentest"
	"research/db/dbtest"
)

// transcriptRequest sends a request about the words of an import, and returns the answer.
func (u *uploads) transcriptRequest(
	t *testing.T, method string, user uuid.UUID, path string, body any,
) (int, map[string]any) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, u.url+"/"+path, strings.NewReader(string(raw)))
	require.NoError(t, err)
	req.Header.Set("apikey", tokentest.AnonKey)
	req.Header.Set("Authorization", "Bearer "+u.tokens.AccessToken(t, user))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	checkContract(t, resp, raw)
	var answer map[string]any
	require.NoError(t, json.Unmarshal(raw, &answer), "%s", raw)
	return resp.StatusCode, answer
}

type fields = map[string]any

func (j judged) base(t *testing.T) string {
	t.Helper()
	return dbtest.Value[string](t, j.DB, `
		select encode(sha256(convert_to(
			string_agg(text, e'\n' order by ordinal) || e'\n' || string_agg(speaker, e'\n' order by ordinal), 'UTF8'
		)), 'hex') from utterances where import_id = $1`, j.id)
}

func (j judged) correct(t *testing.T, changes ...fields) (int, map[string]any) {
	t.Helper()
	return j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/corrections",
		fields{"base": j.base(t), "changes": changes})
}

// requireProven checks that the transcript is its turns, and that each quote with a place is what is there.
func (j judged) requireProven(t *testing.T) {
	t.Helper()
	require.Equal(t, "", dbtest.Value[string](t, j.DB, `
		select coalesce(string_agg(e.quote, '|'), '')
		from evidence e join private.transcripts t using (import_id)
		where e.import_id = $1 and e.byte_start is not null and (
			substring(t.body from e.byte_start + 1 for e.byte_end - e.byte_start)
				<> convert_to(e.quote, 'UTF8')
			or e.speaker not in (select u.speaker from utterances u where u.import_id = e.import_id
				and u.byte_start < e.byte_end and u.byte_end > e.byte_start))`, j.id))
	require.True(t, dbtest.Value[bool](t, j.DB, `
		select convert_to(string_agg(u.text, e'\n' order by u.ordinal), 'UTF8') = t.body
			and bool_and(substring(t.body from u.byte_start + 1 for u.byte_end - u.byte_start)
				= convert_to(u.text, 'UTF8'))
		from utterances u join private.transcripts t using (import_id)
		where u.import_id = $1 group by t.body`, j.id))
}

func TestATurnIsCorrected(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	j.Exec(t, "update evidence set review = 'accepted'")
	status, answer := j.correct(t,
		fields{"ordinal": 0, "text": "Honestly, we pay  late because of the receipts.\n"},
		fields{"ordinal": 2, "speaker": "Lee"},
		fields{"ordinal": 3, "text": "Something else was said in there, all of it new."})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	require.Equal(t, 3.0, answer["turns"])
	require.Equal(t, j.base(t), answer["base"])
	require.Equal(t, fields{"kept": 1.0, "changed": 2.0, "placeLost": 2.0}, answer["evidence"])
	require.Equal(t, map[string]string{
		"We pay late":           "Dana repaired 0 f",
		"missing every month":   "Lee repaired 2 t",
		"Nobody uses the tool":  "Dana repaired 4 f",
		"in a kitchen":          "Kim manual lost f",
		"every month.\nWe talk": "Dana manual lost f",
	}, j.places(t))
	require.Equal(t, "we pay late", dbtest.Value[string](t, j.DB,
		"select quote from evidence where id = $1", j.quotes["We pay late"]))
	require.Equal(t, "in a kitchen suggested, every month.\nWe talk suggested", dbtest.Value[string](t, j.DB, `
		select string_agg(quote || ' ' || review, ', ' order by quote desc) from evidence
		where review <> 'accepted'`))
	j.requireProven(t)

	t.Run("what it was, by whom and when, is told", func(t *testing.T) {
		_, told := j.transcriptRequest(t, http.MethodGet, j.Viewer, j.id+"/corrections", nil)
		require.Equal(t, answer["base"], told["base"])
		first := told["corrections"].([]any)[0].(map[string]any)
		require.Equal(t, "We pay late because of receipts.", first["wasText"])
		require.Equal(t, "Dana", first["wasSpeaker"])
		require.NotEmpty(t, first["correctedAt"])
		require.Len(t, told["corrections"], 3)
	})
	t.Run("only what changed is to be read again", func(t *testing.T) {
		require.Equal(t, `[{"to": 0, "from": 0, "reason": "corrected"}, `+
			`{"to": 2, "from": 2, "reason": "corrected"}, {"to": 3, "from": 3, "reason": "corrected"}]`,
			dbtest.Value[string](t, j.DB, "select unread::text from imports where id = $1", j.id))
		read := "Why is that so?\n|Nobody uses the tool at all.\nOh, I see."
		require.Equal(t, read, dbtest.Value[string](t, j.DB, `
			select distinct (select string_agg(convert_from(
				substring(t.body from lower(x) + 1 for upper(x) - lower(x)), 'UTF8'), '|') from unnest(r.read) x)
			from private.import_readings r join private.transcripts t using (import_id) where r.import_id = $1`,
			j.id))
	})
	t.Run("its file is not read again", func(t *testing.T) {
		status, answer := j.reading(t, http.MethodPut, j.Editor, j.id, "", `{"nobody": ["Kim"]}`)
		require.Equal(t, http.StatusConflict, status)
		require.Equal(t, "transcript_corrected", answer["error"])
	})
	t.Run("another correction undoes it", func(t *testing.T) {
		status, answer := j.correct(t, fields{"ordinal": 3, "text": "We talk in a kitchen in spring."},
			fields{"ordinal": 2, "speaker": "Dana"})
		require.Equal(t, http.StatusOK, status, "%v", answer)
		require.Equal(t, "Kim verbatim 3 f", j.places(t)["in a kitchen"])
		j.requireProven(t)
	})
}

func TestCorrectionsThatAreRefused(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	one := []fields{{"ordinal": 0, "text": "Other words."}}
	many := make([]fields, 201)
	for i := range many {
		many[i] = fields{"ordinal": i, "text": "x"}
	}
	for name, c := range map[string]struct {
		user    uuid.UUID
		base    string
		changes any
		status  int
		code    string
	}{
		"of a viewer":         {j.Viewer, j.base(t), one, 403, "forbidden"},
		"of a stranger":       {j.DB.Tenant(t).Editor, j.base(t), one, 404, "import_not_found"},
		"of an earlier state": {j.Editor, strings.Repeat("0", 64), one, 409, "transcript_changed"},
		"none":                {j.Editor, j.base(t), []fields{}, 400, "invalid_request"},
		"too many":            {j.Editor, j.base(t), many, 400, "invalid_request"},
		"of no turn":          {j.Editor, j.base(t), []fields{{"ordinal": 9, "text": "x"}}, 400, "invalid_request"},
		"of one turn twice":   {j.Editor, j.base(t), append(one, one...), 400, "invalid_request"},
		"to only space":       {j.Editor, j.base(t), []fields{{"ordinal": 0, "text": " "}}, 400, "invalid_request"},
		"to nothing":          {j.Editor, j.base(t), []fields{{"ordinal": 0}}, 400, "invalid_request"},
		"of another shape":    {j.Editor, j.base(t), "x", 400, "invalid_request"},
		"to a long label": {j.Editor, j.base(t), []fields{{"ordinal": 0, "speaker": strings.Repeat("x", 201)}},
			400, "invalid_request"},
	} {
		status, answer := j.transcriptRequest(t, http.MethodPost, c.user, j.id+"/corrections",
			fields{"base": c.base, "changes": c.changes})
		require.Equal(t, c.status, status, "%s: %v", name, answer)
		require.Equal(t, c.code, answer["error"], name)
	}
	j.Exec(t, "update imports set status = 'parsing' where id = $1", j.id)
	status, answer := j.correct(t, one...)
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, "import_already_parsing", answer["error"])
	require.Equal(t, 0, dbtest.Value[int](t, j.DB, "select count(*) from private.turn_corrections"))
}

// The state of a transcript is its words and who says them.
func TestACorrectionKnowsTheSpeakers(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	seen := j.base(t)
	status, answer := j.correct(t, fields{"ordinal": 2, "speaker": "Sam"})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	require.NotEqual(t, seen, answer["base"])
	status, answer = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/corrections",
		fields{"base": seen, "changes": []fields{{"ordinal": 2, "speaker": "Kim"}}})
	require.Equal(t, http.StatusConflict, status)
	require.Equal(t, "transcript_changed", answer["error"])
	require.Equal(t, "Sam", dbtest.Value[string](t, j.DB, "select speaker from utterances where ordinal = 2"))
}

func TestATurnThatIsCorrectedBackIsAsDoubtfulAsItWas(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	j.Exec(t, "update utterances set confidence = 0.5 where import_id = $1 and ordinal in (0, 2)", j.id)
	confidences := func() string {
		return dbtest.Value[string](t, j.DB, `
			select string_agg(speaker || ' ' || confidence, ', ' order by ordinal) from utterances
			where ordinal in (0, 2)`)
	}
	for _, c := range []struct {
		change fields
		want   string
	}{
		{fields{"ordinal": 0, "text": "We pay very late because of receipts."}, "Dana 0.5, Dana 0.5"},
		{fields{"ordinal": 0, "text": "We pay late because of receipts."}, "Dana 0.5, Dana 0.5"},
		{fields{"ordinal": 2, "speaker": "Sam"}, "Dana 0.5, Sam 1"},
		{fields{"ordinal": 2, "speaker": "Dana"}, "Dana 0.5, Dana 0.5"},
		{fields{"ordinal": 2, "speaker": "Dana"}, "Dana 0.5, Dana 1"}, // somebody confirms it
	} {
		status, answer := j.correct(t, c.change)
		require.Equal(t, http.StatusOK, status, "%v: %v", c.change, answer)
		require.Equal(t, c.want, confidences(), "%v", c.change)
	}
}

// A correction that takes the last turn of a speaker can be undone with all that was said about them.
func TestASpeakerWhoseTurnIsCorrectedBackIsWhoTheyWere(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"nothing was said": "select",
		"a name and a role": "update import_speakers set display_name = 'Kim K.', role = 'interviewer' " +
			"where speaker = 'Kim'",
		"a participant":           "update participants set name = 'K. Lim' where name = 'Kim'",
		"that they are no person": "update import_speakers set participant_id = null where speaker = 'Kim'",
	} {
		j := serveJudged(t)
		j.Exec(t, said)
		speakers := func() string {
			return dbtest.Value[string](t, j.DB, `
				select string_agg(concat_ws(' ', s.speaker, s.display_name, s.role, p.name), ', ' order by s.speaker)
				from import_speakers s left join participants p on p.id = s.participant_id`)
		}
		before := speakers()
		for _, speaker := range []string{"Dana", "Kim", "Sam", "Kim"} {
			status, answer := j.correct(t, fields{"ordinal": 3, "speaker": speaker})
			require.Equal(t, http.StatusOK, status, "%s: %v", name, answer)
			if speaker == "Kim" {
				require.Equal(t, before, speakers(), name)
			} else {
				require.NotContains(t, speakers(), "Kim Kim", name)
			}
		}
	}
}

func TestCorrectionsTakeStorage(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	stored := func() int {
		return dbtest.Value[int](t, j.DB, "select stored_bytes from imports where id = $1", j.id)
	}
	requireMeasured := func() {
		t.Helper()
		require.Equal(t, dbtest.Value[int](t, j.DB, `
			select private.transcript_bytes(octet_length(t.body), (select count(*) from utterances),
					(select count(distinct speaker) from utterances))
				+ coalesce((select sum(octet_length(data)) from private.import_files), 0)
				+ coalesce((select sum(octet_length(was_text) + octet_length(was_speaker))
					from private.turn_corrections), 0)
			from private.transcripts t`), stored())
	}
	requireMeasured()
	before := stored()
	for _, words := range []string{"Nobody uses tools, at all.", "Nobody uses tools."} {
		status, answer := j.correct(t, fields{"ordinal": 4, "text": words})
		require.Equal(t, http.StatusOK, status, "%v", answer)
		requireMeasured()
	}

	j.Exec(t, "insert into private.settings values ('workspace_storage', $1)", strconv.Itoa(before-50))
	status, answer := j.correct(t,
		fields{"ordinal": 4, "text": "Nobody uses the tool at all, and nobody ever will."})
	require.Equal(t, http.StatusRequestEntityTooLarge, status, "%v", answer)
	require.Equal(t, "storage_quota_exceeded", answer["error"])
	redaction := fields{"base": j.base(t), "words": "a", "replacement": strings.Repeat("x", 200)}
	status, answer = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/redactions", redaction)
	require.Equal(t, http.StatusRequestEntityTooLarge, status, "%v", answer)
	redaction["replacement"] = "-"
	status, answer = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/redactions", redaction)
	require.Equal(t, http.StatusOK, status, "%v", answer) // it takes less
	requireMeasured()
	j.Exec(t, "delete from private.settings where name = 'workspace_storage'")

	j.Exec(t, `insert into private.turn_corrections (import_id, ordinal, was_text, was_speaker, was_confidence)
		select $1, 0, repeat('x', 1 << 20), '', 1 from generate_series(1, 10)`, j.id)
	status, answer = j.correct(t, fields{"ordinal": 0, "text": "More."})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "too_many_corrections", answer["error"])

	for limit, want := range map[string]int{"0": 0, "1": 1, "2": 2} {
		status, answer = j.transcriptRequest(t, http.MethodGet, j.Viewer, j.id+"/corrections?limit="+limit, nil)
		require.Equal(t, http.StatusOK, status)
		require.Len(t, answer["corrections"], want)
		require.Equal(t, j.base(t), answer["base"])
	}
	for _, limit := range []string{"5001", "-1", "x"} {
		status, _ = j.transcriptRequest(t, http.MethodGet, j.Viewer, j.id+"/corrections?limit="+limit, nil)
		require.Equal(t, http.StatusBadRequest, status, limit)
	}
}

// Whatever is corrected, a quote with a place is what the transcript says there, and nothing else changes.
func TestAnyCorrectionKeepsQuotesProven(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	random := rand.New(rand.NewPCG(7, 9))
	words := []string{"receipts", "é", "late", "not", "漢字", "tool", "we", "a\tb", "month.", "🙂"}
	others := func() string {
		return dbtest.Value[string](t, j.DB, `select md5(concat(
			(select string_agg(concat_ws('|', e.id, e.summary, e.rationale, e.origin, e.model, e.original_quote,
				e.edited_at, e.created_at, e.review = 'rejected'), '' order by e.id) from evidence e),
			(select string_agg(l::text, '' order by l.evidence_id, l.hypothesis_id) from evidence_hypotheses l),
			(select string_agg(concat_ws('|', i.title, i.filename, i.format, i.language, i.status), '')
				from imports i)))`)
	}
	before := others()
	for round := range 220 {
		var texts []string
		require.NoError(t, json.Unmarshal([]byte(dbtest.Value[string](t, j.DB,
			"select jsonb_agg(text order by ordinal)::text from utterances where import_id = $1", j.id)), &texts))
		ordinal := random.IntN(len(texts))
		change := fields{"ordinal": ordinal}
		if random.IntN(4) == 0 {
			change["speaker"] = []string{"Dana", "Sam", "Kim", "Lee", ""}[random.IntN(5)]
		}
		if random.IntN(4) > 0 || len(change) == 1 {
			now := strings.Fields(texts[ordinal])
			for range 1 + random.IntN(3) {
				at := random.IntN(len(now) + 1)
				switch {
				case random.IntN(3) > 0 || len(now) < 3:
					now = append(now[:at:at], append([]string{words[random.IntN(len(words))]}, now[at:]...)...)
				default:
					now = append(now[:min(at, len(now)-1):min(at, len(now)-1)], now[min(at+1, len(now)):]...)
				}
			}
			change["text"] = strings.Join(now, " ")
		}
		untouched := j.quotesElsewhere(t, ordinal)
		status, answer := j.correct(t, change)
		require.Equal(t, http.StatusOK, status, "round %d: %v", round, answer)
		j.requireProven(t)
		require.Equal(t, before, others(), "round %d", round)
		for id, quote := range untouched {
			require.Equal(t, quote, dbtest.Value[string](t, j.DB,
				"select concat_ws('|', quote, speaker, utterance_from, review) from evidence where id = $1", id))
		}
	}
}

// quotesElsewhere returns the quotes with a place outside of a turn.
func (j judged) quotesElsewhere(t *testing.T, ordinal int) map[string]string {
	t.Helper()
	quotes := map[string]string{}
	require.NoError(t, json.Unmarshal([]byte(dbtest.Value[string](t, j.DB, fmt.Sprintf(`
		select coalesce(jsonb_object_agg(id, concat_ws('|', quote, speaker, utterance_from, review)), '{}')::text
		from evidence where byte_start is not null and not %d between utterance_from and utterance_to`, ordinal))),
		&quotes))
	return quotes
}

func TestANameIsRedactedEverywhere(t *testing.T) {
	t.Parallel()
	j := serveJudged(t)
	j.Exec(t, `update evidence set summary = 'Dána pays', rationale = 'says DANA', original_quote = 'Dana: late',
		original_speaker = 'Dana'`)
	j.Exec(t, "update imports set title = 'Dana, May', filename = 'dana.txt' where id = $1", j.id)
	j.Exec(t, "update import_speakers set display_name = 'Kim of Dana' where speaker = 'Kim'")
	for _, speaker := range []string{"Sam", "Kim"} {
		status, answer := j.correct(t, fields{"ordinal": 3, "speaker": speaker})
		require.Equal(t, http.StatusOK, status, "%v", answer)
	}
	status, answer := j.correct(t, fields{"ordinal": 1, "text": "Why is that so, Dana?"})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	status, answer = j.correct(t, fields{"ordinal": 1, "text": "Why is that so, dana, and Danas?"})
	require.Equal(t, http.StatusOK, status, "%v", answer)
	lost := dbtest.Value[uuid.UUID](t, j.DB, `
		insert into evidence (project_id, import_id, quote, speaker, origin)
		values ($1, $2, 'Dana nodded', 'Dana', 'human') returning id`, j.Project, j.id)
	j.Exec(t, `
		insert into private.chunk_responses (key, import_id, response) values ('\x01', $1, '{"q": "Dana"}')`,
		j.id)
	coverage := dbtest.Value[float64](t, j.DB, "select coverage from imports where id = $1", j.id)

	request := fields{"base": j.base(t), "words": "dana"}
	status, foreseen := j.transcriptRequest(
		t, http.MethodPost, j.Editor, j.id+"/redactions?dry_run=true", request)
	require.Equal(t, http.StatusOK, status, "%v", foreseen)
	require.Equal(t, 1.0, foreseen["occurrences"])
	require.Equal(t, []any{"Dana", "Kim of Dana"}, foreseen["speakers"])
	require.Equal(t, true, foreseen["title"])
	require.Equal(t, fields{"ordinal": 1.0, "speaker": "Sam", "before": "Why is that so, ", "words": "dana",
		"after": ", and Danas?"}, foreseen["places"].([]any)[0])
	require.Equal(t, "dana.txt",
		dbtest.Value[string](t, j.DB, "select filename from imports where id = $1", j.id))

	j.Exec(t, `insert into questions (project_id, text, origin) values
		($1, 'Why does Dana pay late?', 'ai'), ($1, 'What does D. pay?', 'human')`, j.Project)
	request["title"] = true
	status, answer = j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/redactions", request)
	require.Equal(t, http.StatusOK, status, "%v", answer)
	require.Equal(t, foreseen["evidence"], answer["evidence"])
	j.requireProven(t)
	require.Equal(t, "[name], May [name].txt", dbtest.Value[string](t, j.DB,
		"select concat_ws(' ', title, filename) from imports where id = $1", j.id))
	require.Equal(t, "Kim Sam [name]", dbtest.Value[string](t, j.DB,
		`select string_agg(speaker, ' ' order by speaker collate "C") from import_speakers where import_id = $1`,
		j.id))
	require.Equal(t, "Kim Sam [name]", dbtest.Value[string](t, j.DB,
		"select string_agg(name, ' ' order by name collate \"C\") from participants"))
	require.Equal(t, "[name] nodded [name]", dbtest.Value[string](t, j.DB,
		"select concat_ws(' ', quote, speaker) from evidence where id = $1", lost))
	require.InDelta(t, coverage, dbtest.Value[float64](t, j.DB,
		"select coverage from imports where id = $1", j.id),
		0.02, "what was read stays read")

	require.Equal(t, "What does D. pay?|Why does [name] pay late?", dbtest.Value[string](t, j.DB,
		"select string_agg(text, '|' order by text) from questions"))
	require.True(t, dbtest.Value[bool](t, j.DB, "select claim_id is null from imports where id = $1", j.id))

	// No row of the database names her. The search index has the stem of Danas, who is somebody else.
	tables := dbtest.Value[[]string](t, j.DB, `select array_agg(format('%I.%I', n.nspname, c.relname))
		from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind = 'r' and n.nspname in ('public', 'private') and c.relname not in ('time_zones')`)
	for _, table := range tables {
		require.Equal(t, "", dbtest.Value[string](t, j.DB, fmt.Sprintf(`
			select coalesce(string_agg(x::text, e'\n'), '') from %s x
			where x::text ~* '(?<!=en=)\md[aá]na\M'`, table)), table)
	}
	require.NotContains(t, dbtest.Value[string](t, j.DB,
		"select string_agg(convert_from(body, 'UTF8'), '') from private.transcripts"), "Dana,")
	require.Equal(t, 0, dbtest.Value[int](t, j.DB, "select count(*) from private.import_files"))

	for name, bad := range map[string]fields{
		"nothing":       {"base": j.base(t), "words": "–"},
		"into itself":   {"base": j.base(t), "words": "Kim", "replacement": "a Kim"},
		"into nothing":  {"base": j.base(t), "words": "Kim", "replacement": " "},
		"with too long": {"base": j.base(t), "words": "Kim", "replacement": strings.Repeat("x", 201)},
	} {
		status, answer := j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/redactions", bad)
		require.Equal(t, http.StatusBadRequest, status, "%s: %v", name, answer)
	}
	status, _ = j.transcriptRequest(t, http.MethodPost, j.Viewer, j.id+"/redactions",
		fields{"base": j.base(t), "words": "Kim"})
	require.Equal(t, http.StatusForbidden, status)
}

// A decision keeps who spoke by the labels of then, which corrections and later readings change.
func TestANameIsRedactedInDecisions(t *testing.T) {
	t.Parallel()
	for name, happen := range map[string]func(*testing.T, judged){
		"of a label that is still one": func(*testing.T, judged) {},
		"of a label that was corrected": func(t *testing.T, j judged) {
			status, answer := j.correct(t, fields{"ordinal": 3, "speaker": "P1"})
			require.Equal(t, http.StatusOK, status, "%v", answer)
		},
		"of a label that nothing else has": func(t *testing.T, j judged) {
			status, answer := j.correct(t, fields{"ordinal": 3, "speaker": "P1"})
			require.Equal(t, http.StatusOK, status, "%v", answer)
			j.Exec(t, "delete from private.turn_corrections")
			j.Exec(t, "update import_speakers set display_name = 'P1' where speaker = 'P1'")
			j.Exec(t, "update participants set name = 'P1' where name = 'Kim'")
			j.Exec(t, "update evidence set original_speaker = null")
		},
		"of a label that a new reading dropped": func(t *testing.T, j judged) {
			status, answer := j.reading(t, http.MethodPut, j.Editor, j.id, "", `{"nobody": ["Kim"]}`)
			require.Equal(t, http.StatusOK, status, "%v", answer)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := serveJudged(t)
			voices := func() string {
				return dbtest.Value[string](t, j.DB, `
					select string_agg(v ->> 'speaker', ' ' order by v ->> 'speaker' collate "C")
					from hypothesis_decisions d, jsonb_array_elements(d.voices) v`)
			}
			j.Exec(t, "update import_speakers set role = 'participant'")
			j.Exec(t, "update evidence set speaker_confirmed = true")
			j.Exec(t, "update hypotheses set status = 'invalidated' where id = $1", j.yes)
			before := voices()
			require.Contains(t, before, "Kim")
			happen(t, j)
			require.Equal(t, before, voices())

			request := fields{"base": j.base(t), "words": "kim", "replacement": "P9"}
			status, foreseen := j.transcriptRequest(
				t, http.MethodPost, j.Editor, j.id+"/redactions?dry_run=true", request)
			require.Equal(t, http.StatusOK, status, "%v", foreseen)
			require.Equal(t, 1.0, foreseen["others"], "%v", foreseen)
			require.Equal(t, before, voices())
			status, answer := j.transcriptRequest(t, http.MethodPost, j.Editor, j.id+"/redactions", request)
			require.Equal(t, http.StatusOK, status, "%v", answer)
			require.Equal(t, foreseen["others"], answer["others"])
			require.Equal(t, strings.Replace(before, "Kim", "P9", 1), voices())
		})
	}
}
