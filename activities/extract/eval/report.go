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
}

// A Score has the counts of one transcript, or of all. Shares are from 0 to 1, or nil if they have no base.
type Score struct {
	Name       string `json:"name"`
	Hypotheses int    `json:"hypotheses"`

	Evidence  int      `json:"evidence"`  // verified and merged
	Right     int      `json:"right"`     // evidence that touches a gold span of its hypothesis
	Precision *float64 `json:"precision"` // Right of Evidence

	Gold   int      `json:"gold"`   // spans
	Found  int      `json:"found"`  // gold spans that evidence touches
	Recall *float64 `json:"recall"` // Found of Gold

	Agreed    int      `json:"agreed"`    // right, and the stance is the gold's
	Opposed   int      `json:"opposed"`   // right, with another stance
	Abstained int      `json:"abstained"` // right, but neutral
	Agreement *float64 `json:"agreement"` // Agreed of Agreed and Opposed

	Silent  int `json:"silent"`  // hypotheses without gold
	Silence int `json:"silence"` // hypotheses without gold for which nothing was found

	Quotes        int              `json:"quotes"`   // quotes in the responses
	Rejected      int              `json:"rejected"` // quotes that did not become evidence
	RejectReasons extract.Rejected `json:"refused"`

	Calls        int   `json:"calls"`
	Unread       int   `json:"unread"` // chunks that could not be read
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`

	Cost float64 `json:"cost,omitempty"` // set by Charge
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
	s.Unread += other.Unread
	s.InputTokens += other.InputTokens
	s.OutputTokens += other.OutputTokens
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
}

func (s *Score) computeShares() {
	s.Precision = share(s.Right, s.Evidence)
	s.Recall = share(s.Found, s.Gold)
	s.Agreement = share(s.Agreed, s.Agreed+s.Opposed)
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
	s.Cost = (float64(s.InputTokens)*input + float64(s.OutputTokens)*output) / 1e6
}

// maxRows bounds the table to a screen or two; the JSON has all rows.
const maxRows = 40

const (
	tableHeader = "transcript\tprecision\tspan recall\tstance\tsilence\trejected\tunread\ttokens in\tout\tcost"
	tableLegend = `
precision    evidence that touches a span that people marked for its hypothesis
span recall  marked spans that evidence touches
stance       right evidence whose stance is the people's; +n is neutral
silence      hypotheses without marked spans for which nothing was found
rejected     quotes that are not in the transcript, and so never became evidence
`
)

// Table writes the report as a table.
func (r *Report) Table(w io.Writer) error {
	name := r.Extractor
	if r.Model != "" {
		name += ", model " + r.Model
	}
	if _, err := fmt.Fprintf(w, "%s (%s), %.1f s\n\n", name, r.PromptVersion, r.Seconds); err != nil {
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
	_, err := io.WriteString(w, tableLegend)
	return err
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
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n",
		s.Name, ratio(s.Right, s.Evidence), ratio(s.Found, s.Gold), stance, ratio(s.Silence, s.Silent),
		ratio(s.Rejected, s.Quotes), s.Unread, s.InputTokens, s.OutputTokens, cost)
}

// ratio formats "75 % (3/4)", or "-" without a base.
func ratio(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %% (%d/%d)", 100*float64(part)/float64(whole), part, whole)
}
