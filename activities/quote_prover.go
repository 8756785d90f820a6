package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"research/activities/extract"
	"research/activities/extract/ask"
	"research/activities/extract/quote"
	"research/db"
	"research/transcript"
)

const (
	// proverConcurrency is how many transcripts are searched at the same time.
	proverConcurrency = 2
	// nearestQuotes is how many places are named for words that nobody said.
	nearestQuotes = 3
)

// A QuoteProver proves single quotes against transcripts, as runs prove those of models. Unlike these, it
// rejects a quote that leaves out a negation beside it, rather than to add that: who quotes has decided
// already what the words mean. It is safe for concurrent use.
type QuoteProver struct {
	store       *db.Store
	transcripts *transcriptCache
	slots       chan struct{}
}

// NewQuoteProver returns a QuoteProver.
func NewQuoteProver(store *db.Store) *QuoteProver {
	return &QuoteProver{store, newTranscriptCache(store), make(chan struct{}, proverConcurrency)}
}

// A ClaimedQuote is words that a transcript is said to have.
type ClaimedQuote struct {
	ImportID uuid.UUID
	Quote    string
	Speakers []string // who says it, as the transcript names them; empty for any participant
	Turns    []int    // where, as far as that is known. A quote of one or two words needs it.
}

// A QuotePlace is words of a transcript.
type QuotePlace struct {
	Quote              string
	Speaker            string
	From, To           int // utterances, both inclusive
	ByteStart, ByteEnd int
	Repaired           bool // the words are those of the transcript, and those claimed differ slightly
}

// Reasons why a quote is not proven, beside those of package quote.
const (
	RejectInterviewer  = extract.RejectInterviewer
	RejectNote         = quote.RejectReason("note")          // it is a note, and nobody's words
	RejectOtherSpeaker = quote.RejectReason("other_speaker") // somebody else says it
)

// A QuoteProof is the outcome of a proof.
type QuoteProof struct {
	QuotePlace                    // set unless nobody says it
	Reason     quote.RejectReason // empty if the quote is proven
	Nearest    []QuotePlace       // what participants say that is nearest, if it is not
}

// Prove looks for a quote. It reads the transcript with the rights of the service: the caller has checked
// that whoever asks may see the import.
//
// Errors: db.ErrNotFound if there is no such import, and those of db.Store and ctx.
func (p *QuoteProver) Prove(ctx context.Context, claimed ClaimedQuote) (QuoteProof, error) {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return QuoteProof{}, ctx.Err()
	}
	row, err := db.AsService(ctx, p.store, func(q *db.Queries) (db.GetProvableRow, error) {
		return q.GetProvable(ctx, claimed.ImportID)
	})
	if err != nil {
		return QuoteProof{}, fmt.Errorf("prove a quote of import %s: %w", claimed.ImportID, err)
	}
	text, err := p.transcripts.load(ctx, versionRef(claimed.ImportID, row.Version))
	if err != nil {
		return QuoteProof{}, err
	}
	c := quoteClaim{
		ClaimedQuote: claimed, text: text.Transcript, interviewers: row.Interviewers,
		silent: ask.Silent(text.Transcript, row.Interviewers), aligner: quote.NewAligner(text.Transcript),
	}
	return c.prove(), nil
}

// A quoteClaim is a claim about a transcript that is loaded.
type quoteClaim struct {
	ClaimedQuote
	text         *transcript.Transcript
	interviewers []string
	silent       []string // whose words prove nothing
	aligner      *quote.Aligner
}

func (c *quoteClaim) prove() QuoteProof {
	span, reason := c.align(c.Turns)
	if reason == "" {
		if reason = c.speakerReason(span); reason != "" && len(c.Turns) == 0 {
			// Others may say the same, such as who repeats a question.
			again, other := c.align(c.turnsOfSpeakers())
			if other == "" && c.speakerReason(again) == "" {
				span, reason = again, ""
			}
		}
	}
	proof := QuoteProof{Reason: reason}
	if span.ByteEnd > 0 {
		proof.QuotePlace = c.placeOf(span)
	}
	if reason != "" {
		for _, q := range ask.Nearest(c.text, c.silent, c.Quote, nearestQuotes) {
			proof.Nearest = append(proof.Nearest, QuotePlace{
				Quote: q.Text, Speaker: q.Speaker, From: q.From, To: q.To - 1,
				ByteStart: q.ByteStart, ByteEnd: q.ByteEnd,
			})
		}
	}
	return proof
}

func (c *quoteClaim) align(cited []int) (quote.Span, quote.RejectReason) {
	span, reason := c.aligner.Align(c.Quote, cited, 0, len(c.text.Utterances))
	if reason == "" && span.Negated {
		reason = quote.RejectMeaningDiffers
	}
	return span, reason
}

// speakerReason says why what somebody says is no evidence.
func (c *quoteClaim) speakerReason(span quote.Span) quote.RejectReason {
	said := c.text.Utterances[span.UtteranceFrom : span.UtteranceTo+1]
	switch {
	case extract.IsSaidBy(c.text, span, c.interviewers):
		return RejectInterviewer
	case extract.IsSaidBy(c.text, span, c.silent):
		return RejectNote
	case !slices.ContainsFunc(said, c.isWanted):
		return RejectOtherSpeaker
	}
	return ""
}

// isWanted reports whether a turn is by somebody whose words prove something, and who is said to say them.
func (c *quoteClaim) isWanted(u transcript.Utterance) bool {
	return !slices.Contains(c.silent, u.Speaker) &&
		(len(c.Speakers) == 0 || slices.Contains(c.Speakers, u.Speaker))
}

func (c *quoteClaim) turnsOfSpeakers() []int {
	var turns []int
	for i, u := range c.text.Utterances {
		if c.isWanted(u) {
			turns = append(turns, i)
		}
	}
	return turns
}

// placeOf returns the place of a span. Its speaker is the first who is not an interviewer, as the database
// has it.
func (c *quoteClaim) placeOf(span quote.Span) QuotePlace {
	said := c.text.Utterances[span.UtteranceFrom : span.UtteranceTo+1]
	speaker := said[0].Speaker
	for _, u := range said {
		if !slices.Contains(c.interviewers, u.Speaker) {
			speaker = u.Speaker
			break
		}
	}
	return QuotePlace{
		Quote: c.text.Text[span.ByteStart:span.ByteEnd], Speaker: speaker,
		From: span.UtteranceFrom, To: span.UtteranceTo,
		ByteStart: span.ByteStart, ByteEnd: span.ByteEnd, Repaired: span.Match == quote.MatchRepaired,
	}
}
