package quote

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"research/activities/extract/interviewtest"
	"research/transcript"
)

// checkSpan checks what holds for every span: it is a part of the text, divides no character, and has one
// speaker.
func checkSpan(t *testing.T, tr *transcript.Transcript, s Span) {
	t.Helper()
	ok := 0 <= s.ByteStart && s.ByteStart < s.ByteEnd && s.ByteEnd <= len(tr.Text) &&
		0 <= s.UtteranceFrom && s.UtteranceFrom <= s.UtteranceTo && s.UtteranceTo < len(tr.Utterances)
	require.True(t, ok, "%+v", s)
	require.True(t, utf8.ValidString(tr.Text[s.ByteStart:s.ByteEnd]))
	if s.ByteEnd < len(tr.Text) {
		next, _ := utf8.DecodeRuneInString(tr.Text[s.ByteEnd:])
		require.False(t, unicode.Is(unicode.M, next), "a span ends within a character")
	}
	require.GreaterOrEqual(t, s.ByteStart, tr.Utterances[s.UtteranceFrom].ByteStart)
	require.LessOrEqual(t, s.ByteEnd, tr.Utterances[s.UtteranceTo].ByteEnd)
	for i := s.UtteranceFrom; i <= s.UtteranceTo; i++ {
		require.Equal(t, tr.Utterances[s.UtteranceFrom].Speaker, tr.Utterances[i].Speaker)
	}
	require.GreaterOrEqual(t, s.Similarity, MinSimilarity)
	require.LessOrEqual(t, s.Similarity, 1.0)
}

func TestAlign(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New(
		"Ann: How do you close the books?",
		"Ben: We, um, we copy every invoice by hand — it’s about $1,500 a year in overtime.",
		"Ben: And I don't think we would pay for software.",
		"Ann: Wouldn't you?",
		"Ben: No. My boss (laughs) is never in the office before ten, he can't read the reports.",
		"Cem: Die größte Sorge ist „Übernahme“, sagt der Chef. Straße und Maß.",
		"Dan: Yes.",
		"Eva: 私たちは毎月三回、請求書を手で入力しています。ソフトは使っていません。",
		"Faa: نحن لا نستخدم البرنامج كل يوم، لكنَّ المديرَ يحبُّه.",
		"Gil: We tested the résumé parser on twenty-five people last spring in the Berlin office.",
	)
	for name, c := range map[string]struct {
		quote  string
		cited  []int
		want   string
		match  Match
		reason RejectReason
	}{
		"word for word": {
			quote: "And I don't think we would pay for software.",
			cited: []int{2},
			want:  "And I don't think we would pay for software.",
			match: MatchVerbatim,
		},
		"a part": {
			quote: "I don't think we would pay",
			want:  "I don't think we would pay",
			match: MatchVerbatim,
		},
		"with other quotes and dashes": {
			quote: "\"we copy every invoice by hand - it's about $1,500 a year\"",
			cited: []int{1},
			want:  "we copy every invoice by hand — it’s about $1,500 a year",
			match: MatchVerbatim,
		},
		"without its fillers": {
			quote: "We copy every invoice by hand",
			cited: []int{1},
			want:  "we copy every invoice by hand",
			match: MatchVerbatim,
		},
		"with the separator left out": {
			quote: "it's about $1500 a year in overtime",
			cited: []int{1},
			want:  "it’s about $1,500 a year in overtime",
			match: MatchRepaired,
		},
		"with its id and speaker": {
			quote: "[u2] Ben: And I don't think we would pay for software.",
			cited: []int{2},
			want:  "And I don't think we would pay for software.",
			match: MatchVerbatim,
		},
		"a contraction written out": {
			quote: "I do not think we would pay for software",
			cited: []int{2},
			want:  "I don't think we would pay for software",
			match: MatchRepaired,
		},
		"captions without apostrophes": {
			quote: "And I dont think we would pay for software",
			cited: []int{2},
			want:  "And I don't think we would pay for software",
			match: MatchRepaired,
		},
		"over two turns of one speaker": {
			quote: "a year in overtime. And I don't think we would pay",
			cited: []int{1, 2},
			want:  "a year in overtime.\nAnd I don't think we would pay",
			match: MatchVerbatim,
		},
		"over turns of two speakers": {
			quote:  "we would pay for software. Wouldn't you?",
			cited:  []int{2, 3},
			reason: RejectNotFound,
		},
		"half of a contraction": {
			quote:  "I do think we would pay for software",
			cited:  []int{2},
			reason: RejectMeaningDiffers,
		},
		"the negation left out": {
			quote:  "And I think we would pay for software.",
			cited:  []int{2},
			reason: RejectMeaningDiffers,
		},
		"a negation put in": {
			quote:  "We never copy every invoice by hand",
			cited:  []int{1},
			reason: RejectMeaningDiffers,
		},
		"a negation in the midst left out": {
			quote:  "My boss is in the office before ten",
			cited:  []int{4},
			reason: RejectMeaningDiffers,
		},
		"another amount": {
			quote:  "it's about $2,500 a year in overtime",
			cited:  []int{1},
			reason: RejectMeaningDiffers,
		},
		"another quantity": {
			quote:  "we copy some invoice by hand it's about $1,500",
			cited:  []int{1},
			reason: RejectMeaningDiffers,
		},
		"a number in words": {
			quote: "My boss is never in the office before 10",
			cited: []int{4},
			want:  "My boss (laughs) is never in the office before ten",
			match: MatchRepaired,
		},
		"a remark left out": {
			quote: "My boss is never in the office before ten",
			cited: []int{4},
			want:  "My boss (laughs) is never in the office before ten",
			match: MatchRepaired,
		},
		"one word wrong": {
			quote: "My boss is never in the building before ten, he can't read the reports",
			cited: []int{4},
			want:  "My boss (laughs) is never in the office before ten, he can't read the reports",
			match: MatchRepaired,
		},
		"an ellipsis": {
			quote: "We … copy every invoice … in overtime.",
			cited: []int{1},
			want:  "We, um, we copy every invoice by hand — it’s about $1,500 a year in overtime.",
			match: MatchRepaired,
		},
		"an ellipsis in the wrong order": {
			quote:  "a year in overtime … copy every invoice",
			cited:  []int{1},
			reason: RejectNotFound,
		},
		"an ellipsis over speakers": {
			quote:  "copy every invoice by hand … never in the office before ten",
			cited:  []int{1, 4},
			reason: RejectNotFound,
		},
		"what nobody said": {
			quote:  "The moon is made of green cheese and stars",
			cited:  []int{1},
			reason: RejectNotFound,
		},
		"nothing": {
			quote:  " … ",
			cited:  []int{1},
			reason: RejectTooShort,
		},
		"only punctuation": {
			quote:  "?!",
			cited:  []int{1},
			reason: RejectTooShort,
		},
		"one word, cited": {
			quote: "Yes.",
			cited: []int{6},
			want:  "Yes.",
			match: MatchVerbatim,
		},
		"one word, not cited": {
			quote:  "Yes.",
			reason: RejectTooShort,
		},
		"one word, cited elsewhere": {
			quote:  "Yes.",
			cited:  []int{0},
			reason: RejectTooShort,
		},
		"ids out of range": {
			quote: "And I don't think we would pay for software.",
			cited: []int{-5, 99999, 2},
			want:  "And I don't think we would pay for software.",
			match: MatchVerbatim,
		},
		"German quotes and sharp s": {
			quote: "die groesste SORGE ist \"Übernahme\", sagt der Chef",
			cited: []int{5},
			want:  "Die größte Sorge ist „Übernahme“, sagt der Chef",
			match: MatchRepaired,
		},
		"German capitals": {
			quote: "STRASSE UND MASS",
			cited: []int{5},
			want:  "Straße und Maß",
			match: MatchVerbatim,
		},
		"Japanese, word for word": {
			quote: "請求書を手で入力しています。",
			cited: []int{7},
			want:  "請求書を手で入力しています。",
			match: MatchVerbatim,
		},
		"Japanese, with spaces": {
			quote: "請求書 を 手 で 入力 しています",
			cited: []int{7},
			want:  "請求書を手で入力しています",
			match: MatchVerbatim,
		},
		"Japanese, a number as digit": {
			quote: "私たちは毎月3回、請求書を手で入力しています",
			cited: []int{7},
			want:  "私たちは毎月三回、請求書を手で入力しています",
			match: MatchRepaired,
		},
		"Japanese, another number": {
			quote:  "私たちは毎月五回、請求書を手で入力しています",
			cited:  []int{7},
			reason: RejectMeaningDiffers,
		},
		"Japanese, the opposite": {
			quote:  "請求書を手で入力しています。ソフトは使っています。",
			cited:  []int{7},
			reason: RejectMeaningDiffers,
		},
		"Arabic, without vowel signs": {
			quote: "لكن المدير يحبه",
			cited: []int{8},
			want:  "لكنَّ المديرَ يحبُّه",
			match: MatchRepaired,
		},
		"Arabic, the opposite": {
			quote:  "نحن نستخدم البرنامج كل يوم",
			cited:  []int{8},
			reason: RejectMeaningDiffers,
		},
		"without accents": {
			quote: "We tested the resume parser",
			cited: []int{9},
			want:  "We tested the résumé parser",
			match: MatchRepaired,
		},
		"with invisible characters": {
			quote: "We tes\u00adted the\u200b résumé\u200d parser",
			cited: []int{9},
			want:  "We tested the résumé parser",
			match: MatchVerbatim,
		},
		"with accents written apart": {
			quote: "We tested the re\u0301sume\u0301 parser",
			cited: []int{9},
			want:  "We tested the résumé parser",
			match: MatchVerbatim,
		},
		"with a wrong citation": {
			quote: "We tested the résumé parser",
			cited: []int{0},
			want:  "We tested the résumé parser",
			match: MatchVerbatim,
		},
		"words added after the end": {
			quote: "We tested the résumé parser on twenty-five people last spring in the Berlin office " +
				"and everybody hated every minute of it",
			cited:  []int{9},
			reason: RejectNotFound,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			span, reason := NewAligner(tr).Align(c.quote, c.cited, 0, len(tr.Utterances))
			require.Equal(t, c.reason, reason)
			if reason != "" {
				require.Zero(t, span)
				return
			}
			checkSpan(t, tr, span)
			require.Equal(t, c.want, tr.Text[span.ByteStart:span.ByteEnd])
			require.Equal(t, c.match, span.Match)
		})
	}
}

func TestTheCitedUtteranceComesFirst(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New("Ann: it works for us", "Ben: well, it works for us", "Cem: it works for us")
	a := NewAligner(tr)
	for cited := range tr.Utterances {
		span, reason := a.Align("it works for us", []int{cited}, 0, len(tr.Utterances))
		require.Empty(t, reason)
		require.Equal(t, cited, span.UtteranceFrom)
	}
	span, reason := a.Align("it works for us", nil, 2, 3)
	require.Empty(t, reason)
	require.Equal(t, 2, span.UtteranceFrom, "the chunk comes before the rest")
}

// Thai puts vowels and tones as marks on its letters, emoji are several runes: no span may end between them.
func TestSpansEndBetweenCharacters(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New("Ann: เราใช้เวลากี่ชั่วโมงต่อสัปดาห์", "Ben: 👩‍💻 said we e\u0301teint it")
	a := NewAligner(tr)
	for i := range tr.Text {
		for j := i + 1; j <= len(tr.Text); j++ {
			if !utf8.RuneStart(tr.Text[i]) || j < len(tr.Text) && !utf8.RuneStart(tr.Text[j]) {
				continue
			}
			if span, reason := a.Align(tr.Text[i:j], []int{0, 1}, 0, len(tr.Utterances)); reason == "" {
				checkSpan(t, tr, span)
			}
		}
	}
}

func TestATranscriptWithoutWords(t *testing.T) {
	t.Parallel()
	for _, tr := range []*transcript.Transcript{{}, interviewtest.New("Ann: ?!", "Ben: …")} {
		_, reason := NewAligner(tr).Align("we copy every invoice", []int{0}, 0, len(tr.Utterances))
		require.Equal(t, RejectNotFound, reason)
	}
}

func FuzzAlign(f *testing.F) {
	f.Add("Ann: we copy every invoice\nBen: we don't", "we copy … invoice", 0)
	f.Add("Eva: 請求書を手で入力しています。", "請求書を手で", 0)
	f.Add("Dan: don't won't can't", "do not", 0)
	f.Add("เราใช้เวลากี่ชั่วโมง [laughs] (x", "ใช้เวลา", -1)
	f.Fuzz(func(t *testing.T, text, quote string, cited int) {
		if !utf8.ValidString(text) || len(text) > 4096 || len(quote) > 1024 {
			return
		}
		tr := interviewtest.New(strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")...)
		a := NewAligner(tr)
		span, reason := a.Align(quote, []int{cited}, 0, len(tr.Utterances))
		if reason != "" {
			return
		}
		checkSpan(t, tr, span)
		found := tr.Text[span.ByteStart:span.ByteEnd]
		again, reason := a.Align(found, []int{span.UtteranceFrom}, 0, len(tr.Utterances))
		if reason == "" {
			require.Equal(t, found, tr.Text[again.ByteStart:again.ByteEnd], "a located quote is located again")
		}
	})
}

const (
	// maxAlign is how long a quote may take in a transcript of 60,000 words.
	maxAlign = time.Millisecond
	// maxRepetition is how long a quote of 130 words may take in a transcript that repeats one sentence.
	maxRepetition = 30 * time.Millisecond
)

// BenchmarkAlign locates quotes of each kind in a transcript of 60,000 words. The metric "limit" is the part
// of the limit that is used.
func BenchmarkAlign(b *testing.B) {
	c := loadCorpus("english")
	rng := rand.New(rand.NewPCG(1, 2))
	own, other := c.interview(rng, 980, 0), c.interview(rng, 60, 1)
	b.Logf("%d words", len(strings.Fields(own.transcript.Text)))
	a := NewAligner(own.transcript)
	quotes := map[string][]corruptedQuote{}
	for range 300 {
		for name, quote := range c.corrupt(rng, own, other) {
			quotes[name] = append(quotes[name], quote)
		}
	}
	check := func(b *testing.B, limit time.Duration) {
		b.Helper()
		each := b.Elapsed() / time.Duration(b.N)
		b.ReportMetric(float64(each)/float64(limit), "limit")
		require.Less(b, each, limit)
	}
	for _, row := range errorTable {
		b.Run(strings.ReplaceAll(row.name, " ", "_"), func(b *testing.B) {
			list := quotes[row.name]
			for i := 0; b.Loop(); i++ {
				quote := list[i%len(list)]
				a.Align(quote.text, []int{quote.turn}, 0, len(own.transcript.Utterances))
			}
			check(b, maxAlign)
		})
	}
	b.Run("repetition", func(b *testing.B) {
		line := "Ann: no, yes, no, yes we do it we do it again and again"
		tr := interviewtest.New(slices.Repeat([]string{line}, 5000)...)
		a := NewAligner(tr)
		quote := "we do it again and then we do it once more and again " + strings.Repeat("we do it ", 40)
		for b.Loop() {
			a.Align(quote, nil, 0, len(tr.Utterances))
		}
		check(b, maxRepetition)
	})
	b.Run("index", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewAligner(own.transcript)
		}
	})
}

func ExampleAligner_Align() {
	t := &transcript.Transcript{
		Text: "We, um, we copy every invoice by hand.",
		Utterances: []transcript.Utterance{
			{Speaker: "Ben", Text: "We, um, we copy every invoice by hand.", ByteEnd: 38},
		},
	}
	aligner := NewAligner(t)
	span, _ := aligner.Align("we copy every invoice by hand", []int{0}, 0, len(t.Utterances))
	fmt.Println(t.Text[span.ByteStart:span.ByteEnd], span.Match)
	_, reason := aligner.Align("we never copy every invoice by hand", []int{0}, 0, len(t.Utterances))
	fmt.Println(reason)
	// Output:
	// we copy every invoice by hand verbatim
	// meaning_differs
}
