package eval

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"research/activities/extract"
)

// A Report says how good an extractor is. It is printed as JSON, too.
type Report struct {
	Extractor     string  `json:"extractor"`
	Model         string  `json:"model"`
	PromptVersion string  `json:"prompt_version"`
	Seconds       float64 `json:"seconds"`
	Total         Score   `json:"total"`
	Transcripts   []Score `json:"transcripts"`
}

// A Score counts what became of one transcript, or of all. The shares are 0 to 1; 0 of 0 is null.
type Score struct {
	Name       string `json:"name"`
	Hypotheses int    `json:"hypotheses"`

	Evidence  int      `json:"evidence"`  // proven and merged
	Right     int      `json:"right"`     // of it: touches a gold span of its hypothesis
	Precision *float64 `json:"precision"` // Right of Evidence

	Gold   int      `json:"gold"`   // spans
	Found  int      `json:"found"`  // of them: touched by evidence
	Recall *float64 `json:"recall"` // Found of Gold

	Agreed    int      `json:"agreed"`    // of what is right and has a gold stance: says the same
	Opposed   int      `json:"opposed"`   // says another
	Abstained int      `json:"abstained"` // says neutral
	Agreement *float64 `json:"agreement"` // Agreed of Agreed and Opposed

	Silent  int `json:"silent"`  // hypotheses about which there is nothing
	Silence int `json:"silence"` // of them: nothing was found

	Quotes   int                     `json:"quotes"`   // that the extractor gave
	Rejected int                     `json:"rejected"` // of them: not in the transcript, or about nothing that was asked
	Refused  map[extract.Refusal]int `json:"refused"`

	Calls        int   `json:"calls"`
	Unread       int   `json:"unread"` // chunks that could not be read
	InputTokens  int64 `json:"input_tokens"`
	OutputTokens int64 `json:"output_tokens"`

	Cost float64 `json:"cost,omitempty"` // where prices were given
}

func (s *Score) add(o Score) {
	s.Hypotheses += o.Hypotheses
	s.Evidence, s.Right = s.Evidence+o.Evidence, s.Right+o.Right
	s.Gold, s.Found = s.Gold+o.Gold, s.Found+o.Found
	s.Agreed, s.Opposed, s.Abstained = s.Agreed+o.Agreed, s.Opposed+o.Opposed, s.Abstained+o.Abstained
	s.Silent, s.Silence = s.Silent+o.Silent, s.Silence+o.Silence
	s.Quotes, s.Rejected = s.Quotes+o.Quotes, s.Rejected+o.Rejected
	s.Calls, s.Unread = s.Calls+o.Calls, s.Unread+o.Unread
	s.InputTokens, s.OutputTokens = s.InputTokens+o.InputTokens, s.OutputTokens+o.OutputTokens
	if s.Refused == nil {
		s.Refused = map[extract.Refusal]int{}
	}
	for reason, n := range o.Refused {
		s.Refused[reason] += n
	}
}

// finish computes the shares.
func (r *Report) finish() {
	for i := range r.Transcripts {
		r.Transcripts[i].finish()
	}
	r.Total.finish()
}

func (s *Score) finish() {
	s.Precision, s.Recall, s.Agreement = share(s.Right, s.Evidence), share(s.Found, s.Gold), share(s.Agreed, s.Agreed+s.Opposed)
}

func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	f := float64(part) / float64(whole)
	return &f
}

// Charge computes what the calls cost, by prices for a million tokens.
func (r *Report) Charge(input, output float64) {
	for i := range r.Transcripts {
		r.Transcripts[i].charge(input, output)
	}
	r.Total.charge(input, output)
}

func (s *Score) charge(input, output float64) {
	s.Cost = (float64(s.InputTokens)*input + float64(s.OutputTokens)*output) / 1e6
}

// maxRows keeps the table on a screen or two; JSON has all.
const maxRows = 40

// Table prints the report for people.
func (r *Report) Table(w io.Writer) error {
	name := r.Extractor
	if r.Model != "" {
		name += ", model " + r.Model
	}
	if _, err := fmt.Fprintf(w, "%s (%s), %.1f s\n\n", name, r.PromptVersion, r.Seconds); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "transcript\tprecision\tspan recall\tstance\tsilence\trejected\tunread\ttokens in\tout\tcost") // errors are kept until Flush
	for i, s := range r.Transcripts {
		if i == maxRows {
			_, _ = fmt.Fprintf(table, "and %d more\n", len(r.Transcripts)-maxRows)
			break
		}
		s.row(table)
	}
	r.Total.row(table)
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, strings.Join([]string{"",
		"precision    evidence that touches a span that people marked for its hypothesis",
		"span recall  marked spans that evidence touches",
		"stance       of evidence that is right, for or against as people judged; +n said neutral",
		"silence      hypotheses about which there is nothing, and nothing was found",
		"rejected     quotes that are not in the transcript, and so never became evidence", ""}, "\n"))
	return err
}

func (s Score) row(w io.Writer) {
	cost := "-"
	if s.Cost > 0 {
		cost = fmt.Sprintf("%.4f", s.Cost)
	}
	stance := ratio(s.Agreed, s.Agreed+s.Opposed)
	if s.Abstained > 0 {
		stance += fmt.Sprintf(" +%d", s.Abstained)
	}
	_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%s\n", s.Name, ratio(s.Right, s.Evidence), ratio(s.Found, s.Gold),
		stance, ratio(s.Silence, s.Silent), ratio(s.Rejected, s.Quotes), s.Unread, s.InputTokens, s.OutputTokens, cost)
}

// ratio writes "75 % (3/4)", or "-" for nothing of nothing.
func ratio(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f %% (%d/%d)", 100*float64(part)/float64(whole), part, whole)
}
