package keyword

import (
	"strings"
	"unicode/utf8"
)

// alike are spellings of the same sound.
var alike = strings.NewReplacer("ph", "f", "th", "t", "ck", "k", "c", "k", "q", "k", "y", "i", "z", "s",
	"mm", "m", "nn", "n", "ll", "l", "ss", "s", "tt", "t", "ff", "f", "pp", "p")

// minShared is with how many letters words of two languages must begin alike.
const minShared = 5

// cognates returns the stems of the transcript that are written as a word of another language is, but for
// their endings: "telefono" for "telephone".
func (x *utteranceIndex) cognates(word string) (found []int32) {
	if x.alike == nil {
		x.alike = map[string][]int32{}
		for stem, id := range x.ids {
			if key := alike.Replace(stem); len(key) >= minShared {
				x.alike[key[:minShared]] = append(x.alike[key[:minShared]], id)
			}
		}
	}
	key := alike.Replace(word)
	if len(key) < minShared {
		return nil
	}
	for _, id := range x.alike[key[:minShared]] {
		if areAlike(key, alike.Replace(x.stem(x.spelled[id]))) {
			found = append(found, id)
		}
	}
	return found
}

// areAlike reports whether words begin alike, and differ in a third of them at most.
func areAlike(a, b string) bool {
	shared := 0
	for shared < min(len(a), len(b)) && a[shared] == b[shared] {
		shared++
	}
	return utf8.RuneCountInString(a[:shared]) >= minShared && 3*shared >= 2*max(len(a), len(b))
}
