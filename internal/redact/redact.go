// Package redact removes e-mail addresses from texts that mail servers and relays wrote, so that they can be
// stored, logged and shown to operators.
//
// It does no I/O and imports nothing of ours.
package redact

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	// placeholder replaces an address.
	placeholder = "[address]"
	// maxRunes is enough for a sentence and a link to an explanation.
	maxRunes = 300
	// minLocalPart is the shortest local part that is also removed where it stands alone. A shorter one is
	// usually a word of the text.
	minLocalPart = 3
)

// anyAddress matches what looks like an address, also if its @ is percent-encoded, as in a link.
var anyAddress = regexp.MustCompile(`(?i)[^\s<>()\[\]:;,"']+(@|%40)[^\s<>()\[\]:;,"']+`)

// Reply returns a server's reply as one line without the recipient's address, any other address, and the
// local part of the recipient's where it stands alone. A long reply is cut.
func Reply(text, recipient string) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "�"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	at := strings.LastIndexByte(recipient, '@')
	if at > 0 {
		local, domain := recipient[:at], recipient[at+1:]
		text = replace(text, regexp.QuoteMeta(recipient))
		text = replace(text, regexp.QuoteMeta(local+"="+domain)) // as in a return path (VERP)
		text = anyAddress.ReplaceAllLiteralString(text, placeholder)
		if len(local) >= minLocalPart {
			text = replaceWord(text, local)
		}
	} else {
		text = anyAddress.ReplaceAllLiteralString(text, placeholder)
	}
	if runes := []rune(text); len(runes) > maxRunes {
		text = strings.TrimSpace(string(runes[:maxRunes])) + "…"
	}
	return text
}

func replace(text, pattern string) string {
	return regexp.MustCompile("(?i)"+pattern).ReplaceAllLiteralString(text, placeholder)
}

// replaceWord replaces a word where no letter, digit or joining character touches it. A dot counts as joining
// only if more text follows it.
func replaceWord(text, word string) string {
	pattern := regexp.MustCompile(`(?i)(^|[^\p{L}\p{N}._+@=-])` + regexp.QuoteMeta(word) +
		`($|[^\p{L}\p{N}._+@=-]|\.+([^\p{L}\p{N}]|$))`)
	// A match takes the character that separates it from the next one, so that two in a row need two passes.
	for range 2 {
		text = pattern.ReplaceAllString(text, "${1}"+placeholder+"${2}")
	}
	return text
}
