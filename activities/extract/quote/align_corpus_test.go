package quote

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"research/transcript"
)

// A corpus generates interviews in one language, from the templates in testdata/corpora. In a template, {x}
// stands for one of the words of x, {n} for a number, and [a|b] for one of two opposite meanings. The
// templates of a language without spaces separate words by bars.
type corpus struct {
	Language   string              `json:"language"` // ISO 639-1 code
	Templates  []string            `json:"sentences"`
	Words      map[string][]string `json:"words"`
	Fillers    []string            `json:"fillers"`
	Typography []string            `json:"typography"` // replacements: old, new, old, new …
	Unspaced   bool                `json:"unspaced"`
}

func loadCorpus(language string) *corpus {
	raw, err := os.ReadFile(filepath.Join("testdata", "corpora", language+".json"))
	if err != nil {
		panic(err)
	}
	c := &corpus{}
	if err := json.Unmarshal(raw, c); err != nil {
		panic(err)
	}
	return c
}

// A fragment is a word of a generated sentence, or several words that belong together.
type fragment struct {
	text     string
	opposite string // for meaning and number: what the text must not be replaced by
	kind     fragmentKind
}

type fragmentKind int

const (
	plainWord fragmentKind = iota
	fillerWord
	meaning
	number
)

var slotPattern = regexp.MustCompile(`\[[^]]*\]|[^\s|]*\{n\}[^\s|]*`)

// fill generates a sentence from a template.
func (c *corpus) fill(rng *rand.Rand, template string) []fragment {
	separator := " "
	if c.Unspaced {
		separator = "|"
	}
	var fragments []fragment
	addWords := func(s string) {
		for w := range strings.SplitSeq(s, separator) {
			if w != "" {
				fragments = append(fragments, fragment{text: w, kind: plainWord})
			}
		}
	}
	filled := template
	for _, name := range slices.Sorted(maps.Keys(c.Words)) {
		words := c.Words[name]
		for strings.Contains(filled, "{"+name+"}") {
			filled = strings.Replace(filled, "{"+name+"}", words[rng.IntN(len(words))], 1)
		}
	}
	at := 0
	for _, where := range slotPattern.FindAllStringIndex(filled, -1) {
		addWords(filled[at:where[0]])
		slot := filled[where[0]:where[1]]
		at = where[1]
		if strings.HasPrefix(slot, "[") {
			a, b, _ := strings.Cut(strings.Trim(slot, "[]"), "|")
			if rng.IntN(2) == 0 {
				a, b = b, a
			}
			fragments = append(fragments, fragment{text: a, opposite: b, kind: meaning})
			continue
		}
		n := 2 + rng.IntN(90)
		fragments = append(fragments, fragment{
			text:     strings.Replace(slot, "{n}", fmt.Sprint(n), 1),
			opposite: strings.Replace(slot, "{n}", fmt.Sprint(n+1+rng.IntN(9)), 1),
			kind:     number,
		})
	}
	addWords(filled[at:])
	return fragments
}

func (c *corpus) join(fragments []fragment) string {
	texts := make([]string, len(fragments))
	for i, f := range fragments {
		texts[i] = f.text
	}
	if c.Unspaced {
		return strings.Join(texts, "")
	}
	return strings.Join(texts, " ")
}

// An interview is a generated transcript with the sentences of each turn.
type interview struct {
	transcript *transcript.Transcript
	turns      [][]sentence
	clean      string // all sentences without fillers
}

type sentence struct {
	template  int
	fragments []fragment
}

// interview generates an interview of every second template, from the first or the second, so that two
// interviews can have no sentence in common.
func (c *corpus) interview(rng *rand.Rand, turns, first int) interview {
	v := interview{transcript: &transcript.Transcript{Language: c.Language}}
	for i := range turns {
		var said []sentence
		var texts []string
		for range 2 + rng.IntN(3) {
			template := rng.IntN((len(c.Templates)-first+1)/2)*2 + first
			spoken := c.speak(rng, c.fill(rng, c.Templates[template]))
			said = append(said, sentence{template, spoken})
			v.clean += c.join(withoutFillers(spoken)) + "\n"
			texts = append(texts, c.join(spoken))
		}
		separator := " "
		if c.Unspaced {
			separator = ""
		}
		text := strings.Join(texts, separator)
		if i > 0 {
			v.transcript.Text += "\n"
		}
		start := len(v.transcript.Text)
		v.transcript.Text += text
		v.transcript.Utterances = append(v.transcript.Utterances, transcript.Utterance{
			Speaker: []string{"Ann", "Ben"}[i%2], Text: text, ByteStart: start, ByteEnd: len(v.transcript.Text),
		})
		v.turns = append(v.turns, said)
	}
	return v
}

// speak adds fillers and repeated words.
func (c *corpus) speak(rng *rand.Rand, fragments []fragment) []fragment {
	var spoken []fragment
	for _, f := range fragments {
		if rng.IntN(7) == 0 {
			filler := c.Fillers[rng.IntN(len(c.Fillers))]
			spoken = append(spoken, fragment{text: filler, kind: fillerWord})
		}
		if f.kind == plainWord && !c.Unspaced && rng.IntN(20) == 0 && !strings.ContainsAny(f.text, ".,") {
			spoken = append(spoken, fragment{text: f.text, kind: fillerWord})
		}
		spoken = append(spoken, f)
	}
	return spoken
}

func withoutFillers(fragments []fragment) []fragment {
	var clean []fragment
	for _, f := range fragments {
		if f.kind != fillerWord {
			clean = append(clean, f)
		}
	}
	return clean
}
