package craft_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

func FuzzQuestions(f *testing.F) {
	for _, text := range []string{
		"", "?", "¿?", "…?", "So, right?", "How do you do that?\nTell me more", "\xff\xfe?", "a\u0301? é?",
		"你们怎么做吗",
		"e.g. 3.5? J. Smith?", "?!?!?! ...", "\u3000か。", "“How?” he said. why", "ß?ŁØ", "\u200bwhat?", "\u0301",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range craft.Languages() {
			at := 0
			for _, q := range craft.Questions(text, language) {
				require.GreaterOrEqual(t, q.Start, at)
				require.Greater(t, q.End, q.Start)
				require.LessOrEqual(t, q.End, len(text))
				require.False(t, q.Open && q.Closed)
				if utf8.ValidString(text) {
					require.True(t, utf8.ValidString(text[q.Start:q.End]))
				}
				require.Equal(t, strings.TrimSpace(text[q.Start:q.End]), text[q.Start:q.End])
				at = q.End
			}
			craft.Asked([]string{text}, []string{text}, language)
		}
		require.GreaterOrEqual(t, craft.Words(text), 0)
		craft.Language([]string{text, text})
	})
}

// hostile are texts that cost much if anything repeats over them.
func hostile(size int) map[string]string {
	texts := map[string]string{}
	for name, part := range map[string]string{
		"question marks": "?", "letters": "a", "words": "if ", "would you": "would you ", "commas": ", ",
		"points":    ".",
		"questions": "why? ", "fillers": "so, um, well, ", "phrases": "if you could tell could would you mind if ",
		"conditions": "如果", "marks": "a\u0301", "characters": "か", "broken bytes": "\xe3\x81", "line breaks": "\n",
		"tags": "right, isn't it, ", "apostrophes": "'", "ellipses": "... ", "initials": "J. ",
	} {
		texts[name] = strings.Repeat(part, size/len(part)+1)
	}
	return texts
}

// A turn has at most 64 KiB; a quarter of that tells as well. maxHostile is far above what it takes on a busy
// machine, and far below what work that grows with the square of the text would take.
const (
	hostileSize = 16 << 10
	maxHostile  = 2 * time.Second
)

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(hostileSize) {
		for _, language := range craft.Languages() {
			start := time.Now()
			craft.Questions(text, language)
			craft.Asked([]string{text}, []string{text}, language)
			require.Lessf(t, time.Since(start), maxHostile, "%s, %s", language, name)
		}
		craft.Language([]string{text})
		craft.Words(text)
	}
}

func BenchmarkQuestions(b *testing.B) {
	turn := strings.Repeat("So you put all of that into the sheet. How do you know that it is right? "+
		"I see, and if the truck is late, would you call them first, or wait until somebody complains? ", 380)
	for _, language := range []string{"en", "ru", "ja"} {
		b.Run(language, func(b *testing.B) {
			b.SetBytes(int64(len(turn)))
			for b.Loop() {
				craft.Questions(turn, language)
			}
		})
	}
}

func BenchmarkAsked(b *testing.B) {
	var planned, asked []string
	for i := range 2000 {
		words := strings.Fields("returns orders customers invoices drivers schedule supplier warehouse payroll " +
			"tickets refunds")
		text := "How do you handle " + words[i%11] + " from " + words[i%7] + " when " + words[i%5] + " are late?"
		asked = append(asked, text)
		if i%4 == 0 {
			planned = append(planned, text)
		}
	}
	for b.Loop() {
		craft.Asked(planned, asked, "en")
	}
}
