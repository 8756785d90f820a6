package eval

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// RetrievalTable writes what was found with each of the limits. The name is that of the set.
func RetrievalTable(w io.Writer, name string, measures []Retrieval) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table,
		"%s\tpassages\tof one\tmarked passage\tright transcript\tmarked utterances\twords read\n", name)
	for _, m := range measures {
		ofOne := "any"
		if m.Limits.OfOne > 0 {
			ofOne = fmt.Sprint(m.Limits.OfOne)
		}
		fmt.Fprintf(table, "%d questions\t%d\t%s\t%.1f %%\t%.1f %%\t%.1f %%\t%.0f\n",
			m.Questions, m.Limits.Passages,
			ofOne, 100*m.Hit, 100*m.Transcript, 100*m.Utterances, m.Words)
	}
	return table.Flush()
}

// Table writes the report for people.
func (r AnswerReport) Table(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "Model %s (%s)\tquestions\tanswered\tpartly\tnot found\tfailed\tsentences\tunsupported\t"+
		"quotes rejected\tquoted where marked\n", r.Model, r.PromptVersion)
	for _, row := range []struct {
		name  string
		score AnswerScore
	}{{"own meetings", r.Own}, {"other meetings", r.Other}} {
		s := row.score
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d of %d\n",
			row.name, s.Questions, s.Answered, s.Partly,
			s.NotFound, s.Failed, s.Sentences, s.Unsupported, s.Rejected, s.Marked, s.Quoted)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w,
		"Not answered, of the questions to other meetings: %.1f %%\nTokens: %d in, %d out\n",
		100*float64(r.Other.Questions-r.Other.Answered)/float64(max(r.Other.Questions, 1)),
		r.Usage.InputTokens, r.Usage.OutputTokens)
	return err
}
