package db_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// choose puts a quote into the findings of a hypothesis.
func (c conversation) choose(t *testing.T, hypothesis, quote uuid.UUID, position float64) {
	t.Helper()
	c.editor.mustExec(t, "insert into finding_quotes (hypothesis_id, evidence_id, position) values ($1, $2, $3)",
		hypothesis, quote, position)
}

// findings returns a part of the findings as a viewer sees them.
func (c conversation) findings(t *testing.T, hypothesis uuid.UUID, names bool, part string) string {
	t.Helper()
	return value[string](t, asUser(t, c.d, c.Viewer),
		"select coalesce(jsonb_path_query_array(hypothesis_findings($1, $2), $3::jsonpath)::text, 'none')",
		hypothesis, names, part)
}

func TestFindings(t *testing.T) {
	t.Parallel()

	t.Run("have the chosen quotes in their order, unless they are rejected", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "H")
		id := c.upload(t, "Ann: I pay.", "Bob: I never pay.", "Cem: Who knows?")
		first, second := c.quote(t, id, h, "supports", "I pay."), c.quote(t, id, h, "contradicts", "I never pay.")
		c.quote(t, id, h, "neutral", "Who knows?")
		c.choose(t, h, first, 1)
		c.choose(t, h, second, 2)
		require.Equal(t, `["I pay.", "I never pay."]`, c.findings(t, h, true, "$.quotes[*].quote"))
		c.editor.mustExec(t, "update finding_quotes set position = 0.5 where evidence_id = $1", second)
		require.Equal(t, `["I never pay.", "I pay."]`, c.findings(t, h, true, "$.quotes[*].quote"))
		require.Zero(t, dbtest.Value[int](t, c.d, "select count(*) from evidence where edited_at is not null"),
			"choosing a quote does not edit it")
		c.editor.mustExec(t, "update evidence set review = 'rejected' where id = $1", second)
		require.Equal(t, `["I pay."]`, c.findings(t, h, true, "$.quotes[*].quote"))
		c.editor.mustExec(t, "delete from evidence where id = $1", first)
		require.Equal(t, `[]`, c.findings(t, h, true, "$.quotes[*].quote"))
		_, err := c.editor.try(t, "update finding_quotes set position = 'NaN'")
		require.Equal(t, "23514", state(err), "a position has a place in an order")
	})

	t.Run("say how many of the quotes people have accepted", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "H")
		require.Equal(t, `[{"quotes": 0, "accepted": 0}]`, c.findings(t, h, true, "$.evidence"))
		id := c.upload(t, "Interviewer: Do you pay?", "Ann: I pay.", "Bob: I never pay.", "Cem: Who knows?")
		first := c.quote(t, id, h, "supports", "I pay.")
		rejected := c.quote(t, id, h, "contradicts", "I never pay.")
		c.quote(t, id, h, "neutral", "Who knows?")
		c.choose(t, h, c.quote(t, id, h, "supports", "Do you pay?"), 1)
		c.choose(t, h, first, 2)
		c.editor.mustExec(t, "update evidence set review = 'accepted' where id = $1", first)
		c.editor.mustExec(t, "update evidence set review = 'rejected' where id = $1", rejected)
		require.Equal(t, `[{"quotes": 2, "accepted": 1}]`, c.findings(t, h, true, "$.evidence"))
		require.Equal(t, `["suggested", "accepted"]`, c.findings(t, h, true, "$.quotes[*].review"))
	})

	t.Run("are about the people of a persona", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "H")
		owners, baristas := c.persona(t, "Owners"), c.persona(t, "Baristas")
		c.upload(t, "Ann: I pay.", "Bob: I never pay.", "Cem: Who knows?")
		c.d.Exec(t, "update participants set persona_id = $1 where name = 'Ann'", owners)
		c.d.Exec(t, "update participants set persona_id = $1 where name = 'Bob'", baristas)
		about := func() string {
			return c.findings(t, h, false, "$.persona") + c.findings(t, h, false, "$.others")
		}
		require.Equal(t, `[null][0]`, about())
		c.d.Exec(t, "update hypotheses set persona_id = $1", owners)
		require.Equal(t, `["Owners"][1]`, about())
		require.Equal(t, `["Ann", "Cem"]`, c.findings(t, h, true, "$.people[*].label"),
			"those who are not asked are of the persona, too")
	})

	t.Run("number people and interviews where they show no names", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "H")
		id := c.upload(t, "Interviewer: Do you pay?", "Ann Berg: I pay.")
		c.d.Exec(t, "update imports set title = 'With Ann Berg'")
		c.choose(t, h, c.quote(t, id, h, "supports", "I pay."), 1)
		c.choose(t, h, c.quote(t, id, h, "neutral", "Do you pay?"), 2)
		require.Equal(t, `["Ann Berg", "Interviewer"]`, c.findings(t, h, true, "$.quotes[*].speaker"))
		require.Equal(t, `["With Ann Berg", "With Ann Berg"]`, c.findings(t, h, true, "$.quotes[*].interview"))
		require.Equal(t, `["Participant 1", null]`, c.findings(t, h, false, "$.quotes[*].speaker"))
		require.Equal(t, `["Interview 1", "Interview 1"]`, c.findings(t, h, false, "$.quotes[*].interview"))
		require.Equal(t, `[{"label": "Participant 1", "stance": "supports"}]`,
			c.findings(t, h, false, "$.people[*]"))
		require.NotContains(t, c.findings(t, h, false, "$"), "Berg")
	})

	t.Run("name who was not asked, and what was not read", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "H")
		asked, partly := c.upload(t, "Ann: I pay."), c.upload(t, "Bob: I never pay.")
		c.upload(t, "Cem: Hello.")
		c.d.Exec(t, "update imports i set title = s.speaker from import_speakers s where s.import_id = i.id")
		c.quote(t, asked, h, "supports", "I pay.")
		c.quote(t, partly, h, "contradicts", "I never pay.")
		c.d.Exec(t,
			"update import_hypotheses set coverage = 0.5, model_coverage = 0.5 where import_id = $1", partly)
		require.JSONEq(t, `{"not_read": ["Cem"], "nothing_found": [], "unmatched": [],
			"partly_read": [{"label": "Bob", "coverage": 0.5}]}`,
			value[string](t, c.editor, "select (hypothesis_findings($1) -> 'gaps')::text", h))
		require.Equal(t, `["supports", "contradicts", "unread"]`, c.findings(t, h, true, "$.people[*].stance"))
		c.d.Exec(t, "update hypotheses set statement = 'H2'")
		require.Equal(t, `["Ann", "Bob", "Cem"]`, c.findings(t, h, true, "$.gaps.not_read[*]"),
			"an answer to another wording is none")
	})

	t.Run("have the course of the interviews, without names if nobody is named", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h, other := c.d.Hypothesis(t, c.Tenant, "H"), c.d.Hypothesis(t, c.Tenant, "Other")
		require.Equal(t, `[]`, c.findings(t, h, true, "$.course[*]"))
		later, first := c.upload(t, "Ann: I pay."), c.upload(t, "Bob: I never pay.")
		c.d.Exec(t, "update imports i set title = s.speaker from import_speakers s where s.import_id = i.id")
		c.d.Exec(t,
			"update imports set interviewed_on = case id when $1 then date '2031-04-02' else '2031-04-01' end",
			later)
		c.quote(t, later, h, "supports", "I pay.")
		c.quote(t, first, h, "contradicts", "I never pay.")
		c.quote(t, first, other, "neutral", "I never pay.")
		c.d.Exec(t, "update import_hypotheses set model_coverage = 0 where import_id = $1", later) // only keywords
		require.JSONEq(t, `[
			{"title": "Bob", "supporting": 0, "contradicting": 1, "mixed": 0, "silent": 0, "changed": true,
				"coverage": 1, "model_coverage": 1},
			{"title": "Ann", "supporting": 1, "contradicting": 1, "mixed": 0, "silent": 0, "changed": true,
				"coverage": 1, "model_coverage": 0}]`,
			c.findings(t, h, true, "$.course[*]"))
		require.Equal(t, `["Interview 2", "Interview 1"]`, c.findings(t, h, false, "$.course[*].title"))
		require.Equal(t, `[false]`, c.findings(t, other, true, "$.course[*].changed"))
	})

	t.Run("are null for others", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		h := c.d.Hypothesis(t, c.Tenant, "H")
		for _, who := range []uuid.UUID{c.d.User(t, "outsider@example.com"), c.d.Tenant(t).Owner} {
			require.True(t, value[bool](t, asUser(t, c.d, who), "select hypothesis_findings($1) is null", h))
		}
		_, err := as(t, c.d, db.Subject{Role: db.RoleAnon}).try(t, "select hypothesis_findings($1)", h)
		require.Equal(t, "42501", state(err))
	})
}

func TestProjectReport(t *testing.T) {
	t.Parallel()
	// report returns a part of the report as a viewer sees it.
	report := func(t *testing.T, c conversation, part string) string {
		t.Helper()
		return value[string](t, asUser(t, c.d, c.Viewer),
			"select coalesce(jsonb_path_query_array(project_report($1), $2::jsonpath)::text, 'none')", c.Project, part)
	}
	ids := func(all ...uuid.UUID) string {
		text, _ := json.Marshal(all)
		return strings.ReplaceAll(string(text), ",", ", ")
	}

	t.Run("has the hypotheses that are not parked, or those that were chosen", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		a, b, parked := c.d.Hypothesis(t, c.Tenant, "A"), c.d.Hypothesis(t, c.Tenant, "B"),
			c.d.Hypothesis(t, c.Tenant, "C")
		c.d.Exec(t, "update hypotheses set status = 'parked' where id = $1", parked)
		require.Equal(t, ids(a, b), report(t, c, "$.hypothesis_ids[*]"))
		require.Equal(t, `[null][""][""][""]`, report(t, c, "$.id")+report(t, c, "$.summary")+
			report(t, c, "$.method")+report(t, c, "$.recommendations"))
		require.Equal(t, `["Project"]`, report(t, c, "$.title"))

		foreign := c.d.Hypothesis(t, c.d.Tenant(t), "Of others")
		c.editor.mustExec(t,
			"insert into reports (project_id, title, hypothesis_ids) values ($1, 'What we know', $2)", c.Project,
			[]uuid.UUID{parked, foreign, a, uuid.New(), parked})
		require.Equal(t, ids(parked, a), report(t, c, "$.hypothesis_ids[*]"))
		require.Equal(t, `["What we know"]`, report(t, c, "$.title"))
		_, err := c.editor.try(t, "insert into reports (project_id) values ($1)", c.Project)
		require.Equal(t, "23505", state(err), "a project has one report")
		_, err = c.editor.try(t, "update reports set summary = repeat('x', 20001)")
		require.Equal(t, "23514", state(err))
		c.editor.mustExec(t, "update reports set hypothesis_ids = '{}'")
		require.Equal(t, `[]`, report(t, c, "$.hypothesis_ids[*]"))
	})

	t.Run("says how the material was read, and how much of it was reviewed", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		require.JSONEq(t, `[{"interviews": 0, "participants": 0, "first_on": null, "last_on": null, "undated": 0,
			"by_model": 0, "by_keyword": 0, "by_both": 0, "not_read": 0, "models": [],
			"evidence": {"quotes": 0, "accepted": 0}}]`, report(t, c, "$.facts"))
		h, other := c.d.Hypothesis(t, c.Tenant, "H"), c.d.Hypothesis(t, c.Tenant, "Other")
		byModel, byKeyword, partly := c.upload(t, "Interviewer: Do you pay?", "Ann: I pay."),
			c.upload(t, "Bob: I never pay."), c.upload(t, "Cem: Who knows?")
		c.upload(t, "Dee: Hello.")
		quote := c.quote(t, byModel, h, "supports", "I pay.")
		c.quote(t, byModel, h, "supports", "Do you pay?")
		c.quote(t, byKeyword, h, "contradicts", "I never pay.")
		c.quote(t, partly, h, "neutral", "Who knows?")
		c.d.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
			values ($1, $2, 'supports')`, quote, other)
		c.editor.mustExec(t, "update evidence set review = 'accepted' where id = $1", quote)
		c.d.Exec(t, "update imports set interviewed_on = '2031-04-12' where id = $1", byModel)
		c.d.Exec(t, "update imports set interviewed_on = '2031-04-15' where id = $1", partly)
		c.d.Exec(t, "delete from import_hypotheses")
		readings := map[uuid.UUID][2]float64{byModel: {1, 1}, byKeyword: {1, 0}, partly: {0.5, 0.5}}
		for id, read := range readings {
			c.d.Exec(t, `
				insert into import_hypotheses (import_id, hypothesis_id, workspace_id, project_id, statement,
					result, coverage, model_coverage, readings)
				select $1, id, workspace_id, project_id, statement, 'nothing_found', $2::float8, $3::float8,
					jsonb_build_array(jsonb_build_object('coverage', $2::float8,
						'extractor', case when $3::float8 > 0 then 'openai' else 'keyword' end,
						'model', case when $3::float8 > 0 then 'model-2' else '' end))
				from hypotheses where project_id = $4`, id, read[0], read[1], c.Project)
		}
		require.JSONEq(t, `[{"interviews": 4, "participants": 4,
			"first_on": "2031-04-12", "last_on": "2031-04-15", "undated": 2,
			 "by_model": 1, "by_keyword": 1, "by_both": 0, "not_read": 1, "models": ["model-2"],
			"evidence": {"quotes": 3, "accepted": 1}}]`, report(t, c, "$.facts"),
			"a quote counts once, and that of an interviewer does not")
		c.d.Exec(t, "update import_hypotheses set model_coverage = 0 where import_id = $1 and hypothesis_id = $2",
			byModel, other)
		require.Equal(t, `[0][1][1]`,
			report(t, c, "$.facts.by_model")+report(t, c, "$.facts.by_keyword")+report(t, c, "$.facts.by_both"),
			"one was read in full, in two ways")
		c.d.Exec(t, "update hypotheses set statement = 'H2' where id = $1", h)
		require.Equal(t, `[0][0][1]`,
			report(t, c, "$.facts.by_model")+report(t, c, "$.facts.by_keyword")+report(t, c, "$.facts.not_read"),
			"an answer to another wording is none")
	})

	t.Run("is null for others", func(t *testing.T) {
		t.Parallel()
		c := newConversation(t)
		for _, who := range []uuid.UUID{c.d.User(t, "outsider@example.com"), c.d.Tenant(t).Owner} {
			require.True(t, value[bool](t, asUser(t, c.d, who), "select project_report($1) is null", c.Project))
		}
		_, err := as(t, c.d, db.Subject{Role: db.RoleAnon}).try(t, "select project_report($1)", c.Project)
		require.Equal(t, "42501", state(err))
		_, err = asUser(t, c.d, c.Viewer).try(t, "insert into reports (project_id) values ($1)", c.Project)
		require.Equal(t, "42501", state(err))
	})
}

func TestLinksToReports(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	f := fill(t, d)
	report := dbtest.Value[uuid.UUID](t, d, "select id from reports where project_id = $1", f.Project)
	share := value[uuid.UUID](t, asUser(t, d, f.Editor),
		"select id from private.share_findings(null, $1, sha256('report'), 30, false)", report)
	_, err := asUser(t, d, f.Editor).try(t,
		"select from private.share_findings($1, $2, sha256('both'), 30, false)", f.Hypothesis, report)
	require.Equal(t, "23514", state(err), "a link shows one thing")
	d.Exec(t, "update finding_shares set ended_at = now() where id = $1", share)
	require.Equal(t, "link What we know", value[string](t, asUser(t, d, f.Admin),
		"select concat_ws(' ', kind, what) from ended_grants($1) where id = $2", f.Workspace, share))
	require.Equal(t, []string{"findings_shared true", "findings_unshared true"}, value[[]string](t,
		asUser(t, d, f.Owner), `
			select array_agg(concat_ws(' ', action, detail ->> 'report') order by occurred_at)
			from audit_log($1) where target_id = $2`, f.Workspace, share))
}

func TestFindingShares(t *testing.T) {
	t.Parallel()
	hash := func(n byte) []byte { return append(make([]byte, 31), n) }
	// shared returns the statement that a link shows, or nothing.
	shared := func(t *testing.T, d *dbtest.DB, n byte) string {
		t.Helper()
		row, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (db.GetSharedFindingsRow, error) {
			return q.GetSharedFindings(t.Context(), db.GetSharedFindingsParams{MaxBytes: 1 << 20, TokenHash: hash(n)})
		})
		if err != nil {
			require.ErrorIs(t, err, db.ErrNotFound)
			return ""
		}
		var findings struct{ Statement string }
		require.NoError(t, json.Unmarshal(row.Findings, &findings))
		require.NotContains(t, string(row.Findings), "_id", "a link shows no ids")
		return findings.Statement
	}
	share := func(t *testing.T, d *dbtest.DB, who, hypothesis uuid.UUID, n byte) error {
		t.Helper()
		return d.AsUser(t.Context(), db.User(who), func(q *db.Queries) error {
			_, err := q.ShareFindings(t.Context(), db.ShareFindingsParams{
				HypothesisID: &hypothesis, TokenHash: hash(n), Days: 30,
			})
			return err
		})
	}

	t.Run("are made, seen and revoked by editors", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f, rival := fill(t, d), fill(t, d)
		require.ErrorIs(t, share(t, d, f.Viewer, f.Hypothesis, 1), db.ErrDenied)
		require.ErrorIs(t, share(t, d, rival.Owner, f.Hypothesis, 1), db.ErrNotFound)
		require.NoError(t, share(t, d, f.Editor, f.Hypothesis, 1))
		require.Equal(t, "People pay monthly", shared(t, d, 1))
		require.Empty(t, shared(t, d, 2))

		require.Zero(t, value[int](t, asUser(t, d, f.Viewer), "select count(*) from finding_shares"))
		editor := asUser(t, d, f.Editor)
		_, err := editor.try(t, "update finding_shares set expires_at = now() + interval '9 years'")
		require.Equal(t, "42501", state(err))
		_, err = editor.try(t, "select from private.finding_share_tokens")
		require.Equal(t, "42501", state(err))
		_, err = editor.try(t, "select * from private.shared_findings($1)", hash(1))
		require.Equal(t, "42501", state(err), "clients cannot ask for the findings of a hash")
		rows, err := asUser(t, d, f.Admin).try(t, "delete from finding_shares where created_by = $1", f.Editor)
		require.NoError(t, err)
		require.EqualValues(t, 1, rows)
		require.NoError(t, share(t, d, f.Editor, f.Hypothesis, 2))
		editor.mustExec(t, "delete from finding_shares")
		require.Empty(t, shared(t, d, 2))
		require.Zero(t, dbtest.Value[int](t, d, "select count(*) from private.finding_share_tokens"))
	})

	for name, end := range map[string]string{
		"expire":                          "update finding_shares set expires_at = now() - interval '1 second'",
		"end with their hypothesis":       "delete from hypotheses",
		"end with their project":          "delete from projects",
		"end with their workspace":        "delete from workspaces",
		"end with the account of a maker": "delete from auth.users where email like 'editor-%'",
		"end when their maker leaves":     "delete from workspace_members where role = 'editor'",
		"end when their maker only reads": "update workspace_members set role = 'viewer' where role = 'editor'",
		"end when their maker is banned":  "update auth.users set banned_until = now() + interval '1 day'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := dbtest.New(t)
			f := fill(t, d)
			require.NoError(t, share(t, d, f.Editor, f.Hypothesis, 1))
			require.NotEmpty(t, shared(t, d, 1))
			d.Exec(t, end)
			require.Empty(t, shared(t, d, 1))
		})
	}

	t.Run("are in the audit log, without what they show", func(t *testing.T) {
		t.Parallel()
		d := dbtest.New(t)
		f := fill(t, d)
		require.NoError(t, share(t, d, f.Editor, f.Hypothesis, 1))
		asUser(t, d, f.Admin).mustExec(t, "delete from finding_shares where created_by = $1", f.Editor)
		require.Equal(t, []string{
			f.Editor.String() + " findings_shared finding_share false false",
			f.Admin.String() + " findings_unshared finding_share false false",
		}, value[[]string](t, asUser(t, d, f.Owner), `
			select array_agg(concat_ws(' ', actor_id, action, target_type, detail ->> 'show_names',
				detail ->> 'report')
				order by occurred_at)
			from audit_log($1) where action like 'findings%' and actor_id is not null`, f.Workspace))
	})
}
