package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func tableOf(t *testing.T, text string) table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weights.txt")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	read, err := readTable(path)
	require.NoError(t, err)
	return read
}

func TestTablesOfWeights(t *testing.T) {
	t.Parallel()
	read := tableOf(t, "# by hand\nvoice -3\n\nfile_bias 4\n")
	require.Equal(t, table{[]string{"voice", "file_bias"}, []bool{false, true}, []float64{-3, 4}}, read)
	var out bytes.Buffer
	read.write(&out, "3 files")
	require.Equal(t, read, tableOf(t, out.String()))
	_, err := readTable(filepath.Join(t.TempDir(), "none"))
	require.Error(t, err)
}

func TestWeightsFollowSamples(t *testing.T) {
	t.Parallel()
	weights := tableOf(t, "voice 0\nrepeats 1\nfile_bias 3\nfile_lost 0\n")
	var samples []*sample
	for i := range 40 {
		with := weights.readingOf(map[string]float64{"voice": 1, "file_bias": 1, "file_lost": float64(i % 2)})
		with.good = true
		samples = append(samples, &sample{
			weight: 1, agreed: 1, right: i%2 == 0,
			readings: []reading{with, weights.readingOf(nil)},
		})
	}
	fitted := fit(samples, weights.weights)
	require.Greater(t, fitted[0], 1.0, "the voice is good in each sample")
	require.InDelta(t, 1, fitted[1], 1e-9, "no sample has a repeat")
	require.Less(t, fitted[3], -1.5, "files that lost words are wrong")
	require.Greater(t, samples[0].foretell(fitted).likely, 0.8)
	require.Less(t, samples[1].foretell(fitted).likely, 0.5)
}

func TestCollectionsAreLeftOutAsAWhole(t *testing.T) {
	t.Parallel()
	weights := tableOf(t, "file_bias 0\n")
	byCollection := map[string][]*sample{}
	for _, name := range []string{"right", "wrong"} {
		for range 30 {
			s := &sample{weight: 1, agreed: 1, right: name == "right"}
			s.readings = []reading{weights.readingOf(map[string]float64{"file_bias": 1})}
			byCollection[name] = append(byCollection[name], s)
		}
	}
	for _, f := range leaveOut(byCollection, weights.weights) {
		require.Equal(t, f.right, f.likely < 0.5, "each is foretold from the other collection")
	}
}

func TestFitPrintsATable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one.txt"),
		[]byte("Dana: How are you?\nOmar: Well, thank you.\nDana: Good.\nOmar: And you?\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one.expected.json"), []byte(`{"turns": [
		{"speaker": "Dana", "text": "How are you?"}, {"speaker": "Omar", "text": "Well, thank you."},
		{"speaker": "Dana", "text": "Good."}, {"speaker": "Omar", "text": "And you?"}]}`), 0o600))
	var out bytes.Buffer
	require.NoError(t, run([]string{"-fit", "../../transcript/internal/score/weights.txt", dir}, &out))
	require.Contains(t, out.String(), "1 files of 1 collections.")
	require.Contains(t, out.String(), "# The weights of the features of readings, fitted on ")
	require.Contains(t, out.String(), "\nfile_bias ")
}
