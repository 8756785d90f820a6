package craft

import "research/transcript/internal/plain"

// Words returns the number of words of a text, as a reading counts them. In scripts without spaces, two
// characters are one word.
func Words(text string) int { return int(plain.CountWords(text) + 0.5) }
