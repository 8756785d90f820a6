package dev

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/bcrypt"

	"research/config"
)

//go:embed demo/interview-maya.vtt
var mayaVTT []byte

//go:embed demo/interview-jonas.txt
var jonasText []byte

// The demo data's ids are fixed, so that it is added once, however often the stack starts.
var (
	demoUser      = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	demoColleague = uuid.MustParse("00000000-0000-4000-8000-000000000002")
	demoWorkspace = uuid.MustParse("00000000-0000-4000-8000-000000000010")
	demoProject   = uuid.MustParse("00000000-0000-4000-8000-000000000020")
	demoPersona   = uuid.MustParse("00000000-0000-4000-8000-000000000030")
)

// demoHypotheses are what the demo interviews are about.
var demoHypotheses = []struct{ id, statement, category, importance, falsifiedIf string }{
	{
		id:        demoReceipts,
		statement: "Chasing missing receipts is the biggest time sink of the month-end close.",
		category:  "problem", importance: "high", falsifiedIf: "Finance leads name another step first.",
	},
	{
		id:        demoMailbox,
		statement: "Employees will connect their mailbox so that receipts are collected automatically.",
		category:  "customer", importance: "high", falsifiedIf: "More than a third refuse.",
	},
	{
		id:        demoSeats,
		statement: "Companies of 20 to 100 people will pay per seat and month.",
		category:  "pricing", importance: "medium", falsifiedIf: "Buyers ask for a flat price.",
	},
}

// addDemo adds a workspace with two members, a project, a persona, hypotheses and two interviews, judges
// quotes of one of them and parses the other, through the API like every client. It changes nothing where the
// demo user exists. judge completes it: it waits for the parse.
func addDemo(ctx context.Context, cfg config.Config) (judge func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	added, err := addDemoRows(ctx, cfg.Database.URL)
	if err != nil || !added {
		return nothing, err
	}
	c := demoClient{base: apiURL(cfg), key: cfg.Keys.Anon}
	var signedIn struct {
		AccessToken string `json:"access_token"`
	}
	credentials := map[string]string{"email": DemoEmail, "password": DemoPassword}
	if err := c.post(ctx, "/auth/v1/token?grant_type=password", credentials, &signedIn); err != nil {
		return nil, err
	}
	c.token = signedIn.AccessToken
	maya, err := c.upload(ctx, "interview-maya.vtt", "Maya, head of finance", demoPersona.String(), mayaVTT)
	if err != nil {
		return nil, err
	}
	jonas, err := c.upload(ctx, "interview-jonas.txt", "Jonas, sales lead", "", jonasText)
	if err != nil {
		return nil, err
	}
	if err := c.judge(ctx, jonas, jonasJudgements); err != nil {
		return nil, err
	}
	var ids []string
	for _, h := range demoHypotheses {
		ids = append(ids, h.id)
	}
	chosen := map[string][]string{"hypothesisIds": ids}
	if err := c.post(ctx, "/api/import/"+maya+"/parse", chosen, nil); err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if err := c.waitForParse(ctx, maya); err != nil {
			return err
		}
		if err := c.judge(ctx, maya, mayaJudgements); err != nil {
			return err
		}
		return c.decide(ctx)
	}, nil
}

// addDemoRows writes the users, which have no endpoint that a client may use, and what belongs to them. It
// reports whether they were missing.
func addDemoRows(ctx context.Context, url string) (added bool, err error) {
	hash, err := bcrypt.GenerateFromPassword([]byte(DemoPassword), bcrypt.DefaultCost)
	if err != nil {
		return false, err
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return false, errors.New("the database cannot be reached")
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		// Row-level security is forced on an owner that is not a superuser, so act as the service.
		if _, err := tx.Exec(ctx, "set local role service_role"); err != nil {
			return err
		}
		addUser := `insert into auth.users (id, email, encrypted_password, email_confirmed_at, raw_user_meta_data)
			values ($1, $2, $3, now(), jsonb_build_object('display_name', $4::text)) on conflict do nothing`
		tag, err := tx.Exec(ctx, addUser, demoUser, DemoEmail, string(hash), "Demo")
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		added = true
		var batch pgx.Batch
		batch.Queue(addUser, demoColleague, "colleague@example.com", string(hash), "Colleague")
		batch.Queue(`insert into workspaces (id, name, slug, created_by) values ($1, 'Demo workspace', 'demo', $2)`,
			demoWorkspace, demoUser)
		batch.Queue(`insert into workspace_members (workspace_id, user_id, role) values ($1, $2, 'editor')`,
			demoWorkspace, demoColleague)
		batch.Queue(`insert into projects (id, workspace_id, name, description) values ($1, $2,
			'Receipts without the chase', 'Do finance teams of small companies need help with receipts? '
			'In this demo, a person judged some quotes. The others wait for your review.')`,
			demoProject, demoWorkspace)
		batch.Queue(`insert into personas (id, project_id, name, segment, goals, pains) values ($1, $2,
			'Head of finance', 'Companies of 20 to 100 people', '{"Close the month in two days"}',
			'{"Missing receipts"}')`, demoPersona, demoProject)
		for _, h := range demoHypotheses {
			batch.Queue(`insert into hypotheses
				(id, project_id, persona_id, statement, category, importance, falsified_if, status)
				values ($1, $2, $3, $4, $5::hypothesis_category, $6::hypothesis_importance, $7, 'testing')`,
				h.id, demoProject, demoPersona, h.statement, h.category, h.importance, h.falsifiedIf)
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
	return added, err
}

// waitForAPI waits until the API is ready.
func waitForAPI(ctx context.Context, cfg config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, apiURL(cfg)+"/readyz", nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API is not ready after %s", readyTimeout)
		case <-time.After(25 * time.Millisecond):
		}
	}
}
