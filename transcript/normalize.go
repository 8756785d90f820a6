package transcript

import (
	"strings"
	"time"

	"research/transcript/internal/format"
	"research/transcript/internal/turn"
)

// errTooManyTurns rejects files with more turns than turn.Max.
var errTooManyTurns = format.Unsupported("It has more than 200,000 cues or lines, which is more than any " +
	"interview. Please upload one conversation at a time.")

// maxSpeakers is more than a group of a messenger has members who write. Each speaker of an import is a row,
// and a person of the findings of its project.
const maxSpeakers = 1000

// errTooManySpeakers rejects files with more names than maxSpeakers.
var errTooManySpeakers = format.Unsupported("It has more than 1,000 speakers, which is more than any " +
	"conversation. Please check that what the file has as names are names.")

// normalize turns a parser's turns into a transcript: it cleans texts and names, drops empty turns, builds
// the text and fills in missing ends.
func normalize(f format.Format, list turn.List) (*Transcript, error) {
	if list.Exceeded {
		return nil, errTooManyTurns
	}
	size := 0
	for i := range list.Turns {
		size += len(list.Turns[i].Text) + 1
	}
	var text strings.Builder
	text.Grow(size)
	t := &Transcript{Format: f, Utterances: make([]Utterance, 0, len(list.Turns))}
	ends := make([]end, 0, len(list.Turns)) // of each utterance
	names := map[string]string{}            // cleaned
	for _, in := range list.Turns {
		said := cleanText(in.Text)
		if said == "" {
			continue
		}
		speaker, known := names[in.Speaker]
		if !known {
			speaker = cleanName(in.Speaker)
			names[in.Speaker] = speaker
			if _, unnamed := names[""]; len(names) > maxSpeakers+1 || len(names) > maxSpeakers && !unnamed {
				return nil, errTooManySpeakers
			}
		}
		for i, part := range splitTurn(said) {
			if text.Len() > 0 {
				text.WriteByte('\n')
			}
			u := Utterance{Speaker: speaker, ByteStart: text.Len(), ByteEnd: text.Len() + len(part)}
			text.WriteString(part)
			if in.Timed {
				u.Timed, u.Start, u.End = true, in.Start, in.Start
				if in.Ended && in.End > in.Start {
					u.End = in.End
				}
			}
			if i > 0 {
				ends[len(ends)-1] = endIsNext
			}
			t.Utterances = append(t.Utterances, u)
			ends = append(ends, endOf(in))
		}
	}
	isCaptions := f == format.WebVTT || f == format.SubRip || f == format.SubViewer || f == format.ASS
	if isCaptions && len(t.Utterances) == 0 {
		return nil, format.Unsupported("It is a file of captions with no words in them. " +
			"Please export the captions again, with text.")
	}
	if len(t.Utterances) == 0 {
		return nil, format.Unsupported("It has no words in it. Please upload the transcript of a conversation.")
	}
	t.Text = text.String()
	t.finish(ends)
	return t, nil
}

// An end says how the end of an utterance is known.
type end int

const (
	endIsUnknown end = iota // it is the start of the next utterance with a time
	endIsInFile
	endIsNext // it is the end of the next utterance, which is of the same turn
)

func endOf(t turn.Turn) end {
	if t.Ended && t.End >= t.Start {
		return endIsInFile
	}
	return endIsUnknown
}

// finish sets the texts of the utterances, and the ends that the file does not have.
func (t *Transcript) finish(ends []end) {
	next, known := time.Duration(0), false
	for i := len(t.Utterances) - 1; i >= 0; i-- {
		u := &t.Utterances[i]
		u.Text = t.Text[u.ByteStart:u.ByteEnd]
		if !u.Timed {
			continue
		}
		switch {
		case ends[i] == endIsNext:
			u.End = t.Utterances[i+1].End
		case ends[i] == endIsUnknown && known && next > u.Start:
			u.End = next
		}
		next, known = u.Start, true
	}
}
