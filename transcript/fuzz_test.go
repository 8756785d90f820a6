package transcript_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// FuzzParse feeds Parse anything, beginning with the samples of every format.
func FuzzParse(f *testing.F) {
	seed(f, "*.*")
	f.Fuzz(checkParse)
}

// seed adds the samples whose names match.
func seed(f *testing.F, patterns ...string) {
	f.Helper()
	n := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join("testdata", pattern))
		require.NoError(f, err)
		for _, file := range files {
			if strings.HasSuffix(file, ".golden.json") {
				continue
			}
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			f.Add(data)
			n++
		}
	}
	require.NotZero(f, n)
}

// checkParse asserts what holds for any file: either a refusal in words, or a transcript that keeps its promises, twice
// the same.
func checkParse(t *testing.T, data []byte) {
	got, err := transcript.Parse(data)
	if err != nil {
		var format *transcript.FormatError
		require.True(t, errors.As(err, &format))
		require.NotEmpty(t, format.Reason)
		return
	}
	checkInvariants(t, got)
	again, err := transcript.Parse(data)
	require.NoError(t, err)
	require.Equal(t, got, again)
	format, err := transcript.Detect(data)
	require.NoError(t, err)
	require.Equal(t, got.Format, format)
}
