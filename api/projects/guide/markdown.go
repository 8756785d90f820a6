package guide

import (
	"fmt"
	"strings"
)

// Markdown writes a guide as one page. Texts of people are escaped: whatever they wrote is text.
func (g Guide) Markdown(project string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Next interview: %s\n\n%s\n\n## Questions\n\n", plain(project), plain(g.Ask))
	for i, q := range g.Questions {
		fmt.Fprintf(&b, "%d. %s\n", i+1, plain(q.Text))
		if q.Statement != "" {
			fmt.Fprintf(&b, "   - Tests: %s\n", plain(q.Statement))
		}
		fmt.Fprintf(&b, "   - %s\n", plain(q.Why))
	}
	if tested := g.tested(); len(tested) > 0 {
		b.WriteString("\n## What is still open\n\n")
		for _, r := range tested {
			fmt.Fprintf(&b, "- %s (%s importance; %s)\n",
				plain(r.Statement), r.Importance, r.stances())
			if !r.Ready {
				b.WriteString("   - Say first what would prove it wrong.\n")
			}
		}
	}
	if len(g.LeftOut) > 0 {
		b.WriteString("\n## Left out\n\n")
		for _, q := range g.LeftOut {
			fmt.Fprintf(&b, "- %s: %s\n", plain(q.Text), plain(q.Why))
		}
	}
	return b.String()
}

// tested returns the hypotheses that the questions are about, in their order.
func (g Guide) tested() []Ranked {
	about := map[string]bool{}
	for _, q := range g.Questions {
		if q.HypothesisID != nil {
			about[q.HypothesisID.String()] = true
		}
	}
	var tested []Ranked
	for _, r := range g.Hypotheses {
		if about[r.ID.String()] {
			tested = append(tested, r)
		}
	}
	return tested
}

// plain returns a text in one line, with the characters escaped that mean something in Markdown or HTML. Some
// do so only where a line begins, and with a number that begins a list.
func plain(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	var b strings.Builder
	number := len(text) - len(strings.TrimLeft(text, "0123456789"))
	for i, r := range text {
		begins := i == 0 && strings.ContainsRune("#+-", r) || number > 0 && i == number && (r == '.' || r == ')')
		if begins || strings.ContainsRune("\\`*_{}[]<>|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
