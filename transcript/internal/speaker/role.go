package speaker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"research/transcript/internal/plain"
)

// IsRole reports whether a label that may head a remark may also name a speaker: it is a role, or initials.
func IsRole(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 {
		return false
	}
	if RolesOrRemarks[words[len(words)-1]] {
		return true
	}
	return len(words) == 1 && plain.IsAllCaps(name) && utf8.RuneCountInString(name) < 4
}

// HeadsRemark reports whether a label heads a remark or is the field of a form.
func HeadsRemark(name string) bool {
	lower := strings.TrimSuffix(strings.ToLower(name), ".")
	if notSpeakers[lower] {
		return true
	}
	words := strings.Fields(lower)
	if len(words) < 2 {
		return false
	}
	last := words[len(words)-1]
	if NumberedHeadings[words[0]] && utf8.RuneCountInString(last) <= 3 {
		return true
	}
	return notSpeakers[last] && len(last) > 2
}

// IsMeetingTitle reports whether a label is the title of a recording with a number, such as "Customer
// Interview 7".
func IsMeetingTitle(name string) bool {
	words := strings.Fields(strings.ToLower(name))
	if len(words) < 2 {
		return false
	}
	word, number := words[len(words)-2], words[len(words)-1]
	return meetingWords[word] && utf8.RuneCountInString(number) <= 3 &&
		strings.ContainsFunc(number, unicode.IsDigit)
}

// MayEndWithSurname reports whether only the last word of a label heads remarks.
func MayEndWithSurname(name string) bool {
	words := strings.Fields(name)
	if len(words) < 2 || plain.IsAllCaps(name) || ShapeOf(name) != FullName {
		return false
	}
	for _, word := range words[:len(words)-1] {
		lower := strings.ToLower(word)
		if notSpeakers[lower] || articles[lower] || SentenceOpeners[lower] ||
			NumberedHeadings[lower] || RolesOrRemarks[lower] {
			return false
		}
	}
	return HeadsRemark(name) && !notSpeakers[strings.ToLower(name)]
}

// IsNoise reports whether a label is a sound that captions name, not a speaker.
func IsNoise(name string) bool {
	return noises[strings.ToLower(strings.Trim(name, " .♪"))]
}

// IsOfPair reports whether a label is one of two that are voices together, such as Q and A.
func IsOfPair(name string) bool {
	lower := strings.ToLower(name)
	for _, pair := range LabelPairs {
		if lower == pair[0] || lower == pair[1] {
			return true
		}
	}
	return false
}
