package cli

import (
	"context"

	"github.com/google/uuid"

	"research/activities"
	"research/api/mcp"
	"research/db"
)

// proofs proves quotes that assistants bring, as the worker proves those of the model.
type proofs struct{ prover *activities.QuoteProver }

func newProofs(store *db.Store) proofs { return proofs{activities.NewQuoteProver(store)} }

func (p proofs) ProveQuote(ctx context.Context, importID uuid.UUID, claimed mcp.Claim) (mcp.Proof, error) {
	proof, err := p.prover.Prove(ctx, activities.ClaimedQuote{
		ImportID: importID, Quote: claimed.Quote, Speakers: claimed.Speakers, Turns: claimed.Turns,
	})
	if err != nil {
		return mcp.Proof{}, err
	}
	result := mcp.Proof{Place: placeOf(proof.QuotePlace), Rejected: string(proof.Reason)}
	for _, near := range proof.Nearest {
		result.Nearest = append(result.Nearest, placeOf(near))
	}
	return result, nil
}

func placeOf(p activities.QuotePlace) mcp.Place {
	return mcp.Place{
		Quote: p.Quote, Speaker: p.Speaker, From: p.From, To: p.To, ByteStart: p.ByteStart, ByteEnd: p.ByteEnd,
		Repaired: p.Repaired,
	}
}
