package imports

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/transcript"
)

// turnsOf returns turns of the form "Name: text".
func turnsOf(lines ...string) (t text, joined string) {
	var turns []transcript.Utterance
	var words []string
	at := 0
	for _, line := range lines {
		speaker, said, _ := strings.Cut(line, ": ")
		turns = append(turns, transcript.Utterance{
			Speaker: speaker, Text: said, ByteStart: at, ByteEnd: at + len(said), Confidence: 1,
		})
		words, at = append(words, said), at+len(said)+1
	}
	joined = strings.Join(words, "\n")
	return newText(turns, joined), joined
}

func TestAQuoteIsFoundInAnotherReading(t *testing.T) {
	t.Parallel()
	before, beforeText := turnsOf("R: We pay late.", "I: Why is that so?", "R: No time.",
		"R: No time at all, you see.",
		"S: A kitchen in spring.", "R: It is late. Yes. We know.", "I: Yes. I see that now.")
	for name, c := range map[string]struct {
		quote string
		from  int // of the quote: its nth occurrence
		after []string
		want  string // with the turn before it, or "" for no place
	}{
		"where nothing changed": {
			"pay late", 0, []string{"R: We pay late.", "I: Why is that so?"}, "We |pay late",
		},
		"after a line that is new": {
			"pay late", 0, []string{"N: In a kitchen.", "R: We pay late.", "I: Why is that so?"}, "We |pay late",
		},
		"across a line that is a turn no more": {
			"No time.\nNo time", 0, []string{"I: Why is that so?", "R: No time. No time at all, you see."},
			"|No time. No time",
		},
		"across turns of one speaker": {
			"No time.\nNo time", 0, []string{"R: No time.", "R: No time at all, you see."}, "|No time.\nNo time",
		},
		"not across turns of two speakers": {
			"No time.\nNo time", 0, []string{"R: No time.", "S: No time at all, you see."}, "",
		},
		"in two speakers' turns as before": {
			"late.\nWhy", 0, []string{"R: We pay late.", "I: Why is that so?"}, "We pay |late.\nWhy",
		},
		"not where its words are gone": {"A kitchen", 0, []string{"R: We pay late."}, ""},
		"the second time it is said": {
			"Yes.", 1, []string{"R: It is late. Yes. We know.", "I: Yes. I see that now."},
			"It is late. Yes. We know.\n|Yes.",
		},
		"not where somebody else says it": {"Yes.", 1, []string{"R: It is late. Yes. We know."}, ""},
	} {
		start := 0
		for range c.from + 1 {
			start += strings.Index(beforeText[start:], c.quote) + 1
		}
		start--
		after, joined := turnsOf(c.after...)
		at, found := before.place(start, start+len(c.quote), after)
		require.Equal(t, c.want != "", found, name)
		if found {
			require.True(t, strings.HasSuffix(joined[:at]+"|"+joined[at:at+len(c.quote)], c.want), name)
		}
	}
}

func TestAQuoteIsFoundFarFromItsOldPlace(t *testing.T) {
	t.Parallel()
	filler := "N: " + strings.Repeat("Nothing is said here. ", 8000)
	before, joined := turnsOf(filler, "R: We pay late.", "I: Why is that so?")
	after, _ := turnsOf("R: We pay late.", "I: Why is that so?")
	start := strings.Index(joined, "pay late")
	at, found := before.place(start, start+8, after)
	require.True(t, found)
	require.Equal(t, 3, at)
	start = strings.Index(joined, "Nothing is said")
	_, found = before.place(start, start+15, after)
	require.False(t, found)
}

func TestTurnsThatAreTheSameInAnotherReading(t *testing.T) {
	t.Parallel()
	before, _ := turnsOf("N: Head.", "R: One.", "I: Two.", "R: Three.", "R: Four.", "I: Five.")
	after, _ := turnsOf("R: One.", "I: Two.", "I: Three.", "R: Four.", "I: Five.")
	require.Equal(t, []sameRange{{6, 16, 0}, {23, 35, 17}}, before.unchanged(after))
	require.Equal(t, []sameRange{{0, 35, 0}}, before.unchanged(before))
	nobody, _ := turnsOf("N: Other.")
	require.Empty(t, before.unchanged(nobody))
}

func TestQuotesMoveWithTheirWords(t *testing.T) {
	t.Parallel()
	before, joined := turnsOf("N: Head.", "R: We pay late.", "I: Why is that so?", "R: No time.")
	before.turns[1].Confidence = 0.5
	after, afterText := turnsOf("R: We pay late.", "R: Why is that so?", "R: No time.")
	quote := func(words string, confirmed bool) db.ListPlacedEvidenceRow {
		at := strings.Index(joined, words)
		return db.ListPlacedEvidenceRow{
			ID: uuid.New(), Quote: words, Speaker: before.within(at, at+1)[0].Speaker, SpeakerConfirmed: confirmed,
			ByteStart: int32(at), ByteEnd: int32(at + len(words)),
		}
	}
	lost := db.ListPlacedEvidenceRow{ID: uuid.New(), Quote: "No time", SpeakerConfirmed: true, ByteStart: -1}
	gone := db.ListPlacedEvidenceRow{ID: uuid.New(), Quote: "nowhere", ByteStart: -1}
	quotes := []db.ListPlacedEvidenceRow{
		quote("Head", true), quote("pay late", true), quote("We pay", false), quote("that so", true), lost, gone,
	}
	p := &replaceParams{}
	require.Equal(t, movedQuotes{Moved: 4, PlaceLost: 2}, p.move(quotes, before, after, afterText))
	require.Equal(t, []int32{-1, 3, 0, 20, 29, -1}, p.Places)
	require.Equal(t, []uuid.UUID{quotes[1].ID, lost.ID}, p.Confirmed, "in a doubtful turn, or without a place")
	p = &replaceParams{}
	require.Equal(t, movedQuotes{Kept: 4, Moved: 1, PlaceLost: 1}, p.move(quotes, before, before, joined))
}
