// Package lexicon holds the lists of words by which transcripts are read: months, roles, headings, stop
// words.
//
// It returns a list as entries, a set, pairs or a map. What its words mean belongs to the package that asks
// for it.
package lexicon

import (
	"embed"
	"fmt"
	"strings"

	lists "research/internal/lexicon"
)

//go:embed data/*.txt
var data embed.FS

// List returns the entries of a list in their order.
func List(name string) []string { return lists.Entries(data, name) }

// Words reads a list as a set.
func Words(name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range List(name) {
		set[word] = true
	}
	return set
}

// Pairs reads a list of two words a line.
func Pairs(name string) [][2]string {
	var pairs [][2]string
	for _, entry := range List(name) {
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
