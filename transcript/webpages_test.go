package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWebPagesHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"a head without an end",
			"<!DOCTYPE html><html><head><title>Filing</title><style>a{}</style><body><p>Dana: Who files them?<p>" +
				"Omar: I do.<p>Dana: Where?<p>Omar: In a box.</body></html>",
			[]string{"Dana: Who files them?", "Omar: I do.", "Dana: Where?", "Omar: In a box."},
		},
		{
			"times within paragraphs",
			"<p>[00:00:00] <b>Dana:</b> Who files them?\n[00:00:04] <b>Omar:</b> I do.</p>\n\n" +
				"<p>[00:01:00] [00:01:00] <b>Dana:</b> Where?</p>\n\n<p>[00:01:02] <b>Omar:</b> In a box.</p>\n\n" +
				"<p>[00:01:04] <b>Dana:</b> Which box\n[00:01:06] of all?</p>\n",
			[]string{
				"Dana (0s): Who files them?", "Omar (4s): I do.", "Dana (1m0s): Where?", "Omar (1m2s): In a box.",
				"Dana (1m4s): Which box [00:01:06] of all?",
			},
		},
		{
			"a title above a name",
			"<!doctype html><body><h1>Interview 7</h1><dl><dt>Dana Weber</dt>" +
				"<dd>What do you do here?</dd><dt>Jörg Ahn</dt><dd>I run the desk.</dd><dt>Dana Weber</dt>" +
				"<dd>And then?</dd><dt>Jörg Ahn</dt><dd>Nothing.</dd></dl></body>",
			[]string{
				": Interview 7", "Dana Weber: What do you do here?", "Jörg Ahn: I run the desk.", "Dana Weber: And then?",
				"Jörg Ahn: Nothing.",
			},
		},
		{
			"a page without html",
			"<!doctype html><meta charset=utf-8><title>Call</title>\n<dl>\n<dt>Dana</dt>\n<dd>Who files them?</dd>\n" +
				"<dt>Omar</dt>\n<dd>I do.</dd>\n<dt>Dana</dt>\n<dd>Where?</dd>\n<dt>Omar</dt>\n<dd>Here.</dd>\n</dl>\n",
			[]string{"Dana: Who files them?", "Omar: I do.", "Dana: Where?", "Omar: Here."},
		},
	})
}

func TestLeavesOutHeadersAndFootersOfGoogleDocs(t *testing.T) {
	t.Parallel()
	const turns = "<p>Dana: What do you do?</p><p>Omar: I run the desk.</p>" +
		"<p>Dana: Since when?</p><p>Omar: Since May.</p>"
	require.Equal(t, markedTurns, spoken(t, "<html><body class=\"c3 doc-content\"><div>"+
		"<p>Study 7, confidential</p></div>"+
		turns+"<div><p>Faculty of Health</p></div></body></html>"))
	require.Equal(t, markedTurns,
		spoken(t, "<html><body class=\"doc-content\"><div>"+turns+"</div></body></html>"))
}

func TestXHTMLIsReadAsHTML(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	requireVoices(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+
		"<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>\n"+
		twoVoices("<p><b>%[1]s:</b> %[3]s</p>\n", names, 6)+"</body></html>\n", names)
}

func TestElementsOfTheClassSpeakerNameSpeakers(t *testing.T) {
	t.Parallel()
	names := [2]string{"Dana Weber", "Omar Haddad"}
	for _, turn := range []string{
		"<div class=\"turn\"><p class=\"speaker\">%[1]s</p><p><a href=\"#\">▶</a> %[3]s</p></div>\n",
		"<p><span class=\"speaker-name\">%[1]s</span> <span>%[3]s</span></p>\n",
		"<p><b class=\"transcript__speaker\">%[1]s:</b> %[3]s</p>\n",
	} {
		requireVoices(t, "<html><body>\n"+twoVoices(turn, names, 6)+"</body></html>\n", names)
	}
}

func TestReadsWebPagesOfPodcasts(t *testing.T) {
	t.Parallel()
	page := ""
	for i, said := range []string{
		"Dana Weber:|Why here?", "Ben:|By chance.", "|Or nearly so.", "Dana Weber:|And then?",
	} {
		name, words, _ := strings.Cut(said, "|")
		if name != "" {
			page += "<cite>" + name + "</cite>\n"
		}
		page += fmt.Sprintf("<time>00:%02d</time>\n<p>%s</p>\n", 10*i, words)
	}
	want := []string{"Dana Weber (0s): Why here?", "Ben (10s): By chance.", "Ben (20s): Or nearly so.",
		"Dana Weber (30s): And then?"}
	require.Equal(t, want, spoken(t, page))
	require.Equal(t, want, spoken(t, "<!DOCTYPE html>\n<html><head><title>A talk</title></head><body>"+page+
		"</body></html>"))
}
