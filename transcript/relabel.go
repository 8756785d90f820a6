package transcript

import (
	"errors"
	"fmt"
)

// ErrSpeaker is the error for a label that no speaker of a transcript has.
var ErrSpeaker = errors.New("not a speaker of the transcript")

// Relabel gives speakers other names, by their labels. Speakers with the same name become one. The empty
// label is that of words without a speaker. Its error is ErrSpeaker; then nothing is changed.
func (t *Transcript) Relabel(names map[string]string) error {
	known := map[string]bool{}
	for _, u := range t.Utterances {
		known[u.Speaker] = true
	}
	for label := range names {
		if !known[label] {
			return fmt.Errorf("%w: %q", ErrSpeaker, label)
		}
	}
	for i := range t.Utterances {
		if name, ok := names[t.Utterances[i].Speaker]; ok {
			t.Utterances[i].Speaker = cleanName(name)
		}
	}
	return nil
}
