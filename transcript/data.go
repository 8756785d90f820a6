package transcript

import (
	"embed"
	"fmt"
	"strings"
)

// The lists of words have one entry a line; a line that begins with # is a comment.
//
//go:embed data/*.txt
var data embed.FS

// loadEntries reads a list.
func loadEntries(name string) []string {
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

// loadWords reads a list as a set.
func loadWords(name string) map[string]bool {
	set := map[string]bool{}
	for _, word := range loadEntries(name) {
		set[word] = true
	}
	return set
}

// loadPairs reads a list of two words a line.
func loadPairs(name string) [][2]string {
	var pairs [][2]string
	for _, entry := range loadEntries(name) {
		first, second, ok := strings.Cut(entry, " ")
		if !ok {
			panic(fmt.Sprintf("data/%s.txt: %q is not a pair", name, entry))
		}
		pairs = append(pairs, [2]string{first, second})
	}
	return pairs
}

// loadMap reads a list of keys and values.
func loadMap(name string) map[string]string {
	m := map[string]string{}
	for _, pair := range loadPairs(name) {
		m[pair[0]] = pair[1]
	}
	return m
}
