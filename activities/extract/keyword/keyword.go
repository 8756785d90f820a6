package keyword

import (
	"context"
	"fmt"
	"slices"

	"research/activities/extract"
	"research/internal/words"
	"research/outcome"
	"research/transcript"
)

// An Extractor finds passages that share words with a hypothesis. It is not AI and says so:
// it ranks utterances by BM25 over stems, smoothed over neighbouring utterances. docs/extraction.md has its
// figures.
type Extractor struct{ retrieval Retrieval }

// New returns a keyword extractor.
func New(r Retrieval) *Extractor { return &Extractor{retrieval: r} }

// Name returns "keyword".
func (*Extractor) Name() string { return "keyword" }

// Model returns "": there is no model.
func (*Extractor) Model() string { return "" }

// PromptVersion returns the version of the method.
func (k *Extractor) PromptVersion() string {
	if k.retrieval == Broad {
		return "keyword-6-broad"
	}
	return "keyword-6"
}

// Plan returns one chunk: the rarity of a word depends on the whole transcript.
func (*Extractor) Plan(t *transcript.Transcript, _ []extract.Hypothesis) []extract.Chunk {
	return []extract.Chunk{extract.Whole(t)}
}

// Estimate returns 0.
func (*Extractor) Estimate(extract.Request) int64 { return 0 }

// Expect returns the zero value.
func (*Extractor) Expect(extract.Request) extract.Usage { return extract.Usage{} }

// Extract ranks the utterances for each hypothesis. Its only error is the context's.
func (k *Extractor) Extract(ctx context.Context, r extract.Request) (extract.Response, error) {
	index := newUtteranceIndex(r.Transcript)
	response := extract.Response{Findings: []extract.Finding{}}
	for _, h := range r.Hypotheses {
		if err := ctx.Err(); err != nil {
			return extract.Response{}, err
		}
		response.Findings = append(response.Findings, findKeywords(r, index, h, k.retrieval.method())...)
	}
	return response, nil
}

// What is worth showing as a match.
const (
	maxPerHypothesis = 10
	minShareOfBest   = 0.45
	maxQuoteWords    = 60
	minWords         = 1.3 // of the statement, in parts: one word alone says little
	minAnswerWords   = 4   // "Yes, every month." is not clear on its own
)

func findKeywords(
	r extract.Request, index *utteranceIndex, h extract.Hypothesis, m method,
) []extract.Finding {
	t, interviewers := r.Transcript, r.Interviewers
	query := index.query(h.Statement)
	if len(query.terms) == 0 {
		return nil
	}
	ranked := index.rank(query, m)
	reader := newStanceReader(index, t.Language, h.Statement)
	var findings []extract.Finding
	quoted := map[int]bool{}
	for _, r := range ranked {
		if len(findings) == maxPerHypothesis || r.score < minShareOfBest*ranked[0].score {
			break
		}
		if r.own == 0 || r.matched < min(minWords, float64(len(query.terms))) {
			continue
		}
		at, relation := r.utterance, "shares"
		quote := index.bestPassage(t.Utterances[at].Text, query)
		// An interviewer's question is not evidence, but the answer may be.
		if isQuestion(quote) || slices.Contains(interviewers, t.Utterances[at].Speaker) {
			at, quote = answerTo(t, at)
			relation = "answers a question that shares"
		}
		if at < 0 || quoted[at] || slices.Contains(interviewers, t.Utterances[at].Speaker) {
			continue
		}
		quoted[at] = true
		share := r.matched / float64(len(query.terms))
		stance := outcome.StanceNeutral
		if at == r.utterance && !query.isForeign {
			stance = reader.stance(quote)
		}
		findings = append(findings, extract.Finding{
			HypothesisID: h.ID,
			Stance:       stance,
			Strength:     outcome.StrengthWeak,
			Quote:        quote,
			Utterances:   []int{at},
			Rationale:    rationale(relation, r, query),
			Score:        min(1, share*r.score/ranked[0].score),
		})
	}
	return findings
}

// rationale says which words were found. Related words are not in the hypothesis, so that it says so.
func rationale(relation string, r rankedUtterance, q query) string {
	text := fmt.Sprintf("Keyword match, no AI: %s %d of the %d words that matter with the hypothesis",
		relation, r.shared, len(q.terms))
	if q.isForeign {
		text += ", in translation"
	}
	if r.related > 0 {
		text += fmt.Sprintf(", and has words related to %d more", r.related)
	}
	return text + "."
}

// answerTo returns what somebody else says next, from its beginning, or -1 if nobody answers.
func answerTo(t *transcript.Transcript, question int) (int, string) {
	next := question + 1
	if next == len(t.Utterances) {
		return -1, ""
	}
	speaker := t.Utterances[question].Speaker
	if speaker != "" && t.Utterances[next].Speaker == speaker {
		return -1, ""
	}
	answer := passageFrom(splitSentences(t.Utterances[next].Text), 0)
	if isQuestion(answer) || words.Count(answer) < minAnswerWords {
		return -1, ""
	}
	return next, answer
}
