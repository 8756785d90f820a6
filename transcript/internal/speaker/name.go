// Package speaker knows what the names and labels of speakers look like: "Dana Weber", "SPEAKER_00", "Q".
//
// It rates one text at a time. Whether a label names a speaker in a file belongs to package transcript, which
// has seen the whole file.
package speaker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// A Shape says how much a text looks like a name.
type Shape int

// The shapes.
const (
	NotName      Shape = iota
	PossibleName       // "dana", "dana@example.org": a name only if it recurs often
	FullName           // "Dana Weber", "SPEAKER_00", "Dr. Ana de la Cruz (guest)"
)

// Limits on a name, in runes and words.
const (
	maxNameRunes   = 70 // with what follows the name
	maxCoreRunes   = 50
	MaxNameWords   = 8
	maxUncasedName = 16 // in scripts without capitals, where names are only recognizable as short

	MaxUncasedGuest = 6 // the same, of a name that occurs once
)

// ShapeOf rates a text that may be a name.
func ShapeOf(name string) Shape {
	core := Core(name)
	words := strings.Fields(core)
	switch {
	case core == "", utf8.RuneCountInString(name) > maxNameRunes, utf8.RuneCountInString(core) > maxCoreRunes,
		len(words) > MaxNameWords, strings.Contains(name, "://"), !isBalanced(name),
		len(core) < len(name) && strings.Contains(name, ")") && !strings.HasSuffix(name, ")"),
		strings.ContainsAny(name, "?!;\"“”„«»{}=<>*\t"):
		return NotName
	}
	if strings.HasPrefix(core, "#") && IsNumbered(core) {
		return FullName
	}
	if len(words) == 2 && UnknownVoices[strings.ToLower(words[0])] &&
		strings.Trim(words[1], "0123456789") == "" {
		return FullName // "Man 2"
	}
	full, hasLetters := true, false
	for i, word := range words {
		first, rest := firstRuneShape(words, i, core), wordShape(words, i)
		if first == NotName || rest == NotName {
			return NotName
		}
		full = full && first == FullName && rest == FullName
		hasLetters = hasLetters || strings.ContainsFunc(word, unicode.IsLetter)
	}
	switch {
	case IsNumbered(core):
		return FullName
	case !hasLetters:
		return phoneShape(core)
	case len(words) > 1 && SentenceOpeners[strings.ToLower(words[0])] && !(full && IsTitled(words)):
		return NotName
	case !full && len(words) > 3:
		return NotName
	case !full:
		return PossibleName
	}
	return FullName
}

// IsRoleNumber reports whether s is a number or a letter with a number, such as "P4".
func IsRoleNumber(s string) bool {
	digits := strings.TrimLeft(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	_, size := plain.ParseDigits(digits, 3)
	return len(s)-len(digits) <= 2 && size > 0 && size == len(digits)
}

// TrimOrnaments removes the mark of people whom WhatsApp does not know, as in "~ Dana", and pictures before a
// name.
func TrimOrnaments(name string) string {
	return strings.TrimLeftFunc(name, func(r rune) bool {
		const variation, firstPicture, lastPicture = '\ufe0f', '\U0001F300', '\U0001FAFF'
		return r == '~' || r == variation || unicode.IsSpace(r) || r >= firstPicture && r <= lastPicture
	})
}

// TrimBrackets removes the brackets of "[SPEAKER_00]", "(Dana)" and "<dana>".
func TrimBrackets(s string) string {
	if len(s) > 2 {
		switch s[:1] + s[len(s)-1:] {
		case "[]", "()", "<>":
			if inner := s[1 : len(s)-1]; isBalanced(inner) {
				return strings.TrimSpace(inner)
			}
		}
	}
	return s
}

// isBalanced reports whether the brackets in s are closed, in order and not nested deeply.
func isBalanced(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[', '(', '<':
			depth++
		case ']', ')', '>':
			depth--
		}
		if depth < 0 || depth > 2 {
			return false
		}
	}
	return depth == 0
}

// IsNumbered reports whether a name is one that programs give, such as "speaker0", "spk_1" and "#1".
func IsNumbered(name string) bool {
	bare := strings.TrimRight(name, "0123456789")
	if bare == name {
		return false
	}
	switch strings.ToLower(strings.TrimRight(bare, "_- ")) {
	case "speaker", "spk", "spkr", "#":
		return true
	}
	return false
}

// LabelShapeOf rates a label. A name with a question mark, or an exclamation mark, must recur often.
func LabelShapeOf(name string) Shape {
	if bare := strings.TrimRight(name, "?!"); bare != name {
		return min(ShapeOf(bare), PossibleName)
	}
	return ShapeOf(name)
}

// IsTitled reports whether the words are an article and a title, such as "The Chair".
func IsTitled(words []string) bool {
	if len(words) < 2 || len(words) > 4 || !articles[strings.ToLower(words[0])] {
		return false
	}
	first, _ := utf8.DecodeRuneInString(words[1])
	return unicode.IsUpper(first)
}

// Core returns the name without what follows it: "Dana Weber | ACME", "Dana Weber (she/her)", "Dana Weber
// - Product", "Dana Weber / ACME", "Dana Weber, PhD".
func Core(name string) string {
	if role, number, ok := strings.Cut(name, ": "); ok && IsRoleNumber(number) {
		name = role
	}
	name = strings.TrimSuffix(name, "()") // as programmers call themselves
	for _, mark := range []string{" | ", "|", " (", "（", " [", " - ", " – ", " — ", " / ", " @ ", " • "} {
		if i := strings.Index(name, mark); i > 0 {
			name = strings.TrimSpace(name[:i])
		}
	}
	if i := strings.LastIndex(name, ", "); i > 0 && isDegree(name[i+2:]) {
		name = name[:i]
	}
	return name
}

// isDegree reports whether a word is an abbreviation such as "PhD" or "RN".
func isDegree(word string) bool {
	capitals := 0
	for _, r := range word {
		switch {
		case unicode.IsUpper(r):
			capitals++
		case !unicode.IsLetter(r) && r != '.':
			return false
		}
	}
	return capitals > 1 && len(word) <= 6
}

// firstRuneShape rates a word of a name by its first character.
func firstRuneShape(words []string, i int, core string) Shape {
	first, _ := utf8.DecodeRuneInString(words[i])
	switch {
	case unicode.IsUpper(first), unicode.IsTitle(first):
		return FullName
	case unicode.Is(unicode.Lo, first): // a script without capitals
		if utf8.RuneCountInString(core) > maxUncasedName && len(words) == 1 || len(words) > 4 {
			return NotName
		}
		return FullName
	case i > 0 && (unicode.IsDigit(first) || isParticle(words[i]) || isIn(words[i:])):
		return FullName
	case i == 0 && surnameParticles[words[0]] && beginsSurname(words):
		return FullName
	case i == 0 && isBrand(words[0]):
		return FullName
	case unicode.IsLower(first):
		return PossibleName
	case i == 0 && (unicode.IsDigit(first) || first == '+'):
		return PossibleName
	case i > 0 && (unicode.IsSymbol(first) || first == '#' && IsRoleNumber(words[i][1:])):
		return FullName
	}
	return NotName
}

// isBrand reports whether a word has one small letter before a capital, as in "iPad".
func isBrand(word string) bool {
	return len(word) > 2 && word[0] >= 'a' && word[0] <= 'z' && plain.StartsWithCapital(word[1:])
}

// isParticle reports whether a word in lower case may stand within a name.
func isParticle(word string) bool {
	lower := strings.TrimSuffix(strings.ToLower(word), ".")
	return WordsWithinNames[lower] || word == "&" || word == "+" ||
		plain.HasAnyPrefix(lower, "d'", "d’", "dell'", "dell’", "dall'", "dall’")
}

// surnameParticles are the particles with which a label may begin that is a surname alone.
var surnameParticles = map[string]bool{
	"van": true, "von": true, "vom": true, "zu": true, "zum": true, "zur": true, "der": true, "den": true,
	"ter": true, "ten": true, "de": true, "da": true, "dos": true, "das": true, "do": true, "del": true,
	"della": true, "di": true, "du": true, "dal": true, "dalla": true, "dei": true, "degli": true, "af": true,
	"av": true, "bin": true, "ibn": true,
}

// beginsSurname reports whether the words are particles, then one with a capital, as in "van den Berg".
func beginsSurname(words []string) bool {
	for i, word := range words[1:] {
		if plain.StartsWithCapital(word) {
			return i == len(words)-2
		}
		if !isParticle(word) {
			return false
		}
	}
	return false
}

// isIn reports whether words begin with "in 't", as in "Ellen in 't Veld".
func isIn(words []string) bool {
	return len(words) > 1 && words[0] == "in" && (words[1] == "'t" || words[1] == "’t")
}

// wordShape rates a word of a name by all its characters.
func wordShape(words []string, i int) Shape {
	word, shape := words[i], FullName
	for at, r := range word {
		last := at+1 == len(word)
		switch {
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsDigit(r),
			unicode.In(r, unicode.So, unicode.Sk, unicode.Cf):
		case r == '.':
			// "Dr." and "J." are abbreviations, "dana.weber" is an account, "over. Then" ends a sentence.
			part := word[strings.LastIndexAny(word[:at], "-.")+1:] // "Dipl.-Ing.", "J.D.B."
			if last && (utf8.RuneCountInString(part) > 5 ||
				plain.IsUncased(word) && utf8.RuneCountInString(word) > 2) {
				return NotName
			}
		case r == ',':
			// "Weber, Dana", and nothing longer.
			if !last || i > 1 || len(words) > 4 {
				return NotName
			}
		case strings.ContainsRune("'’-_·・&+#", r):
		case r == '@', r == '/':
			shape = PossibleName
		case r == ':' && !last && strings.Trim(word[at+1:], "0123456789") == "":
			// "Speaker:0"
		default:
			return NotName
		}
	}
	return shape
}

// IsAccount reports whether a name is an address or that of an account, such as "dana.weber" and
// "dana_weber", rather than a word.
func IsAccount(name string) bool {
	i := strings.IndexAny(name, "@._0123456789")
	return i > 0 && i < len(name)-1 && !strings.ContainsAny(name, " ,:/")
}

// IsPhone reports whether a name is the number of a phone.
func IsPhone(name string) bool {
	return !strings.ContainsFunc(name, unicode.IsLetter) && phoneShape(name) == PossibleName
}

// phoneShape rates a text without letters: meeting tools name people who dialled in by their phone numbers.
func phoneShape(s string) Shape {
	groups := strings.FieldsFunc(s, unicode.IsDigit)
	digits := 0
	for _, r := range s {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if len(groups) < 8 && digits >= 7 && digits <= 15 {
		return PossibleName
	}
	return NotName
}

// MaxInitials is the size of the longest initials, in bytes.
const MaxInitials = 8

// AreInitialsOf reports whether a line has the first characters of some words of a name, in order.
func AreInitialsOf(line, name string) bool {
	if line == "" || len(line) > MaxInitials || len(name) > plain.MaxLabel || len(name) <= len(line) {
		return false
	}
	words := strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '-' })
	for _, r := range line {
		for len(words) > 0 && !strings.HasPrefix(words[0], string(r)) {
			words = words[1:]
		}
		if len(words) == 0 {
			return false
		}
		words = words[1:]
	}
	return true
}

// IsPlausible reports whether a text in a place for names can be one: it is short, and not a sentence.
func IsPlausible(s string) bool {
	words := strings.Fields(s)
	return len(words) > 0 && len(words) <= MaxNameWords && utf8.RuneCountInString(s) <= maxNameRunes &&
		!plain.HasAnySuffix(s, "?", "!", ",", ";", "…") &&
		(!strings.HasSuffix(s, ".") || len(words[len(words)-1]) < 5)
}
