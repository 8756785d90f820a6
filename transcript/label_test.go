package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// Not everything before a colon is a speaker.
func TestDistinguishesSpeakersFromRemarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, speakers string }{
		{
			name: "two people",
			text: "Dana: Hi\n" +
				"Sam: Hello\n",
			speakers: "Dana, Sam",
		},
		{
			name: "one line alone",
			text: "Problem: we have no time.",
		},
		{
			name: "a note between turns",
			text: "Dana: Hi\n" +
				"Sam: Hello\n" +
				"Note: he laughs.\n" +
				"Dana: So?\n",
			speakers: "Dana, Sam",
		},
		{
			name: "addresses and clocks",
			text: "Dana: See https://example.org: there.\n" +
				"Sam: At 10:30: yes.\n" +
				"http://example.org is ours.\n" +
				"Dana: OK\n",
			speakers: "Dana, Sam",
		},
		{
			name: "a colon in speech",
			text: "Dana: One rule: no meetings.\n" +
				"Sam: He said: never.\n" +
				"Then came the crisis: nobody bought.\n" +
				"Dana: Oh.\n",
			speakers: "Dana, Sam",
		},
		{
			name: "a list of remarks",
			text: "Background: runs a bakery.\n" +
				"Pain: the rota.\n" +
				"Pricing: twenty a month.\n" +
				"Next steps: call again.\n",
		},
		{
			name: "steps",
			text: "Step 1: open the door.\n" +
				"Step 2: go in.\n" +
				"Step 3: close it.\n",
		},
		{
			name: "interviewer and respondent",
			text: "I: How do you plan?\n" +
				"R: Badly. I use: paper.\n" +
				"I: Why?\n" +
				"R: No time.\n",
			speakers: "I, R",
		},
		{
			name: "questions and answers",
			text: "Q: How do you plan?\n" +
				"A: Badly.\n" +
				"Q: Why?\n" +
				"A: No time.\n",
			speakers: "Q, A",
		},
		{
			name: "a question alone",
			text: "Question: how do we plan?\n" +
				"\n" +
				"We plan badly, for many reasons, and have done so for years.\n",
		},
		{
			name: "numbered speakers",
			text: "SPEAKER_00: hi\n" +
				"SPEAKER_01: hello\n" +
				"SPEAKER_00: so\n",
			speakers: "SPEAKER_00, SPEAKER_01",
		},
		{
			name: "brackets",
			text: "[Speaker 1]: hi\n" +
				"[Speaker 2]: hello\n" +
				"[Speaker 1]: so\n",
			speakers: "Speaker 1, Speaker 2",
		},
		{
			name:     "small letters that recur",
			text:     strings.Repeat("dana: hi there\nsam: hello\n", 3),
			speakers: "dana, sam",
		},
		{
			name: "companies and pronouns",
			text: "Dana Weber | Lumen (she/her): Hi\n" +
				"Sam O'Neill-Díaz, MD: Hello\n" +
				"Dana Weber | Lumen (she/her): So\n",
			speakers: "Dana Weber | Lumen (she/her), Sam O'Neill-Díaz, MD",
		},
		{
			name: "family name first",
			text: "Weber, Dana: Hi\n" +
				"Okafor, Sam: Hello\n" +
				"Weber, Dana: So\n",
			speakers: "Weber, Dana, Okafor, Sam",
		},
		{
			name: "a guest who speaks once",
			text: "Dana: Hi\n" +
				"\n" +
				"Sam: Hello\n" +
				"\n" +
				"Dana: So\n" +
				"\n" +
				"Sam: Yes\n" +
				"\n" +
				"María López: May I?\n" +
				"\n" +
				"Dana: Do.\n",
			speakers: "Dana, Sam, María López",
		},
		{
			name: "a name that is a word",
			text: "Will: I will go.\n" +
				"Mark: mark my words.\n" +
				"Will: will do.\n" +
				"Mark: good.\n" +
				"Will: fine.\n" +
				"Mark: yes.\n",
			speakers: "Will, Mark",
		},
		{
			name: "French spaces",
			text: "Anne : Bonjour.\n" +
				"Éric : Le problème : personne ne lit.\n" +
				"Anne : Pourquoi ?\n",
			speakers: "Anne, Éric",
		},
		{
			name: "full-width colons",
			text: "主持人：你好，今天我们谈谈。\n" +
				"张伟：好的。最大的问题是：没有人看。\n" +
				"主持人：为什么？\n",
			speakers: "主持人, 张伟",
		},
		{
			name: "Arabic",
			text: "دانا: مرحبا، كيف حالك؟\n" +
				"سامي: بخير. المشكلة هي: لا أحد.\n" +
				"دانا: لماذا؟\n",
			speakers: "دانا, سامي",
		},
		{
			name: "prose",
			text: "The rota is late.\n" +
				"\n" +
				"She said it plainly: nobody reads it.\n" +
				"\n" +
				"What would she pay? Answer: twenty.\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := transcript.Parse([]byte(c.text))
			require.NoError(t, err)
			checkInvariants(t, got)
			require.Equal(t, c.speakers, strings.Join(got.Speakers(), ", "))
		})
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
				"DANA|Tell me",
				"DANA|about the week.",
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
