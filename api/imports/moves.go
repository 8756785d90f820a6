package imports

import (
	"github.com/google/uuid"

	"research/db"
	"research/transcript"
)

// replaceParams are the arguments of private.replace_transcript.
type replaceParams struct{ db.ReplaceTranscriptParams }

func (re reread) params() *replaceParams {
	stored := storeParams(uploadForm{}, re.read.Transcript)
	p := &replaceParams{db.ReplaceTranscriptParams{
		ImportID: re.id, Format: stored.Format, Language: stored.Language, Body: stored.Body,
		Speakers: stored.Speakers, Starts: stored.Starts, Ends: stored.Ends, Texts: stored.Texts,
		ByteStarts: stored.ByteStarts, ByteEnds: stored.ByteEnds, Confidences: stored.Confidences,
		Craft:      stored.Craft,
		Remembered: re.read.remembered, RememberedUnlabelled: re.read.rememberedUnlabelled,
		OldStarts: []int32{}, OldEnds: []int32{}, NewStarts: []int32{}, NewEnds: []int32{}, Evidence: []uuid.UUID{},
		Quotes: []string{}, Places: []int32{}, Confirmed: []uuid.UUID{}, ConfirmedSpeakers: []string{},
	}}
	p.Layout = new(string)
	if re.read.inLayout {
		*p.Layout = re.file.Layout
	}
	return p
}

// addRange says that a range of the transcript is another one of the new transcript.
func (p *replaceParams) addRange(oldStart, oldEnd, newStart, newEnd int) {
	p.OldStarts, p.OldEnds = append(p.OldStarts, int32(oldStart)), append(p.OldEnds, int32(oldEnd))
	p.NewStarts, p.NewEnds = append(p.NewStarts, int32(newStart)), append(p.NewEnds, int32(newEnd))
}

// addQuote says where a quote is in the new transcript, and whether somebody had confirmed its speaker in
// doubtful turns.
func (p *replaceParams) addQuote(e db.ListPlacedEvidenceRow, quote string, at int32, confirmed bool) {
	p.Evidence, p.Quotes, p.Places = append(p.Evidence, e.ID), append(p.Quotes, quote), append(p.Places, at)
	if confirmed {
		p.Confirmed = append(p.Confirmed, e.ID)
		p.ConfirmedSpeakers = append(p.ConfirmedSpeakers, e.Speaker)
	}
}

// doubtful is the confidence below which somebody should confirm who speaks. The database has the same rule.
const doubtful = 0.9

// move finds the new places of quotes, and the turns that are the same. joined is the text of the new
// transcript. A quote without a place is searched for again.
func (p *replaceParams) move(
	quotes []db.ListPlacedEvidenceRow, before, after text, joined string,
) (moved movedQuotes) {
	for _, same := range before.unchanged(after) {
		p.addRange(same.oldStart, same.oldEnd, same.newStart, same.newStart+same.oldEnd-same.oldStart)
	}
	for _, e := range quotes {
		place, found, confirmed := 0, false, e.SpeakerConfirmed
		start, end := int(e.ByteStart), int(e.ByteEnd)
		var turns []transcript.Utterance
		if start < 0 {
			place, found = after.find(e.Quote)
		} else {
			place, found = before.place(start, end, after)
			turns = before.within(start, end)
			confirmed = confirmed && isDoubtful(turns)
		}
		quote, at := e.Quote, int32(-1)
		if found {
			quote, at = joined[place:place+len(quote)], int32(place)
		}
		switch {
		case !found:
			moved.PlaceLost++
		case place == start && quote == e.Quote && haveSameSpeakers(turns, after.within(place, place+len(quote))):
			moved.Kept++
		default:
			moved.Moved++
		}
		p.addQuote(e, quote, at, confirmed)
	}
	return moved
}

// isDoubtful reports whether a quote from these turns has to be confirmed.
func isDoubtful(turns []transcript.Utterance) bool {
	for _, u := range turns {
		if u.Confidence < doubtful {
			return true
		}
	}
	return false
}

// haveSameSpeakers reports whether the same speakers say words before and after.
func haveSameSpeakers(before, after []transcript.Utterance) bool {
	if len(before) != len(after) {
		return false
	}
	for i := range before {
		if before[i].Speaker != after[i].Speaker {
			return false
		}
	}
	return true
}
