package identity

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxPasswordBytes is bcrypt's limit: it ignores further bytes.
	maxPasswordBytes = 72
	// defaultMinPassword is the minimum length, in characters, of NIST SP 800-63B.
	defaultMinPassword = 8
)

// The reasons of a WeakPasswordError, in GoTrue's words.
const (
	reasonLength     = "length"
	reasonCharacters = "characters"
	reasonPwned      = "pwned"
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
	if len(password) > maxPasswordBytes {
		return ErrPasswordTooLong
	}
	if !utf8.ValidString(password) || strings.ContainsRune(password, 0) {
		return ErrPasswordNotText
	}
	var weak WeakPasswordError
	add := func(reason, message string) {
		weak.Reasons, weak.Messages = append(weak.Reasons, reason), append(weak.Messages, message)
	}
	minLength := c.PasswordMinLength
	if minLength == 0 {
		minLength = defaultMinPassword
	}
	if utf8.RuneCountInString(password) < minLength {
		add(reasonLength, fmt.Sprintf("Password should be at least %d characters.", minLength))
	}
	if slices.ContainsFunc(c.PasswordCharacters, func(class string) bool {
		return !strings.ContainsFunc(password, characterClasses[class])
	}) {
		add(reasonCharacters, "Password should contain at least one character of each: "+
			strings.Join(c.PasswordCharacters, ", ")+".")
	}
	if guessable(password, email) {
		add(reasonPwned,
			"Password is known to be weak and easy to guess, please choose a different one.")
	}
	if len(weak.Reasons) == 0 {
		return nil
	}
	return &weak
}

// commonPasswords are the most frequent passwords of eight characters and more in lists of leaked ones,
// beyond those that guessable finds by rule.
var commonPasswords = map[string]bool{
	"11223344": true, "12341234": true, "12344321": true, "123123123": true,
	"1q2w3e4r": true, "1q2w3e4r5t": true, "1qaz2wsx": true, "a1b2c3d4": true,
	"abc12345": true, "abcd1234": true, "admin123": true, "asdf1234": true,
	"asdfghjkl": true, "baseball": true, "changeit": true, "changeme": true,
	"charlie1": true, "computer": true, "dragon123": true, "football": true,
	"iloveyou": true, "internet": true, "jennifer": true, "letmein1": true,
	"liverpool": true, "michelle": true, "monkey123": true, "p@ssw0rd": true,
	"passw0rd": true, "password": true, "password1": true, "password12": true,
	"princess": true, "q1w2e3r4": true, "qwerty123": true, "qwerty12345": true,
	"qwertyuiop": true, "starwars": true, "sunshine": true, "superman": true,
	"trustno1": true, "welcome1": true, "whatever": true, "zaq12wsx": true,
}

// guessable reports whether a password is common, the account's own address, one repeated character, or a run
// of digits or letters.
func guessable(password, email string) bool {
	password, email = strings.ToLower(password), strings.ToLower(email)
	if password == "" {
		return false // it is too short already
	}
	local, _, _ := strings.Cut(email, "@")
	if commonPasswords[password] || email != "" && (password == email || password == local) {
		return true
	}
	const digits, letters = "01234567890123456789", "abcdefghijklmnopqrstuvwxyz"
	reversed := []byte(password)
	slices.Reverse(reversed)
	for _, run := range []string{password, string(reversed)} {
		if strings.Contains(digits, run) || strings.Contains(letters, run) {
			return true
		}
	}
	first, _ := utf8.DecodeRuneInString(password)
	return strings.Trim(password, string(first)) == ""
}
