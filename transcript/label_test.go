package transcript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// What is a speaker and what only stands before a colon.
func TestSpeakersAreToldFromRemarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, speakers string
	}{
		{"two people", "Dana: Hi\nSam: Hello\n", "Dana, Sam"},
		{"one line alone", "Problem: we have no time.", ""},
		{"a note between turns", "Dana: Hi\nSam: Hello\nNote: he laughs.\nDana: So?\n", "Dana, Sam"},
		{"addresses and clocks", "Dana: See https://example.org: there.\nSam: At 10:30: yes.\nhttp://example.org is ours.\nDana: OK\n", "Dana, Sam"},
		{"a colon in speech", "Dana: One rule: no meetings.\nSam: He said: never.\nThen came the crisis: nobody bought.\nDana: Oh.\n", "Dana, Sam"},
		{"a list of remarks", "Background: runs a bakery.\nPain: the rota.\nPricing: twenty a month.\nNext steps: call again.\n", ""},
		{"steps", "Step 1: open the door.\nStep 2: go in.\nStep 3: close it.\n", ""},
		{"interviewer and respondent", "I: How do you plan?\nR: Badly. I use: paper.\nI: Why?\nR: No time.\n", "I, R"},
		{"questions and answers", "Q: How do you plan?\nA: Badly.\nQ: Why?\nA: No time.\n", "Q, A"},
		{"a question alone", "Question: how do we plan?\n\nWe plan badly, for many reasons, and have done so for years.\n", ""},
		{"numbered speakers", "SPEAKER_00: hi\nSPEAKER_01: hello\nSPEAKER_00: so\n", "SPEAKER_00, SPEAKER_01"},
		{"brackets", "[Speaker 1]: hi\n[Speaker 2]: hello\n[Speaker 1]: so\n", "Speaker 1, Speaker 2"},
		{"small letters that recur", strings.Repeat("dana: hi there\nsam: hello\n", 3), "dana, sam"},
		{"companies and pronouns", "Dana Weber | Lumen (she/her): Hi\nSam O'Neill-Díaz, MD: Hello\nDana Weber | Lumen (she/her): So\n", "Dana Weber | Lumen (she/her), Sam O'Neill-Díaz, MD"},
		{"family name first", "Weber, Dana: Hi\nOkafor, Sam: Hello\nWeber, Dana: So\n", "Weber, Dana, Okafor, Sam"},
		{"a guest who speaks once", "Dana: Hi\n\nSam: Hello\n\nDana: So\n\nSam: Yes\n\nMaría López: May I?\n\nDana: Do.\n", "Dana, Sam, María López"},
		{"a name that is a word", "Will: I will go.\nMark: mark my words.\nWill: will do.\nMark: good.\nWill: fine.\nMark: yes.\n", "Will, Mark"},
		{"French spaces", "Anne : Bonjour.\nÉric : Le problème : personne ne lit.\nAnne : Pourquoi ?\n", "Anne, Éric"},
		{"full-width colons", "主持人：你好，今天我们谈谈。\n张伟：好的。最大的问题是：没有人看。\n主持人：为什么？\n", "主持人, 张伟"},
		{"Arabic", "دانا: مرحبا، كيف حالك؟\nسامي: بخير. المشكلة هي: لا أحد.\nدانا: لماذا؟\n", "دانا, سامي"},
		{"prose", "The rota is late.\n\nShe said it plainly: nobody reads it.\n\nWhat would she pay? Answer: twenty.\n", ""},
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

// In captions a speaker may be named on each cue, or where the speaker changes.
func TestSpeakersInCaptions(t *testing.T) {
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
		{"named where it changes", []string{"DANA: Tell me", "about the week.", "SAM: It is long.", "Very long.", ">> And mine is short.", ">> DANA: OK: go on.", "And on."},
			[]string{"DANA|Tell me", "DANA|about the week.", "SAM|It is long.", "SAM|Very long.", "|And mine is short.", "DANA|OK: go on.", "DANA|And on."}},
		{"named on each", []string{"Dana: a", "Sam: b", "Dana: c", "no one knows who", "Sam: d"}, []string{"Dana|a", "Sam|b", "Dana|c", "|no one knows who", "Sam|d"}},
		{"two in a cue", []string{"Dana: a\nSam: b", "Dana: c\nd"}, []string{"Dana|a", "Sam|b", "Dana|c d"}},
		{"dashes", []string{"- Hi.\n- Hello.", "- not a dialogue"}, []string{"|Hi.", "|Hello.", "|- not a dialogue"}},
		{"honest repetition", []string{"Yes.", "Yes.", "Yes.", "No."}, []string{"|Yes.", "|Yes.", "|Yes.", "|No."}},
		{"captions that grow", []string{"I think", "I think that we", "I think that we go", "And", "And then"}, []string{"|I think that we go", "|And then"}},
		{"captions that roll without markup", []string{"one two", "one two\nthree four", "three four\nfive six", "five six\nseven"}, []string{"|one two", "|three four", "|five six", "|seven"}},
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
