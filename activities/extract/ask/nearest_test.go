package ask_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract/ask"
	"research/activities/extract/interviewtest"
)

func TestNearestWords(t *testing.T) {
	t.Parallel()
	books := interviewtest.Books()
	found := ask.Nearest(books, []string{"Ann"}, "We would gladly pay for invoice software", 3)
	require.NotEmpty(t, found)
	require.LessOrEqual(t, len(found), 3)
	require.Equal(t, books.Utterances[3].Text, found[0].Text)
	require.Equal(t, 3, found[0].From)
	for _, q := range found {
		require.Equal(t, "Ben", q.Speaker)
		require.Equal(t, q.Text, books.Text[q.ByteStart:q.ByteEnd])
	}
	require.Empty(t, ask.Nearest(books, []string{"Ann"}, "Zebras", 3))
	require.Empty(t, ask.Nearest(books, []string{"Ann"}, "", 3))
	require.NotEmpty(t, ask.Nearest(books, nil, "and that", 3), "words that are common everywhere")
}

func TestNearestWordsOfALongTurn(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("Then somebody else talked about the weather and about the football match. ", 200)
	said := "Every Friday the courier loses one of our parcels in the yard. "
	tr := interviewtest.New("Ben: "+filler+said+filler, "TOMAS: I think so.")
	tr.Utterances[1].Speaker = ""
	found := ask.Nearest(tr, ask.Silent(tr, nil), "The courier never loses parcels", 3)
	require.Len(t, found, 1)
	require.Equal(t, strings.TrimSpace(said), found[0].Text)
	require.Equal(t, found[0].Text, tr.Text[found[0].ByteStart:found[0].ByteEnd])
	require.Empty(t, ask.Nearest(tr, ask.Silent(tr, nil), "I think so", 1), "a note is nobody's words")
	require.Len(t, ask.Nearest(tr, nil, "I think so", 1), 1)
	require.Empty(t, ask.Silent(interviewtest.New("Nobody has a name here."), nil))
}

func TestNearestWordsWithoutSpaces(t *testing.T) {
	t.Parallel()
	tr := interviewtest.New("李: " + strings.Repeat("我们每个月都手工复制发票。", 60) + "客户从来不付钱。")
	for _, q := range ask.Nearest(tr, nil, "客户付钱", 3) {
		require.Equal(t, q.Text, tr.Text[q.ByteStart:q.ByteEnd])
		require.LessOrEqual(t, len(q.Text), 900)
	}
}
