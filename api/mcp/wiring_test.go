package mcp_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities"
	"research/api/answers"
	"research/api/events"
	"research/api/mcp"
	"research/api/projects"
	"research/db/dbtest"
	"research/outcome"
	"research/temporalclient"
)

// wire adds what other packages do for tools that ask and write, with runs that only are recorded.
func (e *edge) wire(t testing.TB, d *mcp.Deps) {
	t.Helper()
	e.runner = &fakeRunner{}
	log := slog.New(slog.DiscardHandler)
	asked, err := answers.New(answers.Deps{
		Config: answers.Config{UsesModel: true, Timeout: time.Minute, Limit: 100},
		Store:  e.Store, Runner: e.runner, Estimator: noEstimates{},
		Authenticator: e.tokens.Authenticator, Log: log,
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	streams, err := events.New(ctx, events.Deps{
		Config: events.Config{Streams: 100, UserStreams: 4},
		Store:  e.Store, Authenticator: e.tokens.Authenticator, Log: log,
	})
	require.NoError(t, err)
	d.Asker, d.Answers, d.Guide = asked.Asker, streams, projects.Guide
	d.Prover = prover{activities.NewQuoteProver(e.Store)}
}

// A fakeRunner records the runs that are started.
type fakeRunner struct {
	mu      sync.Mutex
	started []temporalclient.AnswerRequest
}

func (f *fakeRunner) Available(context.Context) error { return nil }

func (f *fakeRunner) StartAnswer(
	_ context.Context, r temporalclient.AnswerRequest,
) (temporalclient.Run, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, r)
	return temporalclient.Run{}, nil
}

func (f *fakeRunner) CancelAnswer(context.Context, uuid.UUID, string) error {
	return temporalclient.ErrNotRunning
}

// runs returns how many runs were started.
func (f *fakeRunner) runs() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.started)
}

type noEstimates struct{}

func (noEstimates) EstimateAnswer(
	context.Context, uuid.UUID, outcome.AnswerMode,
) (answers.Estimate, error) {
	return answers.Estimate{}, nil
}

// prover proves quotes as serve does.
type prover struct{ *activities.QuoteProver }

func (p prover) ProveQuote(ctx context.Context, id uuid.UUID, c mcp.Claim) (mcp.Proof, error) {
	proof, err := p.Prove(ctx, activities.ClaimedQuote{
		ImportID: id, Quote: c.Quote, Speakers: c.Speakers, Turns: c.Turns,
	})
	result := mcp.Proof{Place: placeOf(proof.QuotePlace), Rejected: string(proof.Reason)}
	for _, near := range proof.Nearest {
		result.Nearest = append(result.Nearest, placeOf(near))
	}
	return result, err
}

func placeOf(p activities.QuotePlace) mcp.Place {
	return mcp.Place{
		Quote: p.Quote, Speaker: p.Speaker, From: p.From, To: p.To, ByteStart: p.ByteStart, ByteEnd: p.ByteEnd,
		Repaired: p.Repaired,
	}
}

// transcript adds an interview of lines such as "Name: text" to a project. Ann interviews.
func (e *edge) transcript(t testing.TB, n dbtest.Tenant, language string, lines ...string) uuid.UUID {
	t.Helper()
	id := dbtest.Value[uuid.UUID](t, e.DB, `
		insert into imports (project_id, title, format, size_bytes, sha256, language)
		values ($1, 'An interview', 'text', 1, '00', $2) returning id`, n.Project, language)
	var speakers, texts []string
	var starts, ends []int
	at := 0
	for _, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		speakers, texts = append(speakers, speaker), append(texts, text)
		starts, ends = append(starts, at), append(ends, at+len(text))
		at += len(text) + 1
	}
	e.Exec(t, `insert into private.transcripts (import_id, body) values ($1, convert_to($2, 'UTF8'))`,
		id, strings.Join(texts, "\n"))
	e.Exec(t, `
		insert into utterances (import_id, ordinal, workspace_id, project_id, speaker, text, byte_start, byte_end)
		select $1, u.ordinal - 1, $2, $3, u.speaker, u.text, u.byte_start, u.byte_end
		from unnest($4::text[], $5::text[], $6::integer[], $7::integer[])
			with ordinality u (speaker, text, byte_start, byte_end, ordinal)`,
		id, n.Workspace, n.Project, speakers, texts, starts, ends)
	e.Exec(t, `
		insert into import_speakers (import_id, speaker, project_id, display_name, role)
		select distinct import_id, speaker, project_id, speaker || ' Doe',
			case speaker when 'Ann' then 'interviewer' else 'participant' end::speaker_role
		from utterances where import_id = $1 and speaker <> ''`, id)
	return id
}
