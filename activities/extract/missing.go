package extract

import (
	"slices"
	"sort"

	"research/transcript"
)

// Wanted is a hypothesis, with the ranges of the transcript that were already read for it.
type Wanted struct {
	Hypothesis
	Read Ranges
}

// wholeShare is the part of a chunk that must be missing for the chunk to be asked as a whole. What its
// neighbours read of it is at most its overlap with both.
const wholeShare = 0.6

// PlanMissing returns the requests that read what is missing, and no others: a request names only hypotheses
// for which its chunk, but for the overlap with its neighbours, was not read. Hypotheses that miss the same
// ranges are asked about together.
func PlanMissing(e Extractor, t *transcript.Transcript, wanted []Wanted) []Request {
	var plan []Request
	for _, group := range groupByMissing(t, wanted) {
		for _, chunk := range missingChunks(t, e.Plan(t, group.hypotheses), group.missing) {
			plan = append(plan, Request{Transcript: t, Chunk: chunk, Hypotheses: group.hypotheses})
		}
	}
	return plan
}

// A missingGroup is hypotheses that miss the same ranges.
type missingGroup struct {
	hypotheses []Hypothesis
	missing    Ranges
}

// Missing returns the ranges of a transcript that are left to read.
func Missing(t *transcript.Transcript, read Ranges) Ranges {
	return withoutBlank(t, Ranges{{0, len(t.Text)}}.Minus(read.ToWords(t)))
}

// groupByMissing groups the hypotheses that miss something, in the order in which they are wanted.
func groupByMissing(t *transcript.Transcript, wanted []Wanted) []missingGroup {
	var groups []missingGroup
	for _, w := range wanted {
		missing := Missing(t, w.Read)
		if len(missing) == 0 {
			continue
		}
		i := slices.IndexFunc(groups, func(g missingGroup) bool { return slices.Equal(g.missing, missing) })
		if i < 0 {
			groups = append(groups, missingGroup{missing: missing})
			i = len(groups) - 1
		}
		groups[i].hypotheses = append(groups[i].hypotheses, w.Hypothesis)
	}
	return groups
}

// missingChunks returns the chunks of a plan of the whole transcript that miss something. A chunk that was
// mostly read is cut to what it misses.
func missingChunks(t *transcript.Transcript, plan []Chunk, missing Ranges) []Chunk {
	if missing.Covers(Range{0, len(t.Text)}) {
		return plan
	}
	var chunks []Chunk
	for _, c := range plan {
		all := Range{c.ByteStart, c.ByteEnd}
		part := withoutBlank(t, missing.Within(all))
		if len(part) == 0 {
			continue
		}
		if float64(part.Bytes()) >= wholeShare*float64(all.End-all.Start) {
			chunks = append(chunks, c)
		} else {
			for _, r := range part {
				chunks = append(chunks, chunkAt(t, r))
			}
		}
		missing = missing.Minus(Ranges{all})
	}
	return chunks
}

// withoutBlank removes ranges of white space.
func withoutBlank(t *transcript.Transcript, ranges Ranges) Ranges {
	return slices.DeleteFunc(slices.Clone(ranges), func(r Range) bool { return isBlank(t, r) })
}

// chunkAt returns the chunk of a range.
func chunkAt(t *transcript.Transcript, r Range) Chunk {
	first := sort.Search(len(t.Utterances), func(i int) bool { return t.Utterances[i].ByteEnd > r.Start })
	last := sort.Search(len(t.Utterances), func(i int) bool { return t.Utterances[i].ByteStart >= r.End }) - 1
	return newChunk(t, piece{utterance: first, start: r.Start}, piece{utterance: last, end: r.End})
}
