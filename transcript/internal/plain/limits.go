package plain

// Limits on what is read and remembered of a hostile file.
const (
	SampleSize  = 64 << 10 // bytes from which the encoding, and what a text is, are guessed
	MaxPreamble = 4 << 10  // bytes before the first turn in which an export's own lines are looked for
	MaxLabel    = 160      // bytes in which the colon of a label, or the time beside a name, is looked for
	MaxLabels   = 4_096    // different labels
	MaxWord     = 40       // bytes of a word
)
