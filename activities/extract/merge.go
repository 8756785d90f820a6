package extract

import (
	"cmp"
	"slices"
	"strings"

	"research/activities/extract/quote"
	"research/outcome"
	"research/transcript"
)

// A ChunkResult is the response to the request about one chunk.
type ChunkResult struct {
	Chunk    Chunk
	Response Response
}

// Evidence is a finding whose quote was verified.
type Evidence struct {
	quote.Span
	Quote        string // Text[ByteStart:ByteEnd] of the transcript
	HypothesisID string
	Stance       outcome.Stance
	Strength     outcome.Strength
	Summary      string
	Rationale    string
	Confidence   float64 // 0 to 1; computed, since a model's own figure is not reliable
	Contested    bool    // the same words were read as support and as contradiction
}

// The reasons of Merge, beside those of package quote.
const (
	RejectUnknownHypothesis quote.RejectReason = "unknown_hypothesis" // the request has no such hypothesis
	RejectInterviewer       quote.RejectReason = "interviewer"        // only interviewers say that
)

// Rejected counts the findings that did not become evidence, by reason.
type Rejected map[quote.RejectReason]int

// Total returns the number of rejected findings.
func (r Rejected) Total() int {
	total := 0
	for _, n := range r {
		total += n
	}
	return total
}

// A Discarded is a finding that did not become evidence.
type Discarded struct {
	Finding

	Reason quote.RejectReason
	Chunk  Chunk // whose response has it
}

// Count counts the findings that did not become evidence.
func Count(discarded []Discarded) Rejected {
	rejected := Rejected{}
	for _, d := range discarded {
		rejected[d.Reason]++
	}
	return rejected
}

// Merge verifies all findings, and combines those with the same hypothesis and stance whose spans overlap.
// Support and contradiction by the same words stay separate and are marked as contested. The evidence is in
// the order of the transcript; the order of the results does not matter. Words of interviewers alone are
// discarded.
func Merge(
	t *transcript.Transcript, results []ChunkResult, hypotheses []Hypothesis, interviewers []string,
) ([]Evidence, []Discarded) {
	verified, discarded := verify(t, results, hypotheses, interviewers)
	slices.SortFunc(verified, func(a, b Evidence) int {
		return cmp.Or(
			cmp.Compare(a.HypothesisID, b.HypothesisID), cmp.Compare(a.Stance, b.Stance),
			cmp.Compare(a.ByteStart, b.ByteStart), cmp.Compare(b.ByteEnd, a.ByteEnd),
			cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Strength, b.Strength),
			cmp.Compare(a.Rationale, b.Rationale), cmp.Compare(a.Summary, b.Summary))
	})
	var merged []Evidence
	for _, e := range verified {
		if i := sameEvidence(merged, e); i >= 0 {
			merged[i] = combine(merged[i], e)
		} else {
			merged = append(merged, e)
		}
	}
	markContested(merged)
	slices.SortFunc(merged, func(a, b Evidence) int {
		return cmp.Or(cmp.Compare(a.ByteStart, b.ByteStart), cmp.Compare(a.ByteEnd, b.ByteEnd),
			cmp.Compare(a.HypothesisID, b.HypothesisID), cmp.Compare(a.Stance, b.Stance))
	})
	return merged, discarded
}

// verify locates the quote of each finding in the transcript.
func verify(
	t *transcript.Transcript, results []ChunkResult, hypotheses []Hypothesis, interviewers []string,
) ([]Evidence, []Discarded) {
	known := map[string]bool{}
	for _, h := range hypotheses {
		known[h.ID] = true
	}
	aligner := quote.NewAligner(t)
	var verified []Evidence
	var discarded []Discarded
	for _, r := range results {
		for _, f := range r.Response.Findings {
			if !known[f.HypothesisID] {
				discarded = append(discarded, Discarded{f, RejectUnknownHypothesis, r.Chunk})
				continue
			}
			span, reason := aligner.Align(f.Quote, f.Utterances, r.Chunk.From, r.Chunk.To)
			if reason == "" && IsSaidBy(t, span, interviewers) {
				reason = RejectInterviewer
			}
			if reason != "" {
				discarded = append(discarded, Discarded{f, reason, r.Chunk})
				continue
			}
			verified = append(verified, Evidence{
				Span:         span,
				Quote:        t.Text[span.ByteStart:span.ByteEnd],
				HypothesisID: f.HypothesisID,
				Stance:       knownOr(f.Stance, outcome.Stances, outcome.StanceNeutral),
				Strength:     knownOr(f.Strength, outcome.Strengths, outcome.StrengthMedium),
				Summary:      CleanSentence(f.Summary),
				Rationale:    CleanSentence(f.Rationale),
				Confidence:   confidence(f, span),
			})
		}
	}
	return verified, discarded
}

// IsSaidBy reports whether all utterances of a span are by some of the speakers.
func IsSaidBy(t *transcript.Transcript, span quote.Span, speakers []string) bool {
	for _, u := range t.Utterances[span.UtteranceFrom : span.UtteranceTo+1] {
		if !slices.Contains(speakers, u.Speaker) {
			return false
		}
	}
	return true
}

// knownOr returns the value if it is one of the known ones.
func knownOr[T comparable](value T, known []T, fallback T) T {
	if slices.Contains(known, value) {
		return value
	}
	return fallback
}

// sameEvidence returns the index of the last evidence that e repeats, or -1. The evidence is ordered by
// hypothesis and stance.
func sameEvidence(evidence []Evidence, e Evidence) int {
	for i := len(evidence) - 1; i >= 0; i-- {
		other := evidence[i]
		if other.HypothesisID != e.HypothesisID || other.Stance != e.Stance {
			break
		}
		if SameSpan(other.ByteStart, other.ByteEnd, e.ByteStart, e.ByteEnd) {
			return i
		}
	}
	return -1
}

// Two spans are the same if they share this part of their union, or this part of the shorter lies in the
// longer.
const (
	sameIoU         = 0.5
	sameContainment = 0.8
)

// SameSpan reports whether two spans of bytes cover the same words.
func SameSpan(aStart, aEnd, bStart, bEnd int) bool {
	shared := min(aEnd, bEnd) - max(aStart, bStart)
	if shared <= 0 {
		return false
	}
	union := max(aEnd, bEnd) - min(aStart, bStart)
	shorter := min(aEnd-aStart, bEnd-bStart)
	return float64(shared) >= sameIoU*float64(union) || float64(shared) >= sameContainment*float64(shorter)
}

// combine keeps the more similar of two, or the longer if they are equally similar. Agreement raises the
// confidence.
func combine(a, b Evidence) Evidence {
	longer := b.ByteEnd-b.ByteStart > a.ByteEnd-a.ByteStart
	if b.Similarity > a.Similarity || b.Similarity == a.Similarity && longer {
		a, b = b, a
	}
	a.Confidence = max(a.Confidence, b.Confidence)
	a.Confidence += (1 - a.Confidence) * agreementGain
	if slices.Index(outcome.Strengths, b.Strength) > slices.Index(outcome.Strengths, a.Strength) {
		a.Strength = b.Strength
	}
	return a
}

// contestedShare is the part of the confidence that remains in contested evidence.
const contestedShare = 0.6

// markContested marks evidence that supports and contradicts a hypothesis by the same words, for a person to
// decide. The evidence is ordered by hypothesis.
func markContested(evidence []Evidence) {
	for i := range evidence {
		a := &evidence[i]
		for j := i + 1; j < len(evidence) && evidence[j].HypothesisID == a.HypothesisID; j++ {
			b := &evidence[j]
			if a.Stance == b.Stance || a.Stance == outcome.StanceNeutral || b.Stance == outcome.StanceNeutral {
				continue
			}
			if SameSpan(a.ByteStart, a.ByteEnd, b.ByteStart, b.ByteEnd) {
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
	note := "The same words were also read as support."
	if e.Stance == outcome.StanceSupports {
		note = "The same words were also read as contradiction."
	}
	e.Rationale = strings.TrimSpace(e.Rationale + " " + note)
}

// The parts of confidence. The figures order evidence for a reviewer; they are not probabilities.
const (
	baseConfidence       = 0.85 // of one verbatim quote of a dozen words by a model
	agreementGain        = 1.0 / 3
	specificWords        = 12  // a quote of this length is specific
	minMatchFactor       = 0.6 // for the least similar quote
	minSpecificityFactor = 0.7 // for the shortest quote
	maxKeywordConfidence = 0.66
)

// confidence is computed from the similarity and the length of the quote; for a keyword match, from its
// score.
func confidence(f Finding, s quote.Span) float64 {
	if f.Score > 0 {
		return min(maxKeywordConfidence, 0.2+0.46*f.Score)
	}
	match := minMatchFactor + (1-minMatchFactor)*(s.Similarity-quote.MinSimilarity)/(1-quote.MinSimilarity)
	specificity := min(float64(s.Words)/specificWords, 1)
	return baseConfidence * match * (minSpecificityFactor + (1-minSpecificityFactor)*specificity)
}

// maxSentence is the size in bytes of the longest rationale, summary or question that is kept.
const maxSentence = 2000

// CleanSentence puts what a model wrote on one line.
func CleanSentence(s string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) > maxSentence {
		s = strings.ToValidUTF8(s[:maxSentence], "")
	}
	return s
}
