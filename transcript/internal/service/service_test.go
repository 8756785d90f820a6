package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/internal/format"
	"research/transcript/internal/service"
	"research/transcript/internal/turn"
)

// The list of the segments may have any name that some reader knows, at any place in the object.
func TestMembers(t *testing.T) {
	t.Parallel()
	const segments = `[{"speaker":"Dana","text":"So?","start":1},{"speaker":"Sam","text":"Yes.","start":2}]`
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, `"setting %d":%d,`, i, i)
	}
	for _, name := range []string{"transcript", "utterances", "timeline", "turns", "lines"} {
		doc, ok := service.Open(`{` + many.String() + `"` + name + `":` + segments + `}`)
		require.True(t, ok)
		r, err := service.Read(doc)
		require.NoError(t, err, name)
		require.Len(t, r.List.Turns, 2, name)
		require.Equal(t, "Sam", r.List.Turns[1].Speaker, name)
	}
}

// A text alone is Whisper's, unless something stands beside it that Whisper does not write.
func TestBareText(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		`{"text":"So we start."}`: true,
		`{"text":"So we start.","language":"en","duration":2.5,"usage":{"type":"tokens"}}`: true,
		`{"text":"So we start.","title":"A page","url":"https://example.com"}`:             false,
		`{"text":"So we start.","results":{}}`:                                             false,
	} {
		doc, valid := service.Open(text)
		require.True(t, valid)
		r, err := service.Read(doc)
		if !ok {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, format.Whisper, r.Format)
	}
}

// FuzzReaders gives the documents of all services to each reader.
func FuzzReaders(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "golden", "*.json"))
	require.NoError(f, err)
	seeds := 0
	for _, file := range files {
		if strings.HasSuffix(file, ".golden.json") {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(data))
		seeds++
	}
	require.NotZero(f, seeds)
	f.Fuzz(func(t *testing.T, text string) {
		doc, ok := service.Open(text)
		if !ok {
			return
		}
		service.ReadEach(doc, func(list turn.List, _ string, _ bool) {
			require.LessOrEqual(t, len(list.Turns), turn.Max+1)
			for _, u := range list.Turns {
				require.True(t, u.Timed || !u.Ended)
			}
		})
	})
}
