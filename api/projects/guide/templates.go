package guide

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"research/internal/lexicon"
)

//go:embed data/*.txt
var data embed.FS

// fallback is the language of our questions where there are none in that of a project.
const fallback = "en"

// languages are those of our own questions; fallback is the first.
var languages = []string{fallback, "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja"}

// templates are our own questions in a language. They ask about the past, and do not repeat a hypothesis:
// that would suggest the answer.
type templates struct {
	language   string
	byCategory map[string][]string
	general    []string
}

var all = readTemplates()

func templatesIn(language string) templates { return all[max(0, slices.Index(languages, language))] }

// readTemplates reads the lists of all languages. An entry is a category, or "general", and a question.
func readTemplates() []templates {
	read := make([]templates, len(languages))
	for i, language := range languages {
		t := templates{language: language, byCategory: map[string][]string{}}
		for _, entry := range lexicon.Entries(data, language) {
			category, question, ok := strings.Cut(entry, ": ")
			switch {
			case !ok:
				panic(fmt.Sprintf("guide: data/%s.txt has the entry %q", language, entry))
			case category == "general":
				t.general = append(t.general, question)
			default:
				t.byCategory[category] = append(t.byCategory[category], question)
			}
		}
		read[i] = t
	}
	return read
}
