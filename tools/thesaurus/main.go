// Command thesaurus makes the thesaurus of the keyword extractor from WordNet 3.0 and the words that the Open
// Multilingual Wordnet took from Wiktionary:
//
//	apt-get install wordnet-base    # /usr/share/wordnet
//	git clone https://github.com/omwn/omw-data
//	cd tools && go run ./thesaurus -wordnet /usr/share/wordnet -words ../omw-data/wns/wikt \
//		-out ../activities/extract/keyword/data/thesaurus.txt.gz
//
// Its output is the same for the same input: the present one was made from wordnet-base 1:3.0-37 and from
// omw-data at f75be19. Each line is a meaning (a synset) that occurs in WordNet's counted texts: how often,
// the lines of its broader meanings, the lines of meanings derived from it (to sell, a sale), and its words
// of each language.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// languages are the names of the extractor's languages, by those of the files of words.
var languages = map[string]string{
	"dan": "da", "deu": "de", "fra": "fr", "hun": "hu", "ita": "it", "nld": "nl", "nob": "no", "por": "pt",
	"rus": "ru", "spa": "es", "swe": "sv",
}

func main() {
	wordnet := flag.String("wordnet", "/usr/share/wordnet", "the folder with WordNet's data files")
	words := flag.String("words", "", "the folder with wn-wikt-deu.tab and the like")
	out := flag.String("out", "", "the file to write, compressed")
	flag.Parse()
	if err := write(*wordnet, *words, *out); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(wordnet, folder, out string) error {
	t := thesaurus{}
	if err := t.readWordNet(wordnet); err != nil {
		return err
	}
	for name, language := range languages {
		if err := t.readWords(filepath.Join(folder, "wn-wikt-"+name+".tab"), language); err != nil {
			return err
		}
	}
	var compressed bytes.Buffer
	z, err := gzip.NewWriterLevel(&compressed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(t.lines()); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(out, compressed.Bytes(), 0o644)
}

// A synset is a meaning of WordNet. Its id is the offset in the file of its part of speech, and that part.
type synset struct {
	count   int
	broader []string
	derived []string
	words   map[string][]string // words by language
}

type thesaurus map[string]*synset

// partsOfSpeech has the letters of the files, and the numbers of the parts in sense keys.
var partsOfSpeech = []struct{ letter, file, numbers string }{
	{"n", "noun", "1"}, {"v", "verb", "2"}, {"a", "adj", "35"}, {"r", "adv", "4"},
}

func (t thesaurus) readWordNet(folder string) error {
	senses := map[string][]string{} // synsets by word and part of speech, in the order of their numbers
	for _, part := range partsOfSpeech {
		err := eachLine(filepath.Join(folder, "data."+part.file), func(line string) error {
			if strings.HasPrefix(line, "  ") {
				return nil // the licence
			}
			return t.addSynset(line, part.letter)
		})
		if err != nil {
			return err
		}
		err = eachLine(filepath.Join(folder, "index."+part.file), func(line string) error {
			if strings.HasPrefix(line, "  ") {
				return nil
			}
			fields := strings.Fields(line)
			pointers, err := strconv.Atoi(fields[3])
			if err != nil {
				return err
			}
			for _, offset := range fields[6+pointers:] {
				key := fields[0] + " " + part.letter
				senses[key] = append(senses[key], offset+"-"+part.letter)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return eachLine(filepath.Join(folder, "cntlist.rev"), func(line string) error {
		return t.addCount(line, senses)
	})
}

// addSynset reads "offset file type words (word id)… pointers (symbol offset part source)… | gloss".
func (t thesaurus) addSynset(line, letter string) error {
	data, _, _ := strings.Cut(line, "|")
	fields := strings.Fields(data)
	count, err := strconv.ParseInt(fields[3], 16, 0)
	if err != nil {
		return err
	}
	s := &synset{words: map[string][]string{}}
	for i := range int(count) {
		word, _, _ := strings.Cut(fields[4+2*i], "(") // "asleep(p)"
		s.addWord("en", word)
	}
	pointers := fields[5+2*count:]
	for ; len(pointers) >= 4; pointers = pointers[4:] {
		id := pointers[1] + "-" + strings.Replace(pointers[2], "s", "a", 1)
		switch pointers[0] {
		case "@", "@i":
			s.broader = append(s.broader, id)
		case "+", `\`, "&":
			s.derived = append(s.derived, id)
		}
	}
	t[fields[0]+"-"+letter] = s
	return nil
}

// addWord adds a single word without digits.
func (s *synset) addWord(language, word string) {
	word = strings.ToLower(word)
	isOther := func(r rune) bool { return r == ' ' || r == '_' || unicode.IsDigit(r) }
	if strings.ContainsFunc(word, isOther) || utf8.RuneCountInString(word) < 2 {
		return
	}
	if !slices.Contains(s.words[language], word) {
		s.words[language] = append(s.words[language], word)
	}
}

// addCount reads "bill%1:10:00:: sense count".
func (t thesaurus) addCount(line string, senses map[string][]string) error {
	fields := strings.Fields(line)
	word, key, found := strings.Cut(fields[0], "%")
	number, err := strconv.Atoi(fields[1])
	count, err2 := strconv.Atoi(fields[2])
	if !found || err != nil || err2 != nil {
		return fmt.Errorf("cntlist.rev: %q is not a sense and its count", line)
	}
	for _, part := range partsOfSpeech {
		list := senses[word+" "+part.letter]
		if strings.Contains(part.numbers, key[:1]) && number <= len(list) {
			t[list[number-1]].count += count
		}
	}
	return nil
}

// readWords reads lines such as "00021265-n	deu:lemma	Nahrung".
func (t thesaurus) readWords(file, language string) error {
	return eachLine(file, func(line string) error {
		fields := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || len(fields) < 3 || !strings.HasSuffix(fields[1], "lemma") {
			return nil
		}
		if s := t[strings.Replace(fields[0], "-s", "-a", 1)]; s != nil {
			s.addWord(language, fields[2])
		}
		return nil
	})
}

func (t thesaurus) lines() []byte {
	var ids []string
	for id, s := range t {
		if s.count > 0 && len(s.words) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	numbers := map[string]int{}
	for i, id := range ids {
		numbers[id] = i
	}
	var out bytes.Buffer
	for _, id := range ids {
		s := t[id]
		broader, derived := t.broader(id, numbers, 3), known(s.derived, numbers)
		_, _ = fmt.Fprintf(&out, "%d\t%s\t%s", s.count, join(broader), join(derived))
		for _, language := range sortedKeys(s.words) {
			_, _ = fmt.Fprintf(&out, "\t%s=%s", language, strings.Join(s.words[language], "|"))
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// broader returns the lines of the nearest broader meanings that the thesaurus has, at most some levels up.
func (t thesaurus) broader(id string, numbers map[string]int, levels int) []int {
	var found []int
	for _, up := range t[id].broader {
		if number, ok := numbers[up]; ok {
			found = append(found, number)
		} else if levels > 0 && t[up] != nil {
			found = append(found, t.broader(up, numbers, levels-1)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func known(ids []string, numbers map[string]int) (found []int) {
	for _, id := range ids {
		if number, ok := numbers[id]; ok {
			found = append(found, number)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func join(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ",")
}

func sortedKeys(m map[string][]string) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func eachLine(file string, read func(line string) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := read(lines.Text()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return lines.Err()
}
