package extract

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

	"research/transcript"
)

// told makes a transcript of "Name: text" lines.
func told(lines ...string) *transcript.Transcript {
	t := &transcript.Transcript{Language: "en"}
	for i, line := range lines {
		speaker, text, ok := strings.Cut(line, ": ")
		if !ok {
			speaker, text = "", line
		}
		if i > 0 {
			t.Text += "\n"
		}
		from := len(t.Text)
		t.Text += text
		t.Utterances = append(t.Utterances, transcript.Utterance{Speaker: speaker, Text: text, ByteStart: from, ByteEnd: len(t.Text)})
	}
	return t
}

// checkSpan holds for every span: bytes of the text, on characters, within one run of one speaker.
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
	require.GreaterOrEqual(t, s.Similarity, minSimilarity)
	require.LessOrEqual(t, s.Similarity, 1.0)
}

func TestAlign(t *testing.T) {
	t.Parallel()
	tr := told(
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
		quote   string
		cited   []int
		want    string
		match   string
		refusal Refusal
	}{
		"word for word":                      {"And I don't think we would pay for software.", []int{2}, "And I don't think we would pay for software.", Verbatim, ""},
		"a part":                             {"I don't think we would pay", nil, "I don't think we would pay", Verbatim, ""},
		"with other quotes and dashes":       {"\"we copy every invoice by hand - it's about $1,500 a year\"", []int{1}, "we copy every invoice by hand — it’s about $1,500 a year", Repaired, ""},
		"without its fillers":                {"We copy every invoice by hand", []int{1}, "we copy every invoice by hand", Repaired, ""},
		"with the separator left out":        {"it's about $1500 a year in overtime", []int{1}, "it’s about $1,500 a year in overtime", Repaired, ""},
		"with its id and speaker":            {"[u2] Ben: And I don't think we would pay for software.", []int{2}, "And I don't think we would pay for software.", Verbatim, ""},
		"a contraction written out":          {"I do not think we would pay for software", []int{2}, "I don't think we would pay for software", Repaired, ""},
		"captions without apostrophes":       {"And I dont think we would pay for software", []int{2}, "And I don't think we would pay for software", Repaired, ""},
		"over two turns of one speaker":      {"a year in overtime. And I don't think we would pay", []int{1, 2}, "a year in overtime.\nAnd I don't think we would pay", Verbatim, ""},
		"over turns of two speakers":         {"we would pay for software. Wouldn't you?", []int{2, 3}, "", "", NotFound},
		"half of a contraction":              {"I do think we would pay for software", []int{2}, "", "", MeaningDiffers},
		"the negation left out":              {"And I think we would pay for software.", []int{2}, "", "", MeaningDiffers},
		"a negation put in":                  {"We never copy every invoice by hand", []int{1}, "", "", MeaningDiffers},
		"a negation in the midst left out":   {"My boss is in the office before ten", []int{4}, "", "", MeaningDiffers},
		"another amount":                     {"it's about $2,500 a year in overtime", []int{1}, "", "", MeaningDiffers},
		"another quantity":                   {"we copy some invoice by hand it's about $1,500", []int{1}, "", "", MeaningDiffers},
		"a number in words":                  {"My boss is never in the office before 10", []int{4}, "My boss (laughs) is never in the office before ten", Repaired, ""},
		"a remark left out":                  {"My boss is never in the office before ten", []int{4}, "My boss (laughs) is never in the office before ten", Repaired, ""},
		"one word wrong":                     {"My boss is never in the building before ten, he can't read the reports", []int{4}, "My boss (laughs) is never in the office before ten, he can't read the reports", Repaired, ""},
		"an ellipsis":                        {"We … copy every invoice … in overtime.", []int{1}, "We, um, we copy every invoice by hand — it’s about $1,500 a year in overtime.", Repaired, ""},
		"an ellipsis in the wrong order":     {"a year in overtime … copy every invoice", []int{1}, "", "", NotFound},
		"an ellipsis over speakers":          {"copy every invoice by hand … never in the office before ten", []int{1, 4}, "", "", NotFound},
		"what nobody said":                   {"The moon is made of green cheese and stars", []int{1}, "", "", NotFound},
		"nothing":                            {" … ", []int{1}, "", "", TooShort},
		"only punctuation":                   {"?!", []int{1}, "", "", TooShort},
		"one word, cited":                    {"Yes.", []int{6}, "Yes.", Verbatim, ""},
		"one word, not cited":                {"Yes.", nil, "", "", TooShort},
		"one word, cited elsewhere":          {"Yes.", []int{0}, "", "", TooShort},
		"ids out of range":                   {"And I don't think we would pay for software.", []int{-5, 99999, 2}, "And I don't think we would pay for software.", Verbatim, ""},
		"German quotes and sharp s":          {"die groesste SORGE ist \"Übernahme\", sagt der Chef", []int{5}, "Die größte Sorge ist „Übernahme“, sagt der Chef", Repaired, ""},
		"German capitals":                    {"STRASSE UND MASS", []int{5}, "Straße und Maß", Repaired, ""},
		"Japanese, word for word":            {"請求書を手で入力しています。", []int{7}, "請求書を手で入力しています。", Verbatim, ""},
		"Japanese, with spaces":              {"請求書 を 手 で 入力 しています", []int{7}, "請求書を手で入力しています", Repaired, ""},
		"Japanese, a number as digit":        {"私たちは毎月3回、請求書を手で入力しています", []int{7}, "私たちは毎月三回、請求書を手で入力しています", Repaired, ""},
		"Japanese, another number":           {"私たちは毎月五回、請求書を手で入力しています", []int{7}, "", "", MeaningDiffers},
		"Japanese, the opposite":             {"請求書を手で入力しています。ソフトは使っています。", []int{7}, "", "", MeaningDiffers},
		"Arabic, without vowel signs":        {"لكن المدير يحبه", []int{8}, "لكنَّ المديرَ يحبُّه", Repaired, ""},
		"Arabic, the opposite":               {"نحن نستخدم البرنامج كل يوم", []int{8}, "", "", MeaningDiffers},
		"without accents":                    {"We tested the resume parser", []int{9}, "We tested the résumé parser", Repaired, ""},
		"with invisible characters":          {"We tes\u00adted the\u200b résumé\u200d parser", []int{9}, "We tested the résumé parser", Repaired, ""},
		"with accents written apart":         {"We tested the re\u0301sume\u0301 parser", []int{9}, "We tested the résumé parser", Repaired, ""},
		"wrongly cited":                      {"We tested the résumé parser", []int{0}, "We tested the résumé parser", Verbatim, ""},
		"a quote that goes on where it ends": {"We tested the résumé parser on twenty-five people last spring in the Berlin office and everybody hated every minute of it", []int{9}, "", "", NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			span, refusal := NewAligner(tr).Align(c.quote, c.cited, Whole(tr))
			require.Equal(t, c.refusal, refusal)
			if refusal != "" {
				require.Zero(t, span)
				return
			}
			checkSpan(t, tr, span)
			require.Equal(t, c.want, tr.Text[span.ByteStart:span.ByteEnd])
			require.Equal(t, c.match, span.Match)
		})
	}
}

func TestTheCitedPlaceIsTakenOfSeveral(t *testing.T) {
	t.Parallel()
	tr := told("Ann: it works for us", "Ben: well, it works for us", "Cem: it works for us")
	a := NewAligner(tr)
	for cited := range tr.Utterances {
		span, refusal := a.Align("it works for us", []int{cited}, Whole(tr))
		require.Empty(t, refusal)
		require.Equal(t, cited, span.UtteranceFrom)
	}
	span, refusal := a.Align("it works for us", nil, Chunk{From: 2, To: 3, ByteStart: tr.Utterances[2].ByteStart, ByteEnd: len(tr.Text)})
	require.Empty(t, refusal)
	require.Equal(t, 2, span.UtteranceFrom, "the chunk comes before the rest")
}

// Thai puts vowels and tones as marks on its letters, emoji are several runes: no span may end between them.
func TestSpansEndBetweenCharacters(t *testing.T) {
	t.Parallel()
	tr := told("Ann: เราใช้เวลากี่ชั่วโมงต่อสัปดาห์", "Ben: 👩‍💻 said we e\u0301teint it")
	a := NewAligner(tr)
	for i := range tr.Text {
		for j := i + 1; j <= len(tr.Text); j++ {
			if !utf8.RuneStart(tr.Text[i]) || j < len(tr.Text) && !utf8.RuneStart(tr.Text[j]) {
				continue
			}
			if span, refusal := a.Align(tr.Text[i:j], []int{0, 1}, Whole(tr)); refusal == "" {
				checkSpan(t, tr, span)
			}
		}
	}
}

func TestATranscriptWithoutWords(t *testing.T) {
	t.Parallel()
	for _, tr := range []*transcript.Transcript{{}, told("Ann: ?!", "Ben: …")} {
		_, refusal := NewAligner(tr).Align("we copy every invoice", []int{0}, Whole(tr))
		require.Equal(t, NotFound, refusal)
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
		tr := told(strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")...)
		a := NewAligner(tr)
		span, refusal := a.Align(quote, []int{cited}, Whole(tr))
		if refusal != "" {
			return
		}
		checkSpan(t, tr, span)
		again, refusal := a.Align(tr.Text[span.ByteStart:span.ByteEnd], []int{span.UtteranceFrom}, Whole(tr))
		if refusal == "" {
			require.Equal(t, tr.Text[span.ByteStart:span.ByteEnd], tr.Text[again.ByteStart:again.ByteEnd], "what was found is found again")
		}
	})
}

// maxAlign is how long a quote may take in a transcript of 60,000 words.
const maxAlign = time.Millisecond

// maxRepetition is the same for a quote of 130 words in a transcript that says one thing over and over.
const maxRepetition = 30 * time.Millisecond

// A transcript of 60,000 words, and quotes of each kind; "limit" is the part of maxAlign that is used.
func BenchmarkAlign(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	tg := &tongues[0]
	own, other := tg.interview(rng, 980, 0, 2), tg.interview(rng, 60, 1, 2)
	b.Logf("%d words", len(strings.Fields(own.t.Text)))
	a := NewAligner(own.t)
	quotes := map[string][]corrupted{}
	for range 300 {
		for name, c := range corrupt(rng, tg, own, other) {
			quotes[name] = append(quotes[name], c)
		}
	}
	for _, row := range errorTable {
		b.Run(strings.ReplaceAll(row.name, " ", "_"), func(b *testing.B) {
			list := quotes[row.name]
			for i := 0; b.Loop(); i++ {
				c := list[i%len(list)]
				a.Align(c.quote, []int{c.turn}, Whole(own.t))
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each)/float64(maxAlign), "limit")
			require.Less(b, each, maxAlign)
		})
	}
	b.Run("repetition", func(b *testing.B) { // an hour's interviews repeat themselves; so does a file that means harm
		repeats := told(slices.Repeat([]string{"Ann: no no no yes we do it we do it again and again"}, 5000)...)
		a := NewAligner(repeats)
		quote := "we do it again and then we do it once more and again " + strings.Repeat("we do it ", 40)
		for b.Loop() {
			a.Align(quote, nil, Whole(repeats))
		}
		each := b.Elapsed() / time.Duration(b.N)
		b.ReportMetric(float64(each)/float64(maxRepetition), "limit")
		require.Less(b, each, maxRepetition)
	})
	b.Run("index", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewAligner(own.t)
		}
	})
}

func ExampleAligner_Align() {
	t := &transcript.Transcript{
		Text:       "We, um, we copy every invoice by hand.",
		Utterances: []transcript.Utterance{{Speaker: "Ben", Text: "We, um, we copy every invoice by hand.", ByteEnd: 38}},
	}
	aligner := NewAligner(t)
	span, _ := aligner.Align("we copy every invoice by hand", []int{0}, Whole(t))
	fmt.Println(t.Text[span.ByteStart:span.ByteEnd], span.Match)
	_, refusal := aligner.Align("we never copy every invoice by hand", []int{0}, Whole(t))
	fmt.Println(refusal)
	// Output:
	// we copy every invoice by hand verbatim
	// meaning_differs
}
