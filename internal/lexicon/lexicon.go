// Package lexicon reads the lists of words that packages embed beside their code.
//
// A list is a text file in a folder named data. It has one entry a line; blank lines and lines that begin
// with # are skipped. What an entry means, and how it is compared, belongs to the package that embeds the
// list.
package lexicon

import (
	"io/fs"
	"strings"
)

// Entries returns the entries of the list data/NAME.txt in their order, without white space around them.
// Names of lists are constants of the code, so a list that does not exist panics.
func Entries(files fs.FS, name string) []string {
	raw, err := fs.ReadFile(files, "data/"+name+".txt")
	if err != nil {
		panic(err)
	}
	var entries []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			entries = append(entries, line)
		}
	}
	return entries
}
