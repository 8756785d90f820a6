// Package lexicon holds the lists of words by which transcripts are read: months, roles, headings, stop
// words.
//
// It knows how a list is written. What its words mean belongs to the package that asks for it.
package lexicon

import (
	"embed"
	"fmt"
	"strings"
)

// The lists of words have one entry a line; a line that begins with # is a comment.
//
//go:embed data/*.txt
var data embed.FS

// Entries reads a list.
func Entries(name string) []string {
	raw, err := data.ReadFile("data/" + name + ".txt")
	if err != nil {
		panic(err) // the name is a constant
	}
	var entries []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			entries = append(entries, line)
		}
	}
	return entries
}

// Words reads a list as a set.
func Words(name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range Entries(name) {
		set[word] = true
	}
	return set
}

// Pairs reads a list of two words a line.
func Pairs(name string) [][2]string {
	var pairs [][2]string
	for _, entry := range Entries(name) {
		first, second, ok := strings.Cut(entry, " ")
		if !ok {
			panic(fmt.Sprintf("data/%s.txt: %q is not a pair", name, entry))
		}
		pairs = append(pairs, [2]string{first, second})
	}
	return pairs
}

// Map reads a list of keys and values.
func Map(name string) map[string]string {
	m := map[string]string{}
	for _, pair := range Pairs(name) {
		m[pair[0]] = pair[1]
	}
	return m
}
