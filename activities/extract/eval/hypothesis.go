package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"research/activities/extract"
	"research/activities/extract/quote"
	"research/outcome"
)

// A HypothesisScore is the result of one hypothesis of a transcript, with the missed, wrong and rejected
// passages.
type HypothesisScore struct {
	Transcript string `json:"transcript"`
	Statement  string `json:"statement"`
	Counts

	Missed  []Passage `json:"missed,omitempty"`  // gold that no evidence touches
	Wrong   []Passage `json:"wrong,omitempty"`   // evidence that touches no gold, or has another stance
	Refused []Passage `json:"refused,omitempty"` // quotes that did not become evidence
}

// A Passage is a quote with its problem.
type Passage struct {
	Quote  string `json:"quote"`
	Reason string `json:"reason,omitempty"`
}

// refused returns the quotes of responses that did not become evidence, by hypothesis.
func (r *reader) refused() map[string][]Passage {
	aligner := quote.NewAligner(r.text)
	refused := map[string][]Passage{}
	for _, result := range r.results {
		for _, f := range result.Response.Findings {
			span, reason := aligner.Align(f.Quote, f.Utterances, result.Chunk.From, result.Chunk.To)
			if reason == "" && extract.IsSaidBy(r.text, span, r.interviewers) {
				reason = extract.RejectInterviewer
			}
			if reason != "" {
				refused[f.HypothesisID] = append(refused[f.HypothesisID], Passage{f.Quote, string(reason)})
			}
		}
	}
	return refused
}

// scoreHypothesis compares the evidence about one hypothesis with the gold that was read. isSilent means that
// nothing is to be found in the whole transcript, which was read.
func (s *Score) scoreHypothesis(
	c Case, h Hypothesis, evidence []extract.Evidence, isSilent bool,
) HypothesisScore {
	score := HypothesisScore{Transcript: c.Name, Statement: h.Statement}
	found := make([]bool, len(h.Gold))
	var judged []extract.Evidence
	for _, e := range evidence {
		right, hasStance, agreed := false, false, false
		for j, g := range h.Gold {
			if touches(e, g) {
				right, found[j] = true, true
				hasStance = hasStance || g.Stance != ""
				agreed = agreed || g.Stance != "" && g.Stance == e.Stance
			}
		}
		isRejected := slices.ContainsFunc(h.Rejected, func(g Gold) bool { return touches(e, g) })
		if c.Judged && !right && !isRejected {
			s.Unjudged++
			continue
		}
		judged = append(judged, e)
		score.Evidence++
		switch {
		case !right:
			score.Wrong = append(score.Wrong, Passage{e.Quote, "not about it"})
			continue
		case !hasStance:
		case agreed:
			s.Agreed++
		case e.Stance == outcome.StanceNeutral:
			s.Abstained++
		default:
			s.Opposed++
			score.Wrong = append(score.Wrong, Passage{e.Quote, "another stance: " + string(e.Stance)})
		}
		score.Right++
	}
	for j, g := range h.Gold {
		if found[j] {
			score.Found++
		} else {
			score.Missed = append(score.Missed, Passage{Quote: c.Transcript.Text[g.ByteStart:g.ByteEnd]})
		}
	}
	score.Gold = len(h.Gold)
	gold, all := rangesOf(h.Gold), evidenceRanges(judged)
	text := wordsOf(c.Transcript.Text)
	score.GoldWords, score.EvidenceWords = text.in(gold), text.in(all)
	score.SharedWords = text.in(common(gold, all))
	if isSilent {
		s.Silent++
		if len(evidence) == 0 {
			s.Silence++
		}
	}
	return score
}

// maxPassages bounds each list of the table; the JSON has all.
const maxPassages = 20

// writePassages writes the missed, wrong and rejected passages.
func (r *Report) writePassages(w io.Writer) error {
	var b strings.Builder
	for _, list := range []struct {
		title string
		of    func(HypothesisScore) []Passage
	}{
		{"missed", func(h HypothesisScore) []Passage { return h.Missed }},
		{"wrong", func(h HypothesisScore) []Passage { return h.Wrong }},
		{"refused", func(h HypothesisScore) []Passage { return h.Refused }},
	} {
		n := 0
		for _, h := range r.Hypotheses {
			for _, p := range list.of(h) {
				if n++; n > maxPassages {
					continue
				}
				if n == 1 {
					fmt.Fprintf(&b, "\n%s:\n", list.title)
				}
				fmt.Fprintf(&b, "  %s, %q: %q", h.Transcript, shorten(h.Statement, 50), shorten(p.Quote, 90))
				if p.Reason != "" {
					fmt.Fprintf(&b, " (%s)", p.Reason)
				}
				b.WriteByte('\n')
			}
		}
		if n > maxPassages {
			fmt.Fprintf(&b, "  and %d more\n", n-maxPassages)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shorten cuts a text to at most n characters.
func shorten(text string, n int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}
