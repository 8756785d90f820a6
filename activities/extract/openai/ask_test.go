package openai_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/interviewtest"
	"research/activities/extract/modeltest"
	"research/activities/extract/openai"
	"research/outcome"
)

const askedQuestion = "Who copies the invoices into the spreadsheet?"

func questionRequest() extract.Request {
	return extract.Request{
		Transcript: interview, Chunk: extract.Whole(interview), Interviewers: []string{"Ann"},
		Hypotheses: []extract.Hypothesis{{ID: extract.QuestionID, Statement: askedQuestion}},
	}
}

func TestAQuestionIsReworded(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	model := newModel(t, server)
	got, err := model.Reword(t.Context(), "Who copies\n\ninvoices?", nil)
	require.NoError(t, err)
	require.Equal(t, []string{"invoices copies"}, got.Wordings)
	call := server.Calls()[0]
	require.Equal(t, "Question: Who copies  invoices?\n\nAnswer with other wordings as one JSON object.",
		call.User)
	require.Equal(t, "json_schema", call.Format)
	require.False(t, call.Stream)
	require.InEpsilon(t, model.ExpectReword("Who copies\n\ninvoices?").InputTokens, got.Usage.InputTokens, 0.25)
}

func TestOddWordings(t *testing.T) {
	t.Parallel()
	nine := `"a1","a2","a3","a4","a5","a6","a7","a8","a9"`
	for name, c := range map[string]struct {
		said   string
		want   []string
		failed outcome.Code
	}{
		"a fence with prose": {"Sure:\n```json\n{\"wordings\":[\"by hand\"]}\n```\nMore?", []string{"by hand"}, ""},
		"thoughts": {`<think>{"wordings":["x"]}</think>{"wordings":["by hand"]}`,
			[]string{"by hand"}, ""},
		"a trailing comma": {`{"wordings":["by hand",]}`, []string{"by hand"}, ""},
		"repetitions": {
			`{"wordings":["by hand"," By  hand ","` + strings.ToUpper(askedQuestion) + `","",null,7]}`,
			[]string{"by hand", "7"}, "",
		},
		"too many": {`{"wordings":[` + nine + `]}`,
			[]string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"}, ""},
		"a long one": {`{"wordings":["` + strings.Repeat("long ", 50) + `","by hand"]}`,
			[]string{"by hand"}, ""},
		"none":           {`{"wordings":[]}`, []string{}, ""},
		"prose":          {"By hand, I think.", nil, outcome.CodeModelBadAnswer},
		"cut":            {`{"wordings":["by ha`, nil, outcome.CodeModelTooLong},
		"another answer": {`{"findings":[]}`, nil, outcome.CodeModelBadAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := modeltest.New(t).Always(modeltest.Say(c.said))
			got, err := newModel(t, server).Reword(t.Context(), askedQuestion, nil)
			if c.failed != "" {
				requireCode(t, err, c.failed)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got.Wordings)
		})
	}
}

// requireCode requires that an error is one of a model, with a code.
func requireCode(t *testing.T, err error, code outcome.Code) {
	t.Helper()
	var failed *extract.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, code, failed.Code)
}

func TestAChunkIsReadForAQuestion(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	model := newModel(t, server)
	r := questionRequest()
	got, err := model.ReadForQuestion(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, []extract.Finding{{
		HypothesisID: extract.QuestionID, Stance: outcome.StanceNeutral, Strength: outcome.StrengthMedium,
		Quote:      "We copy every invoice by hand into a spreadsheet, and that takes Maria two full days.",
		Utterances: []int{1}, Rationale: "It speaks of the same matter.", Summary: "Somebody speaks of it.",
	}}, got.Findings)
	require.Empty(t, got.FollowUps)
	require.InEpsilon(t, model.ExpectQuestion(r).InputTokens, got.Usage.InputTokens, 0.25)

	call := server.Calls()[0]
	require.True(t, strings.HasPrefix(call.User, "<transcript>\n[u0] Ann: How do you close"), call.User)
	require.True(t, strings.HasSuffix(call.User, "</transcript>\n\nInterviewers: Ann. Their own words are no "+
		"evidence: quote the others.\n\nQuestion: "+askedQuestion+"\n\nReport the findings about this question "+
		"as one JSON object."), call.User)
	require.NotContains(t, string(call.Schema), "stance")
	require.Equal(t, model.Plan(interview, r.Hypotheses), model.PlanQuestion(interview, askedQuestion))
}

// What a model leaves out or adds is the same as for hypotheses.
func TestFindingsAboutAQuestionNeedOnlyAQuote(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t).Always(modeltest.Say(`Here: {"findings":[{"utterances":[5],` +
		`"quote":"she complains","summary":"She\ncomplains."},{"hypothesis":"h7",` +
		`"stance":"supports","quote":"none"}],"questions":[{"hypothesis":"h1","text":"Why?"}]}`))
	got, err := newModel(t, server).ReadForQuestion(t.Context(), questionRequest())
	require.NoError(t, err)
	require.Len(t, got.Findings, 2)
	require.Equal(t, []int{5}, got.Findings[0].Utterances)
	require.Equal(t, "She complains.", got.Findings[0].Summary)
	for _, f := range got.Findings {
		require.Equal(t, extract.QuestionID, f.HypothesisID)
		require.Equal(t, outcome.StanceNeutral, f.Stance)
	}
	require.Empty(t, got.FollowUps)
}

func TestChunksOfAQuestionFitTheContext(t *testing.T) {
	t.Parallel()
	long := longInterview()
	model, err := openai.New(openai.Config{Model: "m", Timeout: time.Minute, Context: 4096})
	require.NoError(t, err)
	chunks := model.PlanQuestion(long, askedQuestion)
	interviewtest.CheckPlan(t, long, chunks)
	require.Greater(t, len(chunks), len(newModel(t, modeltest.New(t)).PlanQuestion(long, askedQuestion)))
}

func TestNothingPersonalOfAQuestionIsSent(t *testing.T) {
	t.Parallel()
	server := modeltest.New(t)
	model := newMaskingModel(t, server)
	r := questionRequest()
	r.Transcript, r.Chunk = personalInterview, extract.Whole(personalInterview)
	r.Interviewers = []string{"Tom Baker"}
	r.Hypotheses[0].Statement = "Does Maria Delgado mail invoices to tom.baker@example.org?"
	got, err := model.ReadForQuestion(t.Context(), r)
	require.NoError(t, err)
	require.Contains(t, got.Findings[0].Quote, "tom.baker@example.org")
	for _, secret := range personalSecrets {
		require.NotContains(t, string(server.Calls()[0].Body), secret)
	}

	reworded, err := model.Reword(t.Context(), "What does delgado get from tom.baker@example.org?",
		[]string{"Maria Delgado"})
	require.NoError(t, err)
	require.NotContains(t, string(server.Calls()[1].Body), "tom.baker")
	require.NotContains(t, string(server.Calls()[1].Body), "delgado")
	require.Equal(t, []string{"tom.baker@example.org from delgado does What"}, reworded.Wordings)
	require.Equal(t, "ask1-masked", model.AnswerPromptVersion())
}

func TestFailuresOfAnswers(t *testing.T) {
	t.Parallel()
	for code, behavior := range map[outcome.Code]modeltest.Behavior{
		outcome.CodeModelRefused:     modeltest.Refuse(),
		outcome.CodeModelKeyRejected: modeltest.BadKey(),
		outcome.CodeModelRateLimited: modeltest.RateLimited(time.Second),
		outcome.CodeModelUnavailable: modeltest.Status(http.StatusBadGateway, `<html>invoices</html>`),
		outcome.CodeModelTooLong:     modeltest.Looping(),
		outcome.CodeModelBadAnswer:   modeltest.Garbage(),
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			model := newModel(t, modeltest.New(t).Always(behavior))
			_, err := model.Reword(t.Context(), askedQuestion, nil)
			requireCode(t, err, code)
			_, err = model.ReadForQuestion(t.Context(), questionRequest())
			requireCode(t, err, code)
			_, err = model.Compose(t.Context(), composeRequest(), refuseLines(t))
			requireCode(t, err, code)
		})
	}
}
