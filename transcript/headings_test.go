package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadingsBetweenTurnsAreNobodys(t *testing.T) {
	t.Parallel()
	const (
		first  = "<p>Dana: Who files them?</p><p>Omar: I do.</p>"
		second = "<p>Dana: Where?</p><p>Omar: In a box.</p>"
	)
	turns := []string{"Dana: Who files them?", "Omar: I do.", "Dana: Where?", "Omar: In a box."}
	requireTurns(t, []example{
		{"a heading", "<html><body>" + first + "<h2>The boxes</h2>" + second + "</body></html>", turns},
		{"two headings", "<html><body>" + first + "<h2>Part 2</h2><h3>What " +
			"next?</h3>" + second + "</body></html>", turns},
		{"topics", "<html><body>" + first + "<h1>Topic: Boxes</h1>" + second + "</body></html>", turns},
		{
			"headings that are names",
			"<html><body><h3>Dana</h3><p>Who files them?</p><h3>Omar</h3><p>I do.</p><h2>The boxes</h2>" +
				"<h3>Dana</h3><p>Where?</p><h3>Omar</h3><p>In a box.</p></body></html>",
			turns,
		},
		{
			"decisions, names in brackets and hidden links",
			"<html><body><p>Dana: Who files them? <a style=\"display: none\" href=\"#1\">¶</a></p>" +
				"<p><cite>&lt;Omar&gt;</cite> I do.</p><p>PROPOSED: file by name</p><p>Dana: Where?</p>" +
				"<p><cite>&lt;Omar&gt;</cite> In a box.</p></body></html>",
			[]string{
				"Dana: Who files them?", "Omar: I do.", ": PROPOSED: file by name", "Dana: Where?", "Omar: In a box.",
			},
		},
	})
	require.Equal(t, turns, spoken(t, string(docxOf(
		"<w:p><w:r><w:t>Dana: Who files them?</w:t></w:r></w:p><w:p><w:r><w:t>Omar: I do.</w:t></w:r></w:p>"+
			"<w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:t>The boxes</w:t></w:r></w:p>"+
			"<w:p><w:r><w:t>Dana: Where?</w:t></w:r></w:p><w:p><w:r><w:t>Omar: In a box.</w:t></w:r></w:p>"))))
}
