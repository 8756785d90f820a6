package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

func TestCaptionsHaveTheirTurns(t *testing.T) {
	t.Parallel()
	requireTurns(t, []example{
		{
			"more than a thousand hours",
			"1\n999:59:58,000 --> 1000:00:02,000\nDana: Who files them?\n\n" +
				"2\n1000:00:30,000 --> 1000:00:40,000\nOmar: I do.\n\n3\n1000:01:00,000 --> 1000:01:02,000\n" +
				"Dana: Where?\n\n4\n12000:01:00,000 --> 12000:01:02,000\nOmar: In a box.\n",
			[]string{
				"Dana (999h59m58s): Who files them?", "Omar (1000h0m30s): I do.", "Dana (1000h1m0s): Where?",
				"Omar (12000h1m0s): In a box.",
			},
		},
		{
			"Grain's names of cues",
			"WEBVTT\n\n\"Dana Weber\" (3301)\n00:00.000 --> 00:02.000\nHow?\n\n\"Omar Haddad\" (3302)\n" +
				"00:03.000 --> 00:07.000\nBy hand.\n\n\"Dana Weber\" (3301)\n00:08.000 --> 00:09.000\nWhy?\n\n" +
				"\"Omar Haddad\" (3302)\n00:10.000 --> 00:12.000\nHabit.\n",
			[]string{"Dana Weber (0s): How?", "Omar Haddad (3s): By hand.", "Dana Weber (8s): Why?",
				"Omar Haddad (10s): Habit."},
		},
		{
			"Webex with one speaker",
			"WEBVTT\n\n1 \"Dana Weber\" (1063281152)\n00:00:04.000 --> 00:00:06.000\nWelcome.\n\n" +
				"2 \"Dana Weber\" (1063281152)\n00:00:06.000 --> 00:00:08.000\nWe begin.\n",
			[]string{"Dana Weber (4s): Welcome.", "Dana Weber (6s): We begin."},
		},
		{
			"noScribe",
			"WEBVTT noScribe\n\n00:01.000 --> 00:02.000\n<v S00>S00: Who files them?\n\n00:03.000 --> 00:04.000\n" +
				"<v S01>S01: I do.\n",
			[]string{"S00 (1s): Who files them?", "S01 (3s): I do."},
		},
	})
}

func TestDoubtsALabelOnALaterLineOfACaption(t *testing.T) {
	t.Parallel()
	const text = "WEBVTT\n\n00:00.000 --> 00:02.000\nDana: What was in it?\n\n00:03.000 --> 00:07.000\nOmar: " +
		"Notes. All of it.\n" +
		"Room 310: a leaking tap\n\n00:08.000 --> 00:09.000\nDana: And then?\n\n00:10.000 --> 00:12.000\nOmar: " +
		"Nothing.\n\n" +
		"00:13.000 --> 00:14.000\nDana: Thanks.\n"
	require.Equal(t, []transcript.WarningCode{transcript.WarnUncertainNames}, warningCodes(t, text))
	require.NotContains(t, spoken(t, text), "Room 310 (3s): a leaking tap")
}

func TestGuestsOfCaptionsThatNameOnlyChanges(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	at := 0
	cue := func(said string, pause bool) {
		if pause {
			at++
		}
		clock := func(s int) string { return fmt.Sprintf("00:%02d:%02d,000", s/60, s%60) }
		fmt.Fprintf(&text, "%d\n%s --> %s\n%s\n\n", at+1, clock(at), clock(at+2), said)
		at += 2
	}
	hosts := func() {
		cue("Dana: We came to the river", true)
		cue("and saw the old mill", false)
		cue("on the other side, where", false)
		cue("nobody lives.", false)
		cue("Ben: It had a wheel", true)
		cue("that still turned in", false)
		cue("the water, day and", false)
		cue("night, all the year,", false)
		cue("in rain and snow, and", false)
		cue("it does so now.", false)
	}
	hosts()
	hosts()
	cue("Mr. Long Walk: no name", false) // neither a pause nor a sentence
	hosts()
	cue("Carla Ruiz: I was born", true)
	cue("in that mill.", false)
	cue("River Mill: The place.", true) // words of the file
	hosts()
	turns := spoken(t, text.String())
	require.Contains(t, turns, "Carla Ruiz (1m9s): I was born in that mill.")
	require.Contains(t, turns, " (1m14s): River Mill: The place.")
	require.NotContains(t, strings.Join(turns, "\n"), "Mr. Long Walk (")
}

func TestReadsNamesOnTheFirstLinesOfCues(t *testing.T) {
	t.Parallel()
	text := ""
	for i, said := range []string{
		"Dana W\nwhy here?", "Dana W\nand then?", "Ben R\nby chance.", "Dana W\nhm,\nyes", "Dana W\nok",
	} {
		text += fmt.Sprintf("00:00:%02d.000 --> 00:00:%02d.120\n%s\n", 10+i, 11+i, said)
	}
	require.Equal(t, []string{
		"Dana W (10s): why here?", "Dana W (11s): and then?", "Ben R (12s): by chance.", "Dana W (13s): hm, yes ok",
	}, spoken(t, text))
	for _, words := range []string{"and that was really all\nof it\n", "one line only\n"} {
		turns := spoken(t, text+"00:00:20.000 --> 00:00:21.000\n"+words)
		require.Contains(t, turns, " (10s): Dana W why here?", words)
	}
}

// The names are so few that, by their share of the cues, they could be words.
func TestCaptionsThatNameOnlyWhoBegins(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 240 {
		said := "and so we went on with it"
		switch i % 24 {
		case 0:
			said = []string{"Travis", "Sarah", "Gil"}[i/24%3] + ": Well, first of all"
		case 23:
			said = "until it was done."
		}
		fmt.Fprintf(&text, "%d\n00:%02d:%02d,000 --> 00:%02d:%02d,900\n%s\n\n", i+1, i/60, i%60, i/60, i%60, said)
	}
	got, err := transcript.Parse([]byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"Travis", "Sarah", "Gil"}, got.Speakers())
	i := slices.IndexFunc(got.Utterances, func(u transcript.Utterance) bool { return u.End > 40*time.Second })
	require.Equal(t, "Sarah", got.Utterances[i].Speaker)
}

// Word-by-word captions have one-word cues, in which words recur as names do elsewhere.
func TestWordsThatAreCuesAreNoNames(t *testing.T) {
	t.Parallel()
	var srt, ass strings.Builder
	ass.WriteString("[Script Info]\n[Events]\nFormat: Start, End, Style, Name, Text\n")
	words := strings.Fields(strings.Repeat("So I uh I first heard about it and I told you So I first heard ", 6))
	for i, word := range words {
		fmt.Fprintf(&srt, "%d\n00:00:%02d,000 --> 00:00:%02d,300\n%s\n\n", i+1, i/2, i/2, word)
		fmt.Fprintf(&ass, "Dialogue: 0:00:%02d.00,0:00:%02d.30,Speaker0%d,,%s\n", i/2, i/2, i/60, word)
	}
	for _, text := range []string{srt.String(), ass.String()} {
		got, err := transcript.Parse([]byte(text))
		require.NoError(t, err)
		require.Equal(t, words, strings.Fields(got.Text))
	}
	got, err := transcript.Parse([]byte(ass.String()))
	require.NoError(t, err)
	require.Equal(t, []string{"Speaker00", "Speaker01"}, got.Speakers())
}

func TestWordsBehindTheTimesOfCaptions(t *testing.T) {
	t.Parallel()
	names := [2]string{"SPEAKER_00", "SPEAKER_01"}
	got := requireVoices(t, twoVoices("00:0%[2]d:03,000 --> 00:0%[2]d:09,900 %[1]s: %[3]s\n", names, 8), names)
	require.Equal(t, transcript.Text, got.Format)
	require.Equal(t, 183*time.Second, got.Utterances[3].Start)
}

func TestTimedTextOfYouTube(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`<?xml version="1.0"?><transcript><text start="2.5" dur="3">Who files &amp;quot;them&amp;quot;?</text>` +
			`<text start="6" dur="1.5">I don&amp;#39;t.</text></transcript>`,
		`<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><head><ws id="0"/></head><body>` +
			`<p t="2500" d="3000"><s>Who</s><s t="300"> files</s><s t="600"> &quot;them&quot;?</s></p>` +
			`<p t="4000" d="100" a="1">` + "\n" + `</p><p t="6000" d="1500"><s>I</s><s> don't.</s></p></body>` +
			`</timedtext>`,
	} {
		require.Equal(t, []string{` (2.5s): Who files "them"?`, " (6s): I don't."}, spoken(t, text))
	}
}

// Captions name the speaker on each cue, or when the speaker changes.
func TestReadsTheSpeakersOfCaptions(t *testing.T) {
	t.Parallel()
	cues := func(texts ...string) string {
		var b strings.Builder
		for i, text := range texts {
			at := time.Duration(i) * 2 * time.Second
			b.WriteString(clockMS(at, ",") + " --> " + clockMS(at+2*time.Second, ",") + "\n" + text + "\n\n")
		}
		return b.String()
	}
	for _, c := range []struct {
		name  string
		cues  []string
		turns []string
	}{
		{
			name: "named where it changes",
			cues: []string{
				"DANA: Tell me",
				"about the week.",
				"SAM: It is long.",
				"Very long.",
				">> And mine is short.",
				">> DANA: OK: go on.",
				"And on.",
			},
			turns: []string{
				"DANA|Tell me about the week.",
				"SAM|It is long.",
				"SAM|Very long.",
				"|And mine is short.",
				"DANA|OK: go on.",
				"DANA|And on.",
			},
		},
		{
			name:  "named on each",
			cues:  []string{"Dana: a", "Sam: b", "Dana: c", "no one knows who", "Sam: d"},
			turns: []string{"Dana|a", "Sam|b", "Dana|c", "|no one knows who", "Sam|d"},
		},
		{
			name:  "two in a cue",
			cues:  []string{"Dana: a\nSam: b", "Dana: c\nd"},
			turns: []string{"Dana|a", "Sam|b", "Dana|c d"},
		},
		{
			name:  "dashes",
			cues:  []string{"- Hi.\n- Hello.", "- not a dialogue"},
			turns: []string{"|Hi.", "|Hello.", "|- not a dialogue"},
		},
		{
			name:  "honest repetition",
			cues:  []string{"Yes.", "Yes.", "Yes.", "No."},
			turns: []string{"|Yes.", "|Yes.", "|Yes.", "|No."},
		},
		{
			name:  "captions that grow",
			cues:  []string{"I think", "I think that we", "I think that we go", "And", "And then"},
			turns: []string{"|I think that we go", "|And then"},
		},
		{
			name:  "captions that roll without markup",
			cues:  []string{"one two", "one two\nthree four", "three four\nfive six", "five six\nseven"},
			turns: []string{"|one two", "|three four", "|five six", "|seven"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(cues(c.cues...)))
			require.NoError(t, err)
			checkInvariants(t, got)
			var turns []string
			for _, u := range got.Utterances {
				turns = append(turns, u.Speaker+"|"+u.Text)
			}
			require.Equal(t, c.turns, turns)
		})
	}
}
