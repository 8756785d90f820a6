package speaker

import "research/transcript/internal/lexicon"

// The words by which labels are known. Their lists say what each is.
var (
	WordsWithinNames = lexicon.Words("words-within-names")
	articles         = lexicon.Words("articles")
	RolesOrRemarks   = lexicon.Words("roles-or-remarks")
	SentenceOpeners  = lexicon.Words("sentence-openers")
	notSpeakers      = lexicon.Words("not-speakers")
	NumberedHeadings = lexicon.Words("numbered-headings")
	GroupWords       = lexicon.Words("group-words")
	UnknownVoices    = lexicon.Words("unknown-voices")
	PeopleWords      = lexicon.Words("people")
	meetingWords     = lexicon.Words("meeting-words")
	Ordinals         = lexicon.Words("ordinals")
	NoteLabels       = lexicon.Words("note-labels")
	observers        = lexicon.Words("observers")
	noteWriters      = lexicon.Words("note-writers")
	thirdPersons     = lexicon.Words("third-persons")
	notePrepositions = lexicon.Words("note-prepositions")
	noises           = lexicon.Words("noises")
	LabelPairs       = lexicon.Pairs("label-pairs")
)
