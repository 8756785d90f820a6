package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLabel bounds how far the colon of a label is searched, in bytes.
const maxLabel = 160

// splitLabel splits "Name: text" at a colon that white space or the end of the line follows, or at a
// full-width colon. It returns false if the text before it cannot be a name. Whether it is one depends on the
// whole file, see labelCounts.
func splitLabel(line string) (name, rest string, ok bool) {
	const fullWidthColon = "："
	head := line[:min(len(line), maxLabel)]
	i, size := strings.IndexByte(head, ':'), 1
	if j := strings.Index(head, fullWidthColon); j >= 0 && (i < 0 || j < i) {
		i, size = j, len(fullWidthColon)
	}
	if i <= 0 {
		return "", line, false
	}
	rest = line[i+size:]
	if size == 1 && rest != "" {
		if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsSpace(r) {
			return "", line, false
		}
	}
	name = trimBrackets(strings.TrimSpace(line[:i]))
	if nameShapeOf(name) == notName {
		return "", line, false
	}
	return name, rest, true
}

// trimBrackets removes the brackets of "[SPEAKER_00]", "(Dana)" and "<dana>".
func trimBrackets(s string) string {
	if len(s) > 2 {
		switch s[:1] + s[len(s)-1:] {
		case "[]", "()", "<>":
			if inner := s[1 : len(s)-1]; !strings.ContainsAny(inner, "[]()<>") {
				return strings.TrimSpace(inner)
			}
		}
	}
	return s
}

// A nameShape says how much a text looks like a name.
type nameShape int

const (
	notName      nameShape = iota
	possibleName           // "dana", "dana@example.org": a name only if it recurs often
	fullName               // "Dana Weber", "SPEAKER_00", "Dr. Ana de la Cruz (guest)"
)

var (
	nameParticles    = loadWords("name-particles")
	sentenceOpeners  = loadWords("sentence-openers")
	notSpeakers      = loadWords("not-speakers")
	numberedHeadings = loadWords("numbered-headings")
	labelPairs       = loadPairs("label-pairs")
)

// Limits on a name, in runes and words.
const (
	maxNameRunes   = 70 // with what follows the name
	maxCoreRunes   = 50
	maxNameWords   = 6
	maxUncasedName = 16 // in scripts without capitals, where names are only recognizable as short
)

// nameShapeOf rates a text that may be a name.
func nameShapeOf(name string) nameShape {
	core := nameCore(name)
	words := strings.Fields(core)
	switch {
	case core == "", utf8.RuneCountInString(name) > maxNameRunes, utf8.RuneCountInString(core) > maxCoreRunes,
		len(words) > maxNameWords, strings.Contains(name, "://"), strings.ContainsAny(name, "?!;\"“”„«»{}=<>*\t"):
		return notName
	}
	full, hasLetters := true, false
	for i, word := range words {
		first, rest := firstRuneShape(words, i, core), wordShape(words, i)
		if first == notName || rest == notName {
			return notName
		}
		full = full && first == fullName && rest == fullName
		hasLetters = hasLetters || strings.ContainsFunc(word, unicode.IsLetter)
	}
	switch {
	case !hasLetters:
		return phoneShape(core)
	case len(words) > 1 && sentenceOpeners[strings.ToLower(words[0])]:
		return notName
	case !full && len(words) > 3:
		return notName
	case !full:
		return possibleName
	}
	return fullName
}

// nameCore returns the name without what follows it: "Dana Weber | ACME", "Dana Weber (she/her)", "Dana Weber
// - Product", "Dana Weber / ACME".
func nameCore(name string) string {
	for _, mark := range []string{" | ", "|", " (", " [", " - ", " – ", " — ", " / ", " @ ", " • "} {
		if i := strings.Index(name, mark); i > 0 {
			name = strings.TrimSpace(name[:i])
		}
	}
	return name
}

// firstRuneShape rates a word of a name by its first character.
func firstRuneShape(words []string, i int, core string) nameShape {
	first, _ := utf8.DecodeRuneInString(words[i])
	switch {
	case unicode.IsUpper(first), unicode.IsTitle(first):
		return fullName
	case unicode.Is(unicode.Lo, first): // a script without capitals
		if utf8.RuneCountInString(core) > maxUncasedName && len(words) == 1 || len(words) > 4 {
			return notName
		}
		return fullName
	case i > 0 && (unicode.IsDigit(first) || isParticle(words[i])):
		return fullName
	case unicode.IsLower(first):
		return possibleName
	case i == 0 && (unicode.IsDigit(first) || first == '+'):
		return possibleName
	case i > 0 && unicode.IsSymbol(first):
		return fullName
	}
	return notName
}

// isParticle reports whether a word in lower case may stand within a name.
func isParticle(word string) bool {
	lower := strings.ToLower(word)
	return nameParticles[lower] || word == "&" || word == "+" || hasAnyPrefix(lower, "d'", "d’")
}

// wordShape rates a word of a name by all its characters.
func wordShape(words []string, i int) nameShape {
	word, shape := words[i], fullName
	for at, r := range word {
		last := at+1 == len(word)
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r),
			unicode.In(r, unicode.So, unicode.Sk, unicode.Cf):
		case r == '.':
			// "Dr." and "J." are abbreviations, "dana.weber" is an account, "over. Then" ends a sentence.
			if last && utf8.RuneCountInString(word) > 5 {
				return notName
			}
		case r == ',':
			// "Weber, Dana", and nothing longer.
			if !last || i > 1 || len(words) > 4 {
				return notName
			}
		case strings.ContainsRune("'’-_·・&+#", r):
		case r == '@', r == '/':
			shape = possibleName
		default:
			return notName
		}
	}
	return shape
}

// phoneShape rates a text without letters: meeting tools name people who dialled in by their phone numbers.
func phoneShape(s string) nameShape {
	groups := strings.FieldsFunc(s, unicode.IsDigit)
	digits := 0
	for _, r := range s {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if len(groups) < 8 && digits >= 7 && digits <= 15 {
		return possibleName
	}
	return notName
}

// isNotSpeaker reports whether a label heads a remark or is the field of a form.
func isNotSpeaker(name string) bool {
	lower := strings.TrimSuffix(strings.ToLower(name), ".")
	if notSpeakers[lower] {
		return true
	}
	words := strings.Fields(lower)
	if len(words) < 2 {
		return false
	}
	last := words[len(words)-1]
	if numberedHeadings[words[0]] && utf8.RuneCountInString(last) <= 3 {
		return true
	}
	return notSpeakers[last] && len(last) > 2
}
