package dev

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

// A demoJudgement is what the demo user says about a quote. The judgements are ours, not those of a model, so
// that the first view shows evidence for, against and neither whichever extractor there is.
type demoJudgement struct{ hypothesis, stance, strength, quote, summary string }

const (
	demoReceipts = "00000000-0000-4000-8000-000000000041"
	demoMailbox  = "00000000-0000-4000-8000-000000000042"
	demoSeats    = "00000000-0000-4000-8000-000000000043"
)

var mayaJudgements = []demoJudgement{
	{
		demoReceipts, "supports", "strong", "Chasing receipts, honestly.",
		"Asked what fills the five days of the close, she names receipts first.",
	},
	{
		demoReceipts, "supports", "medium", "Approvals are not what slows us down. Missing receipts are.",
		"She compares two steps, and says which one is slow.",
	},
	{
		demoMailbox, "contradicts", "strong", "two people from engineering refused to connect their mailbox.",
		"It happened, in a trial. The reason was distrust of the vendor.",
	},
	{
		demoSeats, "contradicts", "strong",
		"Nobody here will pay per seat for people who file two receipts a year.",
		"She rejects a price per seat, and would sign a flat price herself.",
	},
}

var jonasJudgements = []demoJudgement{
	{
		demoReceipts, "neutral", "weak",
		"My commission comes after the close. When finance is late, I get my money late.",
		"A late close hurts him, but he does not say what delays it.",
	},
	{
		demoMailbox, "supports", "medium",
		"If it had looked into my mailbox by itself, I would have been fine with it.",
		"He says what he would accept. He has not done it yet.",
	},
	{
		demoSeats, "neutral", "weak", "Me? No. Never. That is the company's job.",
		"He speaks of his own money, not of what the company would pay.",
	},
}

// judge accepts the quotes with these words among what was found in an interview, with the stance of the
// judgement. It adds those that were not found by hand.
func (c demoClient) judge(ctx context.Context, importID string, judgements []demoJudgement) error {
	var found []struct {
		ID    string `json:"id"`
		Quote string `json:"quote"`
		Links []struct {
			HypothesisID string `json:"hypothesis_id"`
		} `json:"evidence_hypotheses"`
	}
	const columns = "id,quote,evidence_hypotheses(hypothesis_id)"
	err := c.get(ctx, "/rest/v1/evidence?import_id=eq."+importID+"&select="+url.QueryEscape(columns), &found)
	if err != nil {
		return err
	}
	for _, j := range judgements {
		id := ""
		for _, e := range found {
			if len(e.Links) == 1 && e.Links[0].HypothesisID == j.hypothesis && strings.Contains(e.Quote, j.quote) {
				id = e.ID
			}
		}
		if id == "" {
			err = c.add(ctx, importID, j)
		} else {
			err = c.accept(ctx, id, j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decide gives one hypothesis a verdict, so that the first view shows one. Its reason says that it is an
// example.
func (c demoClient) decide(ctx context.Context) error {
	return c.patch(ctx, "/rest/v1/hypotheses?id=eq."+demoSeats, map[string]string{
		"status": "invalidated",
		"decision_reason": "An example of a verdict. The one buyer whom we asked wants a flat price, as we " +
			"wrote down under “Wrong if”. In a study of your own, ask more than one.",
	})
}

// accept judges a quote that was found.
func (c demoClient) accept(ctx context.Context, id string, j demoJudgement) error {
	link := "/rest/v1/evidence_hypotheses?evidence_id=eq." + id + "&hypothesis_id=eq." + j.hypothesis
	if err := c.patch(ctx, link, map[string]string{"stance": j.stance, "strength": j.strength}); err != nil {
		return err
	}
	values := map[string]string{"review": "accepted", "summary": j.summary}
	return c.patch(ctx, "/rest/v1/evidence?id=eq."+id, values)
}

// add adds a quote by hand. The database finds its place in the transcript.
func (c demoClient) add(ctx context.Context, importID string, j demoJudgement) error {
	id := uuid.NewString()
	evidence := map[string]string{
		"id": id, "project_id": demoProject.String(), "import_id": importID, "quote": j.quote,
		"summary": j.summary, "review": "accepted",
	}
	if err := c.post(ctx, "/rest/v1/evidence", evidence, nil); err != nil {
		return err
	}
	return c.post(ctx, "/rest/v1/evidence_hypotheses", map[string]string{
		"evidence_id": id, "hypothesis_id": j.hypothesis, "project_id": demoProject.String(),
		"stance": j.stance, "strength": j.strength,
	}, nil)
}

// demoPatience is how long the judgements wait for the parse. A model on this machine may take longer: what
// it finds later is left for the user to review.
const demoPatience = 2 * time.Minute

// waitForParse waits until a parse has ended, well or not, or until demoPatience is over.
func (c demoClient) waitForParse(ctx context.Context, importID string) error {
	patience := time.After(demoPatience)
	for {
		var now struct {
			Status string `json:"status"`
		}
		if err := c.get(ctx, "/api/import/"+importID, &now); err != nil {
			return err
		}
		if now.Status != "queued" && now.Status != "parsing" {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patience:
			return nil
		case <-time.After(250 * time.Millisecond):
		}
	}
}
