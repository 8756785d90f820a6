package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"research/api/problem"
	"research/api/token"
	"research/db"
)

const (
	// defaultWait is how long a call takes while it waits for an answer. Clients end a call after a minute.
	defaultWait = 50 * time.Second
	// waitingInterval is how often a caller hears that the answer is still written, if nothing else happens.
	waitingInterval = 10 * time.Second
)

type askIn struct {
	Project  string `json:"project,omitempty"`
	Question string `json:"question,omitempty"`
	Mode     string `json:"mode,omitempty"`
	AnswerID string `json:"answer_id,omitempty"`
	Cursor   string `json:"cursor,omitempty"`
}

var askArguments = map[string]about{
	"project":  {text: "The id of the project whose interviews are asked. Needed for a new question."},
	"question": {text: "One question, in 3 to 1000 characters. Needed for a new question."},
	"mode": {
		text: "quick (the default) reads what has most in common with the question. thorough reads every " +
			"interview, which costs more and takes minutes. passages shows the closest passages, without AI.",
		values: []any{"quick", "thorough", "passages"},
	},
	"answer_id": {text: "The answer_id of a call before: waits for that answer, and asks nothing new."},
	"cursor":    {text: "The cursor of the result before, with its answer_id, for more of a long answer."},
}

func (s *server) addAskInterviews(m *mcp.Server) {
	addDescribed(s, m, &mcp.Tool{
		Name: "ask_interviews", Title: "Ask the interviews",
		Description: "Answers a question from all interviews of a project, and costs money: ask one whole " +
			"question at a time. Every sentence of the answer has quotes that prove it, and says how many " +
			"people said so. Only a thorough answer can say that no interview answers the question; a quick one " +
			"says that nothing was found in what it read. It waits for up to 50 seconds. If status is queued or " +
			"reading, call it again with the answer_id. The same question gets the same answer for a day, unless " +
			"interviews have changed.",
		Annotations: &mcp.ToolAnnotations{
			Title: "Ask the interviews", IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false),
		},
	}, token.ScopeAsk, askArguments, askFields, s.askInterviews)
}

func (s *server) askInterviews(
	ctx context.Context, r *mcp.CallToolRequest, in askIn,
) (out askOut, err error) {
	end := s.Now().Add(s.wait) // also what it takes to ask is waited for
	id, err := s.answerOf(ctx, in)
	if err != nil {
		return out, err
	}
	at, err := readCursor(in.Cursor, "ask_interviews", id.String())
	if err != nil {
		return out, err
	}
	if err := s.await(ctx, id, end, &progress{request: r}); err != nil {
		return out, err
	}
	return s.answer(ctx, id, at)
}

// answerOf returns the answer that a call names, or that to a new question.
func (s *server) answerOf(ctx context.Context, in askIn) (uuid.UUID, error) {
	if in.AnswerID != "" {
		return parseRef(kindAnswer, in.AnswerID)
	}
	if in.Project == "" || in.Question == "" {
		return uuid.Nil, invalid("question", "project and question are required, or else the answer_id of a call "+
			"before. list_projects has the ids of projects.")
	}
	project, err := parseRef(kindProject, in.Project)
	if err != nil {
		return uuid.Nil, err
	}
	// The call is about the workspace before money is spent there: who disconnects then leaves a record.
	p, err := asCaller(ctx, s, func(q *db.Queries) (db.Project, error) { return q.GetProject(ctx, project) })
	if err != nil {
		return uuid.Nil, err
	}
	note(ctx, p.WorkspaceID, p.ID)
	return s.Asker.Ask(token.With(ctx, principal(ctx).Subject), project, in.Question, in.Mode)
}

// await waits until an answer has ended, the time is over, or the server stops: the caller reads what there
// is. Where as many wait as may be woken, it looks now and then. To stop waiting does not stop the answer.
func (s *server) await(ctx context.Context, id uuid.UUID, until time.Time, told *progress) error {
	wake, stop, err := s.Answers.WatchAnswer(ctx, principal(ctx).Subject.UserID, id)
	if err != nil {
		s.Log.InfoContext(ctx, "answer not watched", "answer_id", id, "error", err)
		wake, stop = nil, func() {}
	}
	defer stop()
	end := time.NewTimer(until.Sub(s.Now()))
	defer end.Stop()
	tick := time.NewTicker(waitingInterval)
	defer tick.Stop()
	for over := false; !over; {
		// The answer is read after the registration, so that no event is missed.
		answer, err := s.readAnswer(ctx, id)
		if err != nil || answer.FinishedAt != nil {
			return err
		}
		told.tell(ctx, answer)
		select {
		case <-wake:
		case <-tick.C:
		case <-end.C:
			over = true
		case <-s.Stopping:
			over = true
		case <-ctx.Done():
			return ctx.Err()
		}
		// The user may have ended the access meanwhile.
		if err := s.admitAgain(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readAnswer reads an answer as the caller.
func (s *server) readAnswer(ctx context.Context, id uuid.UUID) (db.Answer, error) {
	answer, err := asCaller(ctx, s, func(q *db.Queries) (db.Answer, error) {
		row, err := q.GetAnswer(ctx, id)
		return row.Answer, err
	})
	if err == nil {
		note(ctx, answer.WorkspaceID, answer.ProjectID)
	}
	return answer, err
}

// admitAgain checks the token of a call that has taken a while.
func (s *server) admitAgain(ctx context.Context) error {
	_, err := s.Authenticator.AdmitResource(visitOf(ctx).request, s.resource)
	if token.IsUnauthenticated(err) {
		return problem.Unauthorized(err)
	}
	return err
}

// progress tells a client how far an answer is, if it wants to know.
type progress struct {
	request *mcp.CallToolRequest
	last    float64
	told    bool
}

// tell notifies the client. Each figure is larger than the one before, as the protocol demands: what was done
// does not always grow.
func (p *progress) tell(ctx context.Context, a db.Answer) {
	progressToken := p.request.Params.GetProgressToken()
	if progressToken == nil {
		return
	}
	done := float64(a.ProgressDone)
	if p.told && done <= p.last {
		next := float64(int(p.last) + 1)
		done = p.last + (next-p.last)/2
	}
	p.last, p.told = done, true
	total := float64(0) // unknown
	if a.ProgressTotal > 0 {
		total = float64(a.ProgressTotal) + 1 // the answer itself
	}
	// A client that has gone hears nothing; the request then ends.
	_ = p.request.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: progressToken, Progress: done, Total: total, Message: progressOf(a),
	})
}

// progressOf says in words how far an answer is.
func progressOf(a db.Answer) string {
	if a.WaitingReason != nil && strings.HasPrefix(*a.WaitingReason, "model_") {
		return "Waiting for the model."
	}
	switch {
	case a.Status == db.AnswerStatusQueued, a.WaitingReason != nil:
		return "Waiting for a turn."
	case a.ProgressTotal == 0:
		return "Looking for passages."
	}
	return fmt.Sprintf("Reading: %d of %s done.", a.ProgressDone, count(int64(a.ProgressTotal), "step", "steps"))
}
