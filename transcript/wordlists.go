package transcript

// The words by which labels are known. Their lists say what each is.
var (
	nameParticles    = loadWords("name-particles")
	articles         = loadWords("articles")
	roles            = loadWords("roles")
	sentenceOpeners  = loadWords("sentence-openers")
	notSpeakers      = loadWords("not-speakers")
	numberedHeadings = loadWords("numbered-headings")
	groupWords       = loadWords("group-words")
	unknownVoices    = loadWords("unknown-voices")
	peopleWords      = loadWords("people")
	meetingWords     = loadWords("meeting-words")
	ordinals         = loadWords("ordinals")
	noteLabels       = loadWords("note-labels")
	noises           = loadWords("noises")
	labelPairs       = loadPairs("label-pairs")
)
