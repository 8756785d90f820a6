package extract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// A fixedPlan plans the same chunks for every transcript.
type fixedPlan struct {
	Extractor

	chunks []Chunk
}

func (p *fixedPlan) Plan(*transcript.Transcript, []Hypothesis) []Chunk { return p.chunks }

// fourTurns has turns of 24 bytes, with a line feed between them.
func fourTurns(t *testing.T) *transcript.Transcript {
	t.Helper()
	parsed, err := transcript.Parse([]byte("Dana: aaaaaaaaaaaaaaaaaa.\n\nOmar: bbbbbbbbbbbbbbbbbb.\n\n" +
		"Dana: cccccccccccccccccc.\n\nOmar: dddddddddddddddddd.\n"))
	require.NoError(t, err)
	require.Len(t, parsed.Utterances, 4)
	return parsed
}

// span is the bytes of the turns from one up to but not including another.
func span(t *transcript.Transcript, from, to int) Range {
	return Range{t.Utterances[from].ByteStart, t.Utterances[to-1].ByteEnd}
}

func TestPlanMissing(t *testing.T) {
	t.Parallel()
	text := fourTurns(t)
	chunk := func(from, to int) Chunk {
		r := span(text, from, to)
		return Chunk{From: from, To: to, ByteStart: r.Start, ByteEnd: r.End}
	}
	e := &fixedPlan{chunks: []Chunk{chunk(0, 2), chunk(2, 4)}}
	read := func(parts ...Range) Ranges { return NewRanges(parts...) }

	type request struct{ from, to, hypotheses int }
	for name, tt := range map[string]struct {
		read []Ranges // of each hypothesis
		want []request
	}{
		"a new import is read whole, for all hypotheses at once": {
			[]Ranges{nil, nil}, []request{{0, 2, 2}, {2, 4, 2}},
		},
		"nothing is missing": {
			[]Ranges{read(span(text, 0, 4)), read(span(text, 0, 2), span(text, 2, 4))}, nil,
		},
		"a new hypothesis is read for alone": {
			[]Ranges{read(span(text, 0, 4)), nil}, []request{{0, 2, 1}, {2, 4, 1}},
		},
		"a chunk that was not read is read": {
			[]Ranges{read(span(text, 0, 2)), read(span(text, 0, 2))}, []request{{2, 4, 2}},
		},
		"a chunk of which one turn was not read is cut to it": {
			[]Ranges{read(span(text, 0, 1), span(text, 2, 4))}, []request{{1, 2, 1}},
		},
		"hypotheses that miss different ranges are read for separately": {
			[]Ranges{read(span(text, 0, 2)), read(span(text, 2, 4))}, []request{{2, 4, 1}, {0, 2, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wanted []Wanted
			for i, r := range tt.read {
				wanted = append(wanted, Wanted{Hypothesis{ID: string(rune('a' + i)), Statement: "S"}, r})
			}
			var got []request
			for _, r := range PlanMissing(e, text, wanted) {
				got = append(got, request{r.Chunk.From, r.Chunk.To, len(r.Hypotheses)})
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	a := NewRanges(Range{20, 30}, Range{0, 10}, Range{10, 12}, Range{5, 5})
	require.Equal(t, Ranges{{0, 12}, {20, 30}}, a)
	require.Equal(t, Ranges{{0, 12}, {15, 30}}, a.Union(Ranges{{15, 25}}))
	require.Equal(t, Ranges{{0, 3}, {8, 12}, {20, 21}}, a.Minus(Ranges{{3, 8}, {21, 40}}))
	require.Equal(t, Ranges{{10, 12}, {20, 22}}, a.Within(Range{10, 22}))
	require.True(t, a.Covers(Range{2, 12}))
	require.False(t, a.Covers(Range{10, 21}))
	require.Equal(t, 22, a.Bytes())
	require.InDelta(t, 0.22, a.Coverage(100), 1e-9)
	require.InDelta(t, 0.999, Ranges{{0, 99_999}}.Coverage(100_000), 1e-9, "a single missing byte is visible")
	require.InDelta(t, 1, Ranges{{0, 100}}.Coverage(100), 1e-9)
}
