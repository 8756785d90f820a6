package identity

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go"
	"github.com/ccojocar/zxcvbn-go/matching"
)

const (
	// maxPasswordBytes is bcrypt's limit: it ignores further bytes.
	maxPasswordBytes = 72
	// defaultMinPassword is the minimum length, in characters, of NIST SP 800-63B.
	defaultMinPassword = 8
)

// The reasons of a WeakPasswordError, with GoTrue's names.
const (
	reasonLength     = "length"
	reasonCharacters = "characters"
	reasonPwned      = "pwned" // "known to be weak and easy to guess", whether it was leaked or not
)

var characterClasses = map[string]func(rune) bool{
	"lower": unicode.IsLower,
	"upper": unicode.IsUpper,
	"digit": unicode.IsDigit,
	"symbol": func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsSpace(r)
	},
}

// checkPassword checks a new password of the account with this address.
// Errors: ErrPasswordTooLong, ErrPasswordNotText, *WeakPasswordError.
func (c Config) checkPassword(password, email string) error {
	if !utf8.ValidString(password) || strings.ContainsRune(password, 0) {
		return ErrPasswordNotText
	}
	password = normalizePassword(password)
	if len(password) > maxPasswordBytes {
		return ErrPasswordTooLong
	}
	var weak WeakPasswordError
	add := func(reason, message string) {
		weak.Reasons, weak.Messages = append(weak.Reasons, reason), append(weak.Messages, message)
	}
	minLength := c.PasswordMinLength
	if minLength == 0 {
		minLength = defaultMinPassword
	}
	tooShort := utf8.RuneCountInString(password) < minLength
	if tooShort {
		add(reasonLength, fmt.Sprintf("Password should be at least %d characters.", minLength))
	}
	if slices.ContainsFunc(c.PasswordCharacters, func(class string) bool {
		return !strings.ContainsFunc(password, characterClasses[class])
	}) {
		add(reasonCharacters, "Password should contain at least one character of each: "+
			strings.Join(c.PasswordCharacters, ", ")+".")
	}
	if !tooShort && guessable(password, email) { // short ones are all easy to guess
		add(reasonPwned,
			"Password is known to be weak and easy to guess, please choose a different one.")
	}
	if len(weak.Reasons) == 0 {
		return nil
	}
	return &weak
}

// plainLetters undoes common substitutions of letters, such as 0 for o.
var plainLetters = strings.NewReplacer(
	"@", "a", "4", "a", "8", "b", "3", "e", "0", "o", "1", "i", "!", "i", "$", "s", "5", "s", "7", "t",
)

// guessable reports whether the estimator finds a password within a million guesses or so, in dictionaries of
// passwords, words and names, on keyboards, in dates, sequences and repetitions, and in the account's own
// address.
//
// The estimator's own search for substitutions is switched off, since it takes seconds for a password that
// consists of them.
func guessable(password, email string) bool {
	email = strings.ToLower(email)
	local, domain, _ := strings.Cut(email, "@")
	name, _, _ := strings.Cut(domain, ".")
	own := slices.DeleteFunc([]string{email, local, domain, name}, func(s string) bool { return s == "" })
	for _, variant := range []string{password, plainLetters.Replace(password)} {
		if zxcvbn.PasswordStrength(variant, own, matching.FilterL33tMatcher).Score == 0 {
			return true
		}
	}
	return false
}
