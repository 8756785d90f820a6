package transcript

// Limits on what is read and remembered of a hostile file.
const (
	sampleSize  = 64 << 10 // bytes from which the encoding, and what a text is, are guessed
	maxPreamble = 4 << 10  // bytes before the first turn in which an export's own lines are looked for
	maxLabel    = 160      // bytes in which the colon of a label, or the time beside a name, is looked for
	maxLabels   = 4_096    // different labels
	maxWord     = 40       // bytes of a word
)
