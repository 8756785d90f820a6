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
// spans that overlap. What supports and what contradicts by the same words is kept apart. It returns the evidence in the order of the transcript and the
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
	slices.SortFunc(merged, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(a.ByteStart, b.ByteStart), cmp.Compare(a.ByteEnd, b.ByteEnd),
			cmp.Compare(a.HypothesisID, b.HypothesisID), cmp.Compare(a.Stance, b.Stance))
	})
	return merged, refused
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
	a.Confidence += (1 - a.Confidence) * 0.2
	if strengthOrder[b.Strength] > strengthOrder[a.Strength] {
		a.Strength = b.Strength
	}
	return a
}

var strengthOrder = map[string]int{Weak: 1, Medium: 2, Strong: 3}

// confidence is computed from how well the quote matched, how much it says, and how strong it is said to be.
func confidence(f Finding, s Span) float64 {
	words := s.tokenEnd - s.tokenStart
	specific := min(float64(words)/12, 1) // a dozen words say something; three hardly do
	if f.Score > 0 {
		return min(maxKeywordConfidence, 0.2+0.46*f.Score)
	}
	match := 0.6 + 0.4*(s.Similarity-minSimilarity)/(1-minSimilarity)
	strength := map[string]float64{Weak: 0.75, Medium: 0.9, Strong: 1}[oneOf(f.Strength, Medium, Weak, Strong)]
	return match * (0.7 + 0.3*specific) * strength
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
