package dev

import (
	"os"
	"regexp"
	"strings"
)

// plainValue matches what a shell reads as one word, without quotes.
var plainValue = regexp.MustCompile(`^[\w./:@%+,=-]*$`)

// WriteEnv writes pairs of a name and a value to a file that shells source and godotenv reads, a NAME=value a
// line. A path with a space or a URL with an ampersand is quoted. The file is complete when it appears, and
// only its owner can read it.
func WriteEnv(path string, pairs [][2]string) error {
	var b strings.Builder
	for _, pair := range pairs {
		name, value := pair[0], pair[1]
		if !plainValue.MatchString(value) {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		b.WriteString(name + "=" + value + "\n")
	}
	partial := path + ".partial"
	if err := os.WriteFile(partial, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(partial, path)
}
