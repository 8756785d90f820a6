package quote

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/interviewtest"
	"research/internal/words"
	"research/transcript"
)

// The aligner looks up each spelling once, and keeps the positions of all words in one slice.
func TestAnAlignerHasTheTokensOfItsUtterances(t *testing.T) {
	t.Parallel()
	transcripts := []*transcript.Transcript{interviewtest.New(
		"Ann: Don't, you know, DONT say L'argent for l'argent!", "Ann: um [laughs] 1,200 and 1 200 and 12 00",
		"Ben: 領収書がない (sighs) twenty twenty", "Ben: \u200b\u0301 Zoe\u0301 zoe \u00ad", "Ben: ",
		"Ann: the cat's 1.5 l' d'")}
	for _, language := range []string{"english", "french", "german", "japanese", "arabic"} {
		transcripts = append(transcripts,
			loadCorpus(language).interview(rand.New(rand.NewPCG(1, 2)), 40, 0).transcript)
	}
	for _, tr := range transcripts {
		a := NewAligner(tr)
		var tokens []words.Token
		for _, u := range tr.Utterances {
			for _, tok := range words.Tokenize(u.Text) {
				tok.Start, tok.End = tok.Start+u.ByteStart, tok.End+u.ByteStart
				tokens = append(tokens, tok)
			}
		}
		require.Equal(t, tokens, a.tokens)
		for at, tok := range tokens {
			id := a.ids[tok.Norm]
			require.Equal(t, id, a.words.ids[at])
			require.Contains(t, a.words.of(id), int32(at))
		}
		for at, of := range a.token {
			require.Equal(t, a.words.ids[of], a.content.ids[at])
			require.Contains(t, a.content.of(a.content.ids[at]), int32(at))
		}
		require.Len(t, a.words.positions, len(tokens))
		require.Len(t, a.content.positions, len(a.token))
	}
}
