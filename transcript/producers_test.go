package transcript_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript"
)

// TestDocumentsOfProgramsHaveTheTurnsOfTheirSource reads what LibreOffice 7.4, pandoc 2.17, Chromium 156,
// wkhtmltopdf 0.12 and pdfTeX 1.40 made of a few documents. Each folder of testdata/documents has the turns
// of one.
func TestDocumentsOfProgramsHaveTheTurnsOfTheirSource(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/documents/*/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		if strings.HasSuffix(file, ".json") {
			continue
		}
		folder, name := filepath.Split(file)
		t.Run(filepath.Base(folder)+" by "+name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			parsed, err := transcript.Parse(data)
			require.NoError(t, err)
			checkInvariants(t, parsed)

			raw, err := os.ReadFile(filepath.Join(folder, "turns.json"))
			require.NoError(t, err)
			var want []goldenTurn
			require.NoError(t, json.Unmarshal(raw, &want))
			require.Equal(t, want, spokenTurns(parsed))
		})
	}
}

// spokenTurns returns the turns from the first one with a speaker on. Names have one case, since some
// programs print those of a style in capitals, and paragraphs of a speaker are joined, since programs divide
// them in other ways.
func spokenTurns(parsed *transcript.Transcript) []goldenTurn {
	var turns []goldenTurn
	for _, u := range parsed.Utterances {
		last := len(turns) - 1
		speaker := strings.ToUpper(u.Speaker)
		switch {
		case last < 0 && speaker == "":
		case last >= 0 && turns[last].Speaker == speaker:
			turns[last].Text += " " + u.Text
		default:
			turn := goldenTurn{Speaker: speaker, Text: u.Text}
			if u.Timed {
				turn.Time = u.Start.String()
			}
			turns = append(turns, turn)
		}
	}
	return turns
}
