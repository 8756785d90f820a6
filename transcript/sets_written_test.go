package transcript_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var writeSets = flag.String("write-sets", "", "write the files of the sets and their turns to a folder")

// A writtenTurn is a turn as docs/formats.md describes it. Words that nobody says have no speaker.
type writtenTurn struct {
	Speaker *string  `json:"speaker"`
	Others  []string `json:"others,omitempty"`
	Text    string   `json:"text"`
	StartMs *int64   `json:"start_ms"`
}

// The files of the sets are written for programs that measure readings, and fit what weighs them. Those whose
// turns are known only as a whole, or whose speakers have any names, are left out.
func TestSetsAreWritten(t *testing.T) {
	t.Parallel()
	if *writeSets == "" {
		t.Skip("no folder is named")
	}
	for name, s := range sets {
		dir := filepath.Join(*writeSets, name)
		require.NoError(t, os.MkdirAll(dir, 0o700))
		for i, f := range s.files(t) {
			if f.exactly != nil || f.anyNames {
				continue
			}
			path := filepath.Join(dir, fmt.Sprintf("%04d", i))
			turns, err := json.Marshal(map[string]any{"name": f.name, "turns": f.written()})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+".data", f.data, 0o600))
			require.NoError(t, os.WriteFile(path+".expected.json", turns, 0o600))
		}
	}
}

// written returns what must be read.
func (f *file) written() []writtenTurn {
	var turns []writtenTurn
	last := []string(nil)
	for _, w := range f.want {
		written := writtenTurn{Text: w.text}
		switch {
		case w.loose:
			written.Others = last
		case !w.aside:
			written.Speaker, written.Others, last = &w.speakers[0], w.speakers[1:], w.speakers
			if w.at >= 0 && !f.ends {
				ms := w.at.Milliseconds()
				written.StartMs = &ms
			}
		}
		turns = append(turns, written)
	}
	return turns
}
