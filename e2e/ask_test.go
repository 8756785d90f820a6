package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities/extract/modeltest"
	"research/db/dbtest"
)

// addInterviews adds interviews to the project.
func (s *service) addInterviews(t testing.TB, token string, n int) (ids []string) {
	t.Helper()
	for i := range n {
		topic := fmt.Sprintf("branch %c", 'A'+i%26)
		talk := interviewOf(i, fmt.Sprintf("Ann%d", i), topic)
		ids = append(ids, s.add(t, token, fmt.Sprintf("talk-%d.txt", i), talk))
	}
	return ids
}

// ask asks a question, and returns the id of the answer.
func (s *service) ask(t testing.TB, token, question, mode string) (id string) {
	t.Helper()
	eventually(t, "the question is asked", func() bool {
		status, answer := s.post(t, "/api/project/"+s.Project.String()+"/ask", token,
			map[string]any{"question": question, "mode": mode})
		require.Contains(t, []int{http.StatusAccepted, http.StatusServiceUnavailable}, status, "%v", answer)
		id, _ = answer["answerId"].(string)
		return status == http.StatusAccepted
	})
	return id
}

// askAgain asks the question of an answer once more.
func (s *service) askAgain(t testing.TB, token, id, mode string) {
	t.Helper()
	status, answer := s.post(t, "/api/answer/"+id+"/again", token, map[string]any{"mode": mode})
	require.Equal(t, http.StatusAccepted, status, "%v", answer)
}

// estimatedCalls returns the calls that reading everything for an answer is expected to take.
func (s *service) estimatedCalls(t testing.TB, token, id string) any {
	t.Helper()
	status, estimate := s.post(t, "/api/answer/"+id+"/estimate", token, map[string]any{})
	require.Equal(t, http.StatusOK, status, "%v", estimate)
	return estimate["calls"]
}

// waitForAnswer waits until an answer has a status, and returns it.
func (s *service) waitForAnswer(t testing.TB, token, id, status string) (answer map[string]any) {
	t.Helper()
	eventually(t, "the answer is "+status, func() bool {
		_, answer = s.get(t, "/api/answer/"+id, token)
		if answer["status"] != status && answer["finishedAt"] != nil {
			t.Fatalf("the answer is %v: %v", answer["status"], answer["errorCode"])
		}
		return answer["status"] == status
	})
	return answer
}

// sentencesOf returns the texts of an answer, each with its quotes.
func sentencesOf(answer map[string]any) (texts []string, quotes []map[string]any) {
	for _, s := range answer["sentences"].([]any) {
		sentence := s.(map[string]any)
		texts = append(texts, sentence["text"].(string))
		for _, q := range sentence["quotes"].([]any) {
			quotes = append(quotes, q.(map[string]any))
		}
	}
	return texts, quotes
}

// requireSlices requires that quotes are slices of the utterances of their interviews, which are lines.
func (s *service) requireSlices(t testing.TB, token string, quotes []map[string]any) {
	t.Helper()
	for _, quote := range quotes {
		var rows []struct {
			Text  string
			Start int `json:"byte_start"`
			End   int `json:"byte_end"`
		}
		s.readRows(t, token, fmt.Sprintf(
			"utterances?import_id=eq.%s&ordinal=gte.%v&ordinal=lte.%v&select=text,byte_start,byte_end&order=ordinal",
			quote["importId"], quote["utteranceFrom"], quote["utteranceTo"]), &rows)
		require.NotEmpty(t, rows)
		begin := rows[0].Start
		text := bytes.Repeat([]byte("\n"), rows[len(rows)-1].End-begin)
		for _, row := range rows {
			copy(text[row.Start-begin:], row.Text)
		}
		from, to := int(quote["byteStart"].(float64))-begin, int(quote["byteEnd"].(float64))-begin
		require.Equal(t, quote["quote"], string(text[from:to]))
	}
}

// readRows reads rows of the data API.
func (s *service) readRows(t testing.TB, token, path string, rows any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url()+"/rest/v1/"+path, nil)
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.NoError(t, json.NewDecoder(resp.Body).Decode(rows))
}

// follow opens the stream of an answer. Its channel has the types of the events, and is closed at the end.
func (s *service) follow(t testing.TB, token, id string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/api/answer/"+id+"/events", nil)
	require.NoError(t, err)
	req.Header.Set("apikey", anonKey)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(t, http.StatusOK, resp.StatusCode)
	types := make(chan string, 1000)
	go func() {
		defer close(types)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if kind, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				types <- kind
			}
		}
	}()
	return types
}

// next returns the next event of a type.
func next(t testing.TB, types <-chan string, wanted string) {
	t.Helper()
	deadline := time.After(timeout)
	for {
		select {
		case kind, open := <-types:
			require.True(t, open, "the stream has ended before %s", wanted)
			if kind == wanted {
				return
			}
		case <-deadline:
			t.Fatalf("no event %s", wanted)
		}
	}
}

func TestQuestionsAreAnsweredFromInterviews(t *testing.T) {
	t.Parallel()
	model := newAskModel(t)
	s := startService(t, model.settings()...)
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	s.addInterviews(t, editor, 3)

	t.Run("sentences arrive while the model writes, and stay", func(t *testing.T) {
		t.Parallel()
		const question = "What happens to lost receipts, sentence by sentence?"
		gate := make(chan struct{})
		model.when(question, modeltest.AskSlowly(gate))
		id := s.ask(t, editor, question, "quick")
		types := s.follow(t, viewer, id)
		gate <- struct{}{}
		next(t, types, "answer.sentence")
		_, answer := s.get(t, "/api/answer/"+id, viewer)
		require.Equal(t, "reading", answer["status"], "the model has not ended")
		first, _ := sentencesOf(answer)
		require.Len(t, first, 1)
		close(gate)
		next(t, types, "answer.finished")
		for range types { // until it ends
		}
		answer = s.waitForAnswer(t, viewer, id, "answered")
		require.Equal(t, "answered", answer["result"])
		texts, quotes := sentencesOf(answer)
		require.Greater(t, len(texts), 1)
		require.Equal(t, first[0], texts[0])
		s.requireSlices(t, viewer, quotes)
		_, again := s.get(t, "/api/answer/"+id, viewer)
		require.Equal(t, answer, again)
	})

	for name, way := range map[string]modeltest.Behavior{
		"invented": modeltest.AskInvented(), "stitched": modeltest.AskStitched(),
		"elsewhere": modeltest.AskElsewhere(), "unknown": modeltest.AskUnknownID(),
		"most": modeltest.AskMostUsers(), "world": modeltest.AskWorldKnowledge(),
	} {
		t.Run("no sentence is left of a model that is wrong: "+name, func(t *testing.T) {
			t.Parallel()
			question := "What happens to lost receipts, according to one that is " + name + "?"
			model.when(question, way)
			answer := s.waitForAnswer(t, viewer, s.ask(t, editor, question, "quick"), "answered")
			require.Empty(t, answer["sentences"])
			require.Equal(t, "not_found", answer["result"])
			require.Positive(t, answer["unsupportedCount"])
			_, quotes := sentencesOf(answer)
			for _, passage := range answer["passages"].([]any) {
				quotes = append(quotes, passage.(map[string]any))
			}
			s.requireSlices(t, viewer, quotes)
		})
	}

	for name, way := range map[string]modeltest.Behavior{
		"fenced": modeltest.AskFenced(), "in an object": modeltest.AskObject(), "whole": modeltest.AskWhole(),
		"endless": modeltest.AskEndless(),
	} {
		t.Run("what is proven is kept of a model that writes otherwise: "+name, func(t *testing.T) {
			t.Parallel()
			question := "What happens to lost receipts, in a form that is " + name + "?"
			model.when(question, way)
			id := s.ask(t, editor, question, "quick")
			var answer map[string]any
			eventually(t, "the answer ends", func() bool {
				_, answer = s.get(t, "/api/answer/"+id, viewer)
				return answer["finishedAt"] != nil
			})
			texts, quotes := sentencesOf(answer)
			require.NotEmpty(t, texts, "%v", answer["errorCode"])
			slices.Sort(texts)
			require.Equal(t, slices.Compact(slices.Clone(texts)), texts, "none is twice")
			s.requireSlices(t, viewer, quotes)
		})
	}

	t.Run("what nobody speaks of is not answered", func(t *testing.T) {
		t.Parallel()
		const question = "Galaxies and planets?"
		id := s.ask(t, editor, question, "quick")
		answer := s.waitForAnswer(t, viewer, id, "answered")
		require.Equal(t, "not_found", answer["result"])
		require.EqualValues(t, 4, s.estimatedCalls(t, editor, id), "each interview, and the sentences")
		s.askAgain(t, editor, id, "thorough")
		answer = s.waitForAnswer(t, viewer, id, "answered")
		require.Equal(t, "not_answered", answer["result"])
		require.EqualValues(t, 1, answer["coverage"])
		require.EqualValues(t, 3, answer["importsRead"])
		require.Empty(t, answer["sentences"])
	})

	t.Run("everything is read once", func(t *testing.T) {
		t.Parallel()
		const question = "Who repairs the printer in spring?"
		id := s.ask(t, editor, question, "thorough")
		answer := s.waitForAnswer(t, viewer, id, "answered")
		require.EqualValues(t, 1, answer["coverage"])
		calls := len(model.callsAbout(question))
		require.GreaterOrEqual(t, calls, 3, "one for each interview")
		require.EqualValues(t, 1, s.estimatedCalls(t, editor, id), "the interviews are read")
		s.askAgain(t, editor, id, "thorough")
		again := s.waitForAnswer(t, viewer, id, "answered")
		require.Len(t, model.callsAbout(question), calls, "nothing has changed")
		require.Equal(t, answer["result"], again["result"])
		before, _ := sentencesOf(answer)
		after, _ := sentencesOf(again)
		require.Equal(t, before, after)
	})

	t.Run("a question is cancelled", func(t *testing.T) {
		t.Parallel()
		const question = "What happens to lost receipts, for ever?"
		model.when(question, modeltest.AskSlowly(nil))
		id := s.ask(t, editor, question, "quick")
		eventually(t, "the model writes", func() bool {
			return slices.ContainsFunc(model.callsAbout(question), modeltest.AsksToCompose)
		})
		types := s.follow(t, viewer, id)
		began := time.Now()
		status, answer := s.post(t, "/api/answer/"+id+"/cancel", editor, nil)
		require.Equal(t, http.StatusOK, status, "%v", answer)
		answer = s.waitForAnswer(t, viewer, id, "canceled")
		require.Equal(t, "canceled", answer["errorCode"])
		next(t, types, "answer.canceled")
		t.Logf("cancelled after %s", time.Since(began))
		stranger := s.signIn(t, s.DB.Tenant(t).Owner)
		for user, want := range map[string]int{viewer: http.StatusForbidden, stranger: http.StatusNotFound} {
			status, _ = s.post(t, "/api/answer/"+id+"/again", user, map[string]any{})
			require.Equal(t, want, status)
		}
		model.when(question, nil)
		s.askAgain(t, editor, id, "quick")
		answer = s.waitForAnswer(t, viewer, id, "answered")
		require.NotEmpty(t, answer["sentences"])
	})

	t.Run("a run that an operator ends is reported", func(t *testing.T) {
		t.Parallel()
		const question = "What happens to lost receipts, until somebody ends it?"
		model.when(question, modeltest.AskSlowly(nil))
		id := s.ask(t, editor, question, "quick")
		eventually(t, "the model writes", func() bool {
			return slices.ContainsFunc(model.callsAbout(question), modeltest.AsksToCompose)
		})
		require.NoError(t, s.temporal.TerminateWorkflow(t.Context(), "answer-"+id, "", "a test"))
		began := time.Now()
		answer := s.waitForAnswer(t, viewer, id, "terminated")
		t.Logf("reported after %s", time.Since(began))
		require.Equal(t, "terminated", answer["errorCode"])
	})
}

func TestAnAnswerOutlivesItsWorker(t *testing.T) {
	t.Parallel()
	model := newAskModel(t)
	s := startAPI(t, model.settings()...)
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	s.addInterviews(t, editor, 3)
	worker := s.newProcess(t, "worker")
	require.NoError(t, worker.Start(t.Context()))

	const question = "What happens to lost receipts, whoever writes it?"
	gate := make(chan struct{})
	model.when(question, modeltest.AskSlowly(gate))
	id := s.ask(t, editor, question, "thorough")
	gate <- struct{}{}
	eventually(t, "the first sentence", func() bool {
		_, answer := s.get(t, "/api/answer/"+id, viewer)
		return len(answer["sentences"].([]any)) == 1
	})
	reads := len(model.callsAbout(question))
	worker.Kill()
	close(gate)
	require.NoError(t, worker.Start(t.Context()))
	answer := s.waitForAnswer(t, viewer, id, "answered")
	texts, quotes := sentencesOf(answer)
	require.NotEmpty(t, texts)
	sorted := slices.Sorted(slices.Values(texts))
	require.Len(t, slices.Compact(sorted), len(texts), "no sentence is twice")
	s.requireSlices(t, viewer, quotes)
	require.Len(t, model.callsAbout(question), reads+1, "only the answer is composed again")
}

// Two workspaces ask at the same time. Nothing of one is in a prompt of the other.
func TestQuestionsReadTheirOwnWorkspace(t *testing.T) {
	t.Parallel()
	model := newAskModel(t)
	s := startService(t, model.settings()...)
	other := s.with()
	other.Tenant = s.DB.Tenant(t)
	type asker struct {
		*service
		token, marker string
	}
	askers := []asker{
		{s, s.signIn(t, s.Editor), "Marigold"},
		{other, other.signIn(t, other.Editor), "Cornflower"},
	}
	var ids []string
	for _, a := range askers {
		a.add(t, a.token, "talk.txt", interviewOf(0, "Ann", a.marker))
		for n := range 10 {
			question := fmt.Sprintf("What does number %d say about receipts, %s?", n, a.Workspace)
			mode := []string{"quick", "thorough"}[n%2]
			ids = append(ids, a.ask(t, a.token, question, mode))
		}
	}
	for i, id := range ids {
		a, b := askers[i/10], askers[1-i/10]
		a.waitForAnswer(t, a.token, id, "answered")
		status, _ := b.get(t, "/api/answer/"+id, b.token)
		require.Equal(t, http.StatusNotFound, status)
	}
	for i, a := range askers {
		own := false
		for _, call := range model.callsAbout(a.Workspace.String()) {
			require.NotContains(t, call.User, askers[1-i].marker)
			own = own || strings.Contains(call.User, a.marker)
		}
		require.True(t, own, "what %s says is read", a.marker)
	}
}

func TestADeletedInterviewTakesItsSentencesWithIt(t *testing.T) {
	t.Parallel()
	model := newAskModel(t)
	s := startService(t, model.settings()...)
	editor := s.signIn(t, s.Editor)
	imports := s.addInterviews(t, editor, 2)
	id := s.ask(t, editor, "What happens to lost receipts?", "quick")
	answer := s.waitForAnswer(t, editor, id, "answered")
	require.Nil(t, answer["staleSince"])
	_, quotes := sentencesOf(answer)
	from := func(imported string) int {
		of := slices.DeleteFunc(slices.Clone(quotes), func(q map[string]any) bool {
			return q["importId"] != imported
		})
		return len(of)
	}
	require.Positive(t, from(imports[0]))

	status, _ := s.request(t, http.MethodDelete, "/api/import/"+imports[0], editor, "", nil)
	require.Equal(t, http.StatusOK, status)
	_, answer = s.get(t, "/api/answer/"+id, editor)
	require.NotNil(t, answer["staleSince"])
	_, quotes = sentencesOf(answer)
	require.Zero(t, from(imports[0]))
	for _, sentence := range answer["sentences"].([]any) {
		require.NotEmpty(t, sentence.(map[string]any)["quotes"])
	}
	require.Zero(t,
		dbtest.Value[int](t, s.DB, `select count(*) from answer_quotes where import_id = $1`, imports[0]))
}

func TestWithoutAModelTheClosestPassagesAreShown(t *testing.T) {
	t.Parallel()
	s := startService(t)
	editor, viewer := s.signIn(t, s.Editor), s.signIn(t, s.Viewer)
	s.addInterviews(t, editor, 35)
	s.waitForAnswer(t, viewer, s.ask(t, editor, "Who repairs the printer?", "passages"), "answered")
	began := time.Now()
	answer := s.waitForAnswer(t, viewer, s.ask(t, editor, "Where are receipts kept?", "passages"), "answered")
	t.Logf("answered after %s", time.Since(began))
	require.Nil(t, answer["result"])
	require.Empty(t, answer["sentences"])
	require.NotEmpty(t, answer["passages"])
	require.EqualValues(t, 35, answer["importsTotal"])
	require.EqualValues(t, 0, answer["inputTokens"])
	var passages []map[string]any
	for _, passage := range answer["passages"].([]any) {
		passages = append(passages, passage.(map[string]any))
	}
	s.requireSlices(t, viewer, passages)

	answer = s.waitForAnswer(t, viewer, s.ask(t, editor, "Galaxies?", "passages"), "answered")
	require.Equal(t, "not_found", answer["result"])
	status, rejected := s.post(t, "/api/project/"+s.Project.String()+"/ask", editor,
		map[string]any{"question": "Where are receipts kept?", "mode": "quick"})
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "model_not_configured", rejected["error"])
}
