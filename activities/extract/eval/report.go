package eval

import (
	"fmt"
	"io"
	"text/tabwriter"

	"research/activities/extract"
)

// A Report is the measurement of an extractor. It is also printed as JSON, whose names must not change.
type Report struct {
	Extractor     string  `json:"extractor"`
	Model         string  `json:"model"`
	PromptVersion string  `json:"prompt_version"`
	Seconds       float64 `json:"seconds"`
	Total         Score   `json:"total"`
	Transcripts   []Score `json:"transcripts"`

	Hypotheses []HypothesisScore `json:"hypotheses"` // of all transcripts, in their order

	// The metrics of all hypotheses with their intervals, or nil if undefined.
	Precision *Interval `json:"precision"`
	Recall    *Interval `json:"recall"`
	F1        *Interval `json:"f1"` // by words
}

// A Score has the counts of one transcript, or of all. Shares are from 0 to 1, or nil if they have no base.
type Score struct {
	Name       string `json:"name"`
	Hypotheses int    `json:"hypotheses"`

	Evidence  int      `json:"evidence"`  // verified and merged
	Right     int      `json:"right"`     // evidence that touches a gold span of its hypothesis
	Precision *float64 `json:"precision"` // Right of Evidence

	Gold   int      `json:"gold"`   // spans that were read
	Found  int      `json:"found"`  // gold spans that evidence touches
	Recall *float64 `json:"recall"` // Found of Gold

	Agreed    int      `json:"agreed"`    // right, and the stance is the gold's
	Opposed   int      `json:"opposed"`   // right, with another stance
	Abstained int      `json:"abstained"` // right, but neutral
	Agreement *float64 `json:"agreement"` // Agreed of Agreed and Opposed

	Silent  int `json:"silent"`  // hypotheses without gold, of transcripts that were read as a whole
	Silence int `json:"silence"` // of these, for which nothing was found

	Quotes        int              `json:"quotes"`   // quotes in the responses
	Rejected      int              `json:"rejected"` // quotes that did not become evidence
	RejectReasons extract.Rejected `json:"refused"`

	Calls        int   `json:"calls"`
	Read         int   `json:"read"`   // chunks
	Unread       int   `json:"unread"` // chunks that could not be read
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`

	Unjudged int `json:"unjudged,omitempty"` // evidence of a project that nobody judged

	EvidenceWords int      `json:"evidence_words"`
	GoldWords     int      `json:"gold_words"`
	SharedWords   int      `json:"shared_words"`
	F1            *float64 `json:"f1"` // overlap of the words of evidence and gold

	Cost float64 `json:"cost,omitempty"` // set by Charge
}

// count adds the counts of a hypothesis.
func (s *Score) count(c Counts) {
	s.Hypotheses++
	s.Evidence += c.Evidence
	s.Right += c.Right
	s.Gold += c.Gold
	s.Found += c.Found
	s.EvidenceWords += c.EvidenceWords
	s.GoldWords += c.GoldWords
	s.SharedWords += c.SharedWords
}

func (s *Score) add(other Score) {
	s.Hypotheses += other.Hypotheses
	s.Evidence += other.Evidence
	s.Right += other.Right
	s.Gold += other.Gold
	s.Found += other.Found
	s.Agreed += other.Agreed
	s.Opposed += other.Opposed
	s.Abstained += other.Abstained
	s.Silent += other.Silent
	s.Silence += other.Silence
	s.Quotes += other.Quotes
	s.Rejected += other.Rejected
	s.Calls += other.Calls
	s.Read += other.Read
	s.Unread += other.Unread
	s.InputTokens += other.InputTokens
	s.OutputTokens += other.OutputTokens
	s.Unjudged += other.Unjudged
	s.EvidenceWords += other.EvidenceWords
	s.GoldWords += other.GoldWords
	s.SharedWords += other.SharedWords
	if s.RejectReasons == nil {
		s.RejectReasons = extract.Rejected{}
	}
	for reason, n := range other.RejectReasons {
		s.RejectReasons[reason] += n
	}
}

func (r *Report) computeShares() {
	for i := range r.Transcripts {
		r.Transcripts[i].computeShares()
	}
	r.Total.computeShares()
	units := r.units()
	r.Precision = bootstrap(units, Counts.precision)
	r.Recall = bootstrap(units, Counts.recall)
	r.F1 = bootstrap(units, Counts.f1)
}

func (s *Score) computeShares() {
	s.Precision = share(s.Right, s.Evidence)
	s.Recall = share(s.Found, s.Gold)
	s.Agreement = share(s.Agreed, s.Agreed+s.Opposed)
	s.F1 = share(2*s.SharedWords, s.EvidenceWords+s.GoldWords)
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	f := float64(part) / float64(whole)
	return &f
}

// Charge computes the costs, by the prices of a million tokens.
func (r *Report) Charge(input, output float64) {
	for i := range r.Transcripts {
		r.Transcripts[i].charge(input, output)
	}
	r.Total.charge(input, output)
}

func (s *Score) charge(input, output float64) {
	s.Cost = costOf(s.InputTokens, s.OutputTokens, input, output)
}

// maxRows bounds the table to a screen or two; the JSON has all rows.
const maxRows = 40

const (
	tableHeader = "transcript\tprecision\tspan recall\tF1\tstance\tsilence\trejected\tunread\t" +
		"tokens in\tout\tcost"
	tableLegend = `
precision    evidence that touches a span that people marked for its hypothesis
span recall  marked spans that evidence touches
F1           overlap of the words of evidence and marked spans
stance       right evidence whose stance is the people's; +n is neutral
silence      hypotheses without marked spans for which nothing was found
rejected     quotes that are not in the transcript, and so never became evidence
`
)

// Table writes the report as a table.
func (r *Report) Table(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "%s, %.1f s\n\n", r.name(), r.Seconds); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, tableHeader) // Flush returns the error
	for i, s := range r.Transcripts {
		if i == maxRows {
			_, _ = fmt.Fprintf(table, "and %d more\n", len(r.Transcripts)-maxRows)
			break
		}
		s.writeRow(table)
	}
	r.Total.writeRow(table)
	if err := table.Flush(); err != nil {
		return err
	}
	if _, err := io.WriteString(w, tableLegend); err != nil {
		return err
	}
	if err := r.writeIntervals(w); err != nil {
		return err
	}
	return r.writePassages(w)
}

// name names the extractor, its model and its prompt.
func (r *Report) name() string {
	name := r.Extractor
	if r.Model != "" {
		name += ", model " + r.Model
	}
	return name + " (" + r.PromptVersion + ")"
}

// writeIntervals writes the metrics with their intervals.
func (r *Report) writeIntervals(w io.Writer) error {
	_, err := fmt.Fprintf(w, "\nin 95 %% of samples of %d hypotheses: precision %s, span recall %s, F1 %s\n",
		len(r.Hypotheses), r.Precision, r.Recall, r.F1)
	if err == nil && r.Total.Unjudged > 0 {
		_, err = fmt.Fprintf(w, "not counted, since nobody judged it: %d pieces of evidence\n", r.Total.Unjudged)
	}
	return err
}

// String formats "62 % (45 to 78)", or "-" for nil.
func (i *Interval) String() string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*i.Value, 100*i.Low, 100*i.High)
}

func (s Score) writeRow(w io.Writer) {
	cost := "-"
	if s.Cost > 0 {
		cost = fmt.Sprintf("%.4f", s.Cost)
	}
	stance := ratio(s.Agreed, s.Agreed+s.Opposed)
	if s.Abstained > 0 {
		stance += fmt.Sprintf(" +%d", s.Abstained)
	}
	f1 := "-"
	if s.F1 != nil {
		f1 = fmt.Sprintf("%.0f %%", 100**s.F1)
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n",
		s.Name, ratio(s.Right, s.Evidence), ratio(s.Found, s.Gold), f1, stance, ratio(s.Silence, s.Silent),
		ratio(s.Rejected, s.Quotes), s.Unread, s.InputTokens, s.OutputTokens, cost)
}

// ratio formats "75 % (3/4)", or "-" without a base.
func ratio(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %% (%d/%d)", 100*float64(part)/float64(whole), part, whole)
}
