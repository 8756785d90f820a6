package imports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestDatesOfInterviews(t *testing.T) {
	t.Parallel()
	today := time.Date(2031, time.June, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"GMT20310412-130501_Recording.transcript.vtt": "2031-04-12",
		"2031-04-12 Harriet.docx":                     "2031-04-12",
		"harriet_20310412.vtt":                        "2031-04-12",
		"Sabine 15.04.2031.txt":                       "2031-04-15",
		"04.05.2031":                                  "2031-05-04", // with dots, the day is first
		"Interview April 12 2031":                     "2031-04-12",
		"Tue, Apr 12, 2031 10:02AM • 32:10":           "2031-04-12",
		"12. März 2031":                               "2031-03-12",
		"12 de abril de 2031":                         "2031-04-12",
		"3 juillet 2030":                              "2030-07-03",
		"13/05/2031":                                  "2031-05-13",
		"05/13/2031":                                  "2031-05-13",
		"04/05/2031":                                  "", // April or May
		"2031-04-12 and 2031-04-13":                   "", // one of two
		"2031-07-01":                                  "", // in the future
		"1812-06-24":                                  "",
		"2031-02-30":                                  "",
		"call 20311 of 4":                             "",
		"may 2031":                                    "",
	} {
		got := ""
		if date := dateIn(text, today); !date.IsZero() {
			got = date.Format(time.DateOnly)
		}
		require.Equal(t, want, got, text)
	}
}

func TestDatesAboveTheInterview(t *testing.T) {
	t.Parallel()
	today := time.Date(2031, time.June, 1, 0, 0, 0, 0, time.UTC)
	const talk = "Maya: How do you plan?\n\nHarriet: In a spreadsheet.\n\nMaya: Since when?\n\n" +
		"Harriet: Since May.\n"
	for name, c := range map[string]struct{ file, want string }{
		"Otter": {
			"Harriet Cole\nTue, Apr 12, 2031 10:02AM • 32:10\n\nMaya  0:01\nHow do you plan?\n\n" +
				"Harriet  0:05\nIn a spreadsheet.\n", "2031-04-12",
		},
		"note of WebVTT": {
			"WEBVTT\n\nNOTE recorded 2031-04-12\n\n00:01.000 --> 00:02.000\nMaya: Hello there.\n", "2031-04-12",
		},
		"heading": {
			"# Harriet – 12 April 2031\n\n**Maya:** How?\n\n**Harriet:** So.\n\n**Maya:** Why?\n", "2031-04-12",
		},
		"field": {"Title: Harriet, owner\nDate: 2031-04-12\n\nMaya: How?\n\nHarriet: So.\n", "2031-04-12"},
		"field below a heading": {
			"# Shift planning\n\nDate: 2031-04-12\n\n" + talk, "2031-04-12",
		},
		"heading and another date": {
			"# Shifts – 12 April 2031\n\nRecorded 2031-04-13\n\n" + talk, "",
		},
		"spoken": {"Maya: We opened on April 12, 2031.\nHarriet: I remember that day.\n", ""},
	} {
		parsed, err := transcript.Parse([]byte(c.file))
		require.NoError(t, err)
		got := ""
		if date := proposedDate("a.txt", []byte(c.file), parsed, today); !date.IsZero() {
			got = date.Format(time.DateOnly)
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestWhoAsks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, want string }{
		"one asks": {
			"E: Wie planen Sie die Schichten?\nA: In einer Tabelle, die mein Bruder gemacht hat.\n" +
				"E: Wie lange dauert das?\nA: Jede Woche fünf Stunden, meistens am Sonntag.\n" +
				"E: Und wer hilft dabei?\nA: Niemand, ich mache das alles allein.\n", "E",
		},
		"both ask": {
			"E: How are you?\nA: Good, and you?\nE: And work?\nA: Fine, and yours?\nE: Is it late?\nA: Is it?\n", "",
		},
		"the one who asks says most": {
			"E: I have been thinking about this for very long, would you agree?\nA: Yes.\n" +
				"E: And then there is all the rest that we have talked about, right?\nA: Right.\n" +
				"E: So what remains is the question of who does all that work?\nA: Me.\n", "",
		},
		"too few turns": {"E: How do you plan?\nA: In a spreadsheet that my brother made.\n", ""},
	} {
		parsed, err := transcript.Parse([]byte(c.file))
		require.NoError(t, err)
		shares, _ := sharesOf(parsed)
		require.Equal(t, c.want, whoAsks(parsed, shares), name)
	}
}
