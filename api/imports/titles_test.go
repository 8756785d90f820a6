package imports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestTitlesOfFileNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"shift-planning_harriet.vtt":                     "shift planning harriet",
		"2031-04-12 Harriet Cole.docx":                   "Harriet Cole",
		"Interview mit Sabine, 15.04.2031.txt":           "Interview mit Sabine",
		"Anne-Marie Weber_transcript.txt":                "Anne-Marie Weber",
		"Harriet Cole_otter_ai.txt":                      "Harriet Cole",
		"harriet_8f14e45fceea167a.json":                  "harriet",
		"3b241101-e2bb-4255-8caf-4136c566a962 Dave.json": "Dave",
		"2031-04-12 13.05.01 Dave's café.vtt":            "Dave's café",
		"Dave (2).txt":                                   "Dave", "P03_checkout.vtt": "P03 checkout",
		"Usability test 12.txt":                       "Usability test 12",
		"GMT20310412-harriet_zoom.vtt":                "harriet zoom",
		"Anna2031-04-12call.vtt":                      "Anna call",
		"Harriet 20310412T130501Z.vtt":                "Harriet",
		"GMT20310412-130501_Recording.transcript.vtt": "", "12.txt": "", "transcript.txt": "",
		"audio1.vtt": "", "": "",
	} {
		require.Equal(t, want, readableTitle(name), name)
	}
}

func TestTitlesThatFilesHave(t *testing.T) {
	t.Parallel()
	const talk = "Maya: How do you plan?\n\nHarriet: In a spreadsheet.\n\nMaya: Since when?\n\n" +
		"Harriet: Since May.\n"
	for name, c := range map[string]struct{ filename, file, want string }{
		"heading": {"a b.md", "# Shift planning with Harriet\n\n**Maya:** How?\n\n**Harriet:** So.\n\n" +
			"**Maya:** Why?\n\n**Harriet:** Because.\n", "Shift planning with Harriet"},
		"heading with a date": {"x.md", "# Harriet – 12 April 2031\n\n" + talk, "Harriet"},
		"headings of turns": {"two.md", "# Maya\n\nHow do you plan?\n\n# Harriet\n\nOn paper.\n\n" +
			"# Maya\n\nWhy?\n\n# Harriet\n\nSo.\n", "two"},
		"field": {"call.txt", "Title: Harriet, owner\nDate: 2031-04-12\n\n" + talk, "Harriet, owner"},
		"WebVTT": {"GMT20310412-130501_Recording.transcript.vtt",
			"WEBVTT - Call with Harriet\n\n00:01.000 --> 00:02.000\nMaya: Hello there.\n", "Call with Harriet"},
		"Otter": {"download.txt", "Harriet Cole\nTue, Apr 12, 2031 10:02AM • 32:10\n\nSPEAKERS\n" +
			"Maya, Harriet\n\nMaya  0:01\nHow do you plan?\n\nHarriet  0:05\nIn a spreadsheet.\n", "Harriet Cole"},
		"first line, of a file without a name": {"transcript.txt",
			"Harriet Cole, owner of two cafés\n\n" + talk, "Harriet Cole, owner of two cafés"},
		"first line, beside a name":   {"Harriet.txt", "Notes of our second round\n\n" + talk, "Harriet"},
		"a heading that says nothing": {"Harriet.md", "# Transcript\n\n" + talk, "Harriet"},
		"words are no title":          {"12.txt", talk, "12"},
		"a name above words is no title": {"12.txt",
			"Maya\nHow do you plan?\n\nHarriet\nIn a spreadsheet.\n\nMaya\nWhy?\n\nHarriet\nSo.\n", "12"},
		"nothing": {"", talk, "Transcript"},
	} {
		parsed, err := transcript.Parse([]byte(c.file))
		require.NoError(t, err)
		form := uploadForm{filename: c.filename, data: []byte(c.file)}
		require.Equal(t, c.want, proposedTitle(form, parsed), name)
	}
}

// The beginning of a long file may end within a letter.
func TestTitlesOfFilesInAnyAlphabet(t *testing.T) {
	t.Parallel()
	for shift := range 8 {
		file := strings.Repeat("-", shift) + "\n# Интервью с Ольгой\n\nОльга: " + strings.Repeat("да ", 2000) + "\n"
		require.Equal(t, "Интервью с Ольгой", writtenTitle([]byte(file), nil), shift)
	}
	require.Empty(t, writtenTitle([]byte("# A\xff title\n"), nil))
}
