package bench

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"research/activities"
	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/db"
	"research/db/dbtest"
)

// mostPlanningAnswer bounds the plan of a quick answer about a hundred interviews of an hour, in 95 of 100
// cases: what a user waits for before the model is called.
const mostPlanningAnswer = 300 * time.Millisecond

// BenchmarkPlanAnswer measures choosing the passages of a quick answer. The model, which is asked for other
// wordings first, answers at once. The first plan also loads and indexes the interviews, and has no limit.
func BenchmarkPlanAnswer(b *testing.B) {
	const interviewsAsked, questions = 100, 40
	s := &readingStack{db: dbtest.New(b)}
	s.serve = startServe(b, s.db.URL)
	user := s.researcher(b)
	for i := range interviewsAsked {
		user.upload(b, fmt.Sprint("asked-", i), words1h)
	}
	for b.Loop() {
		p := newAnswerPlanner(b, s.db)
		cold := p.plan(b, user.Tenant, "How many days does it take to close the books?")
		var warm []time.Duration
		for i := range questions {
			question := fmt.Sprintf("What happens in week %d if receipts are missing?", i)
			warm = append(warm, p.plan(b, user.Tenant, question))
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(float64(cold.Milliseconds()), "ms-first")
		b.ReportMetric(float64(percentile(warm, 95).Milliseconds()), "ms-p95")
		b.ReportMetric(float64(mostPlanningAnswer.Milliseconds()), "limit-ms-p95")
		require.LessOrEqual(b, percentile(warm, 95), mostPlanningAnswer)
	}
}

// An answerPlanner claims answers and plans them, as a worker does that has just started.
type answerPlanner struct {
	store   *db.Store
	answers *activities.Answers
	env     *testsuite.TestActivityEnvironment
}

func newAnswerPlanner(b *testing.B, d *dbtest.DB) answerPlanner {
	b.Helper()
	store, err := db.Open(b.Context(), db.Config{URL: d.URL, MaxConns: 8, ApplicationName: "bench"})
	require.NoError(b, err)
	b.Cleanup(store.Close)
	imports, err := activities.NewImports(store, keyword.New(keyword.Precise),
		activities.ImportsConfig{Concurrency: concurrency, Timeout: time.Hour}, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	answers, err := activities.NewAnswers(imports, oneWording{}, activities.AnswersConfig{Passages: 40})
	require.NoError(b, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	activities.Register(env, activities.Deps{Answers: answers})
	return answerPlanner{store, answers, env}
}

// plan returns the time that the plan of a new question took.
func (p answerPlanner) plan(b *testing.B, n dbtest.Tenant, question string) time.Duration {
	b.Helper()
	ref := activities.AnswerRef{AnswerID: uuid.New(), ClaimID: uuid.New()}
	claim := func(q *db.Queries) (db.ClaimAnswerRow, error) {
		return q.ClaimAnswer(b.Context(), db.ClaimAnswerParams{
			AnswerID: ref.AnswerID, ClaimID: ref.ClaimID, ProjectID: n.Project, Question: question,
			Mode: db.AnswerModeQuick, Personas: []uuid.UUID{}, Imports: []uuid.UUID{},
		})
	}
	claimed, err := db.AsUser(b.Context(), p.store, db.User(n.Editor), claim)
	require.NoError(b, err)
	require.Equal(b, db.PrivateAskResultClaimed, claimed.Result)
	began := time.Now()
	value, err := p.env.ExecuteActivity(p.answers.PlanAnswer, ref)
	took := time.Since(began)
	require.NoError(b, err)
	var plan activities.AnswerPlan
	require.NoError(b, value.Get(&plan))
	require.True(b, plan.Compose, "passages are read")
	return took
}

// oneWording is a model that knows one other wording of any question.
type oneWording struct{ extract.Answerer }

func (oneWording) Name() string                { return "openai" }
func (oneWording) Model() string               { return "bench" }
func (oneWording) AnswerPromptVersion() string { return "v0" }

func (oneWording) ExpectReword(string) extract.Usage { return extract.Usage{} }

func (oneWording) Reword(context.Context, string, []string) (extract.Rewordings, error) {
	return extract.Rewordings{Wordings: []string{"accounts at the end of the month"}}, nil
}
