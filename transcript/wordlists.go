package transcript

import "research/transcript/internal/lexicon"

// The words by which labels are known. Their lists say what each is.
var (
	nameParticles    = lexicon.Words("name-particles")
	articles         = lexicon.Words("articles")
	roles            = lexicon.Words("roles")
	sentenceOpeners  = lexicon.Words("sentence-openers")
	notSpeakers      = lexicon.Words("not-speakers")
	numberedHeadings = lexicon.Words("numbered-headings")
	groupWords       = lexicon.Words("group-words")
	unknownVoices    = lexicon.Words("unknown-voices")
	peopleWords      = lexicon.Words("people")
	meetingWords     = lexicon.Words("meeting-words")
	ordinals         = lexicon.Words("ordinals")
	noteLabels       = lexicon.Words("note-labels")
	noises           = lexicon.Words("noises")
	labelPairs       = lexicon.Pairs("label-pairs")
)
