package extract

import (
	"cmp"
	"slices"
	"strings"

	"research/transcript"
)

// Evidence is a finding whose quote was proven.
type Evidence struct {
	Span
	Quote        string // Text[ByteStart:ByteEnd]
	HypothesisID string
	Stance       string
	Strength     string
	Summary      string
	Rationale    string
	Confidence   float64 // 0 to 1, computed; never what a model says of itself
	Contested    bool    // the same words were found to speak for the hypothesis and against it
}

// What two findings must share to be one: their tokens' intersection over union, or the part of the shorter that lies within the longer.
const (
	sameIoU         = 0.5
	sameContainment = 0.8
)

// maxKeywordConfidence keeps a keyword match below what a model's finding can reach.
const maxKeywordConfidence = 0.66

// A Reading is what one chunk's question was answered with.
type Reading struct {
	Chunk  Chunk
	Answer Answer
}

// Merge proves every finding and makes one piece of evidence of those that say the same about the same words: the same hypothesis and stance, and
// spans that overlap. What supports and what contradicts by the same words is kept apart, and marked. It returns the evidence in the order of the transcript and the
// number of findings that were refused, by reason. The order of the readings does not matter.
func Merge(t *transcript.Transcript, readings []Reading, hypotheses []Hypothesis) ([]Evidence, map[Refusal]int) {
	known := map[string]bool{}
	for _, h := range hypotheses {
		known[h.ID] = true
	}
	aligner := NewAligner(t)
	refused := map[Refusal]int{}
	var proven []Evidence
	for _, r := range readings {
		for _, f := range r.Answer.Findings {
			if !known[f.HypothesisID] {
				refused[UnknownHypothesis]++
				continue
			}
			span, refusal := aligner.Align(f.Quote, f.Utterances, r.Chunk)
			if refusal != "" {
				refused[refusal]++
				continue
			}
			proven = append(proven, Evidence{
				Span: span, Quote: t.Text[span.ByteStart:span.ByteEnd], HypothesisID: f.HypothesisID,
				Stance: oneOf(f.Stance, Neutral, Supports, Contradicts), Strength: oneOf(f.Strength, Medium, Weak, Strong),
				Summary: clean(f.Summary), Rationale: clean(f.Rationale), Confidence: confidence(f, span),
			})
		}
	}
	slices.SortFunc(proven, func(a, b Evidence) int {
		return cmp.Or(
			cmp.Compare(a.HypothesisID, b.HypothesisID), cmp.Compare(a.Stance, b.Stance),
			cmp.Compare(a.ByteStart, b.ByteStart), cmp.Compare(b.ByteEnd, a.ByteEnd),
			cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Strength, b.Strength),
			cmp.Compare(a.Rationale, b.Rationale), cmp.Compare(a.Summary, b.Summary))
	})
	var merged []Evidence
	for _, e := range proven {
		joined := false
		for i := len(merged) - 1; i >= 0 && merged[i].HypothesisID == e.HypothesisID && merged[i].Stance == e.Stance; i-- {
			if SameSpan(merged[i].ByteStart, merged[i].ByteEnd, e.ByteStart, e.ByteEnd) {
				merged[i] = join(merged[i], e)
				joined = true
				break
			}
		}
		if !joined {
			merged = append(merged, e)
		}
	}
	markContested(merged)
	slices.SortFunc(merged, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(a.ByteStart, b.ByteStart), cmp.Compare(a.ByteEnd, b.ByteEnd),
			cmp.Compare(a.HypothesisID, b.HypothesisID), cmp.Compare(a.Stance, b.Stance))
	})
	return merged, refused
}

// contestedShare is what is left of the confidence in words that speak for and against.
const contestedShare = 0.6

// markContested marks what supports and contradicts the same hypothesis by the same words, for a person to judge. The evidence is ordered by hypothesis.
func markContested(evidence []Evidence) {
	for i := range evidence {
		a := &evidence[i]
		for j := i + 1; j < len(evidence) && evidence[j].HypothesisID == a.HypothesisID; j++ {
			b := &evidence[j]
			if a.Stance != b.Stance && a.Stance != Neutral && b.Stance != Neutral && SameSpan(a.ByteStart, a.ByteEnd, b.ByteStart, b.ByteEnd) {
				a.contest()
				b.contest()
			}
		}
	}
}

func (e *Evidence) contest() {
	if e.Contested {
		return
	}
	e.Contested = true
	e.Confidence *= contestedShare
	also := "The same words were also read as support."
	if e.Stance == Supports {
		also = "The same words were also read as contradiction."
	}
	e.Rationale = strings.TrimSpace(e.Rationale + " " + also)
}

// SameSpan tells whether two spans of bytes are about the same words.
func SameSpan(aStart, aEnd, bStart, bEnd int) bool {
	shared := min(aEnd, bEnd) - max(aStart, bStart)
	if shared <= 0 {
		return false
	}
	union := max(aEnd, bEnd) - min(aStart, bStart)
	shorter := min(aEnd-aStart, bEnd-bStart)
	return float64(shared) >= sameIoU*float64(union) || float64(shared) >= sameContainment*float64(shorter)
}

// join keeps the better proven of two, the longer where they are equal; that two found the same makes both more certain.
func join(a, b Evidence) Evidence {
	if b.Similarity > a.Similarity || b.Similarity == a.Similarity && b.ByteEnd-b.ByteStart > a.ByteEnd-a.ByteStart {
		a, b = b, a
	}
	a.Confidence = max(a.Confidence, b.Confidence)
	a.Confidence += (1 - a.Confidence) * agreementGain
	if strengthOrder[b.Strength] > strengthOrder[a.Strength] {
		a.Strength = b.Strength
	}
	return a
}

var strengthOrder = map[string]int{Weak: 1, Medium: 2, Strong: 3}

// What confidence is made of. The figures order evidence for a reviewer; they are no probabilities.
const (
	foundOnce     = 0.85 // of a model's verbatim quote of a dozen words
	agreementGain = 1.0 / 3
	specificWords = 12 // so many say something; three hardly do
	leastMatch    = 0.6
	leastSpecific = 0.7
)

// confidence is computed from how well the quote matched and how much it says; of a keyword match, from how much it shares.
func confidence(f Finding, s Span) float64 {
	if f.Score > 0 {
		return min(maxKeywordConfidence, 0.2+0.46*f.Score)
	}
	match := leastMatch + (1-leastMatch)*(s.Similarity-minSimilarity)/(1-minSimilarity)
	specific := min(float64(s.tokenEnd-s.tokenStart)/specificWords, 1)
	return foundOnce * match * (leastSpecific + (1-leastSpecific)*specific)
}

func oneOf(s, fallback string, others ...string) string {
	if slices.Contains(others, s) {
		return s
	}
	return fallback
}

// maxSentence bounds what a model may write beside its quotes.
const maxSentence = 2000

// clean makes one line of a model's words.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "")), " ")
	if len(s) > maxSentence {
		s = strings.ToValidUTF8(s[:maxSentence], "")
	}
	return s
}

// maxSuggested is how many questions are suggested for one hypothesis from one transcript.
const maxSuggested = 3

// Suggest chooses among the questions that the answers suggest: a few for each hypothesis, none twice in about the same words. Those of the first
// chunks do not crowd out the others: each chunk has its first question before any has its second.
func Suggest(readings []Reading) []FollowUp {
	readings = slices.Clone(readings)
	slices.SortStableFunc(readings, func(a, b Reading) int { return cmp.Compare(a.Chunk.ByteStart, b.Chunk.ByteStart) })
	var chosen []FollowUp
	asked := map[string]bool{}
	suggested := map[string]int{}
	for nth := range maxFollowUps {
		for _, r := range readings {
			if nth >= len(r.Answer.Questions) {
				continue
			}
			f := r.Answer.Questions[nth]
			words := f.HypothesisID
			for _, tok := range tokenize(f.Text) {
				words += " " + tok.norm
			}
			if asked[words] || suggested[f.HypothesisID] == maxSuggested {
				continue
			}
			asked[words] = true
			suggested[f.HypothesisID]++
			chosen = append(chosen, f)
		}
	}
	return chosen
}
