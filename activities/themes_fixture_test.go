package activities_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db"
	"research/db/dbtest"
	"research/transcript"
)

const doNotSleep = "Then we do not sleep."

// openLabels are the labels that a fakeFinder gives the words of the interview.
var openLabels = map[string]string{
	fiveDays: "Slow month end", doNotSleep: "Lost sleep", hates: "Hated spreadsheet",
}

// A fakeFinder finds as the test defines. It reads each transcript as two chunks, finds three quotes, and
// groups equal labels.
type fakeFinder struct {
	read  func(extract.OpenRequest) (extract.Response, error)
	group func(context.Context, extract.GroupRequest) (extract.Groups, error)
	size  int // of groups; 0 for the largest

	mu    sync.Mutex
	calls []string // read or group
	sent  []string // labels
	known extract.Known
}

func (a *fakeFinder) Name() string                { return "openai" }
func (a *fakeFinder) Model() string               { return "test-model" }
func (a *fakeFinder) ThemesPromptVersion() string { return "themes0" }

func (a *fakeFinder) called(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, what)
}

// take returns the calls since the last one of it.
func (a *fakeFinder) take() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	calls := a.calls
	a.calls = nil
	slices.Sort(calls)
	return calls
}

func (a *fakeFinder) PlanOpen(t *transcript.Transcript, _ extract.Known) []extract.Chunk {
	return halves(t)
}

func (a *fakeFinder) ReadOpen(_ context.Context, r extract.OpenRequest) (extract.Response, error) {
	a.called("read")
	a.mu.Lock()
	a.known = r.Known
	a.mu.Unlock()
	if a.read != nil {
		return a.read(r)
	}
	return openFindings(r), nil
}

// openFindings are the quotes of a chunk, with their labels.
func openFindings(r extract.OpenRequest) (found extract.Response) {
	for i := r.Chunk.From; i < r.Chunk.To; i++ {
		for _, quote := range []string{fiveDays, doNotSleep, hates} {
			if strings.Contains(r.Transcript.Utterances[i].Text, quote) {
				found.Findings = append(found.Findings, extract.Finding{
					HypothesisID: extract.OpenID, Quote: quote, Utterances: []int{i}, Summary: openLabels[quote],
				})
			}
		}
	}
	return found
}

func (a *fakeFinder) GroupSize() int {
	if a.size > 0 {
		return a.size
	}
	return extract.MaxLabels
}

func (a *fakeFinder) GroupLabels(ctx context.Context, r extract.GroupRequest) (extract.Groups, error) {
	a.called("group")
	a.mu.Lock()
	a.sent = append(a.sent, r.Labels...)
	a.mu.Unlock()
	if a.group != nil {
		return a.group(ctx, r)
	}
	return extract.Groups{Groups: equalLabels(r.Labels)}, nil
}

// equalLabels groups equal labels, and names a group like them.
func equalLabels(labels []string) (groups []extract.Group) {
	for i, label := range labels {
		label, _, _ = strings.Cut(label, ":")
		at := slices.IndexFunc(groups, func(g extract.Group) bool { return g.Name == label })
		if at < 0 {
			at, groups = len(groups), append(groups, extract.Group{Name: label, Description: "People say so."})
		}
		groups[at].Labels = append(groups[at].Labels, i)
	}
	return groups
}

func (a *fakeFinder) ExpectOpen(extract.OpenRequest) extract.Usage { return expected }
func (a *fakeFinder) ExpectGroups([]string) extract.Usage          { return expected }

// A themesFixture is a project of two interviews with the same words, whose themes are to be proposed.
type themesFixture struct {
	*parseFixture
	model  *fakeFinder
	themes *activities.Themes
	ref    activities.ThemeRunRef
}

func newThemesFixture(t *testing.T, maxTokens int64) *themesFixture {
	t.Helper()
	f := &themesFixture{parseFixture: newParseFixture(t, keyword.New(keyword.Precise)), model: &fakeFinder{}}
	f.upload(t)
	f.Exec(t, `update import_speakers set role = 'interviewer' where speaker = 'Dana'`)
	f.Exec(t, `update import_speakers set role = 'participant' where speaker = 'Omar'`)
	var err error
	f.themes, err = activities.NewThemes(f.imports, f.model, activities.ThemesConfig{MaxTokens: maxTokens})
	require.NoError(t, err)
	activities.Register(f.env, activities.Deps{Themes: f.themes})
	f.claim(t)
	return f
}

// claim claims a run, as an editor does.
func (f *themesFixture) claim(t *testing.T) {
	t.Helper()
	f.ref = activities.ThemeRunRef{ThemeRunID: uuid.New(), ClaimID: uuid.New()}
	claimed, err := f.tryClaim(t, f.tenant.Editor)
	require.NoError(t, err)
	require.Equal(t, db.PrivateProposeResultClaimed, claimed.Result)
}

func (f *themesFixture) tryClaim(t *testing.T, user uuid.UUID) (db.ClaimThemesRow, error) {
	t.Helper()
	return db.AsUser(t.Context(), f.Store, db.User(user), func(q *db.Queries) (db.ClaimThemesRow, error) {
		return q.ClaimThemes(t.Context(), db.ClaimThemesParams{
			ThemeRunID: f.ref.ThemeRunID, ClaimID: f.ref.ClaimID, ProjectID: f.tenant.Project,
		})
	})
}

// cancel cancels the run, as an editor does.
func (f *themesFixture) cancel(t *testing.T) {
	t.Helper()
	_, err := db.AsUser(t.Context(), f.Store, db.User(f.tenant.Editor),
		func(q *db.Queries) (db.CancelThemesRow, error) {
			return q.CancelThemes(t.Context(), db.CancelThemesParams{
				ProjectID: f.tenant.Project, ErrorMessage: "Cancelled.",
			})
		})
	require.NoError(t, err)
}

func (f *themesFixture) planThemes() (activities.ThemePlan, error) {
	return run[activities.ThemePlan](f.parseFixture, f.themes.PlanThemes, f.ref)
}

// prepare plans, and reads what is planned.
func (f *themesFixture) prepare(t *testing.T) {
	t.Helper()
	plan, err := f.planThemes()
	require.NoError(t, err)
	for _, ordinal := range plan.Chunks {
		for done := false; !done; {
			in := activities.ReadForThemesInput{ThemeRunRef: f.ref, Ordinal: ordinal}
			result, err := run[activities.ReadChunkResult](f.parseFixture, f.themes.ReadForThemes, in)
			done = must(t, result, err).Done
		}
	}
}

func (f *themesFixture) groupLabels() (activities.LabelGroups, error) {
	return run[activities.LabelGroups](f.parseFixture, f.themes.GroupLabels, f.ref)
}

func (f *themesFixture) finish(t *testing.T) activities.ThemesEnd {
	t.Helper()
	end, err := run[activities.ThemesEnd](f.parseFixture, f.themes.FinishThemes, f.ref)
	end.Took = 0
	return must(t, end, err)
}

// run runs the activities in the order of the workflow.
func (f *themesFixture) run(t *testing.T) activities.ThemesEnd {
	t.Helper()
	f.prepare(t)
	for done := false; !done; {
		grouped, err := f.groupLabels()
		done = must(t, grouped, err).Done
	}
	return f.finish(t)
}

// again runs once more.
func (f *themesFixture) again(t *testing.T) activities.ThemesEnd {
	t.Helper()
	f.claim(t)
	return f.run(t)
}

// board returns the themes with their statuses and quotes, and the quotes of none, as an editor sees them.
func (f *themesFixture) board(t *testing.T) []string {
	t.Helper()
	return dbtest.Value[[]string](t, f.DB, `
		select array_agg(line order by line) from (
			select t.name || ' (' || t.status || ', ' || t.origin || '): ' || coalesce((
				select string_agg(e.summary || ' ' || l.review, ', ' order by e.summary, e.id)
				from evidence_themes l join evidence e on e.id = l.evidence_id where l.theme_id = t.id), '') as line
			from themes t
			union all
			select '- ' || coalesce(e.summary, '') from evidence e
			where not exists (select from evidence_themes l where l.evidence_id = e.id)
				and not exists (select from evidence_hypotheses h where h.evidence_id = e.id)
		) x`)
}
