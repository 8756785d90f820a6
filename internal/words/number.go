package words

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"research/internal/lexicon"
)

// loadNumberWords maps number words, in all their forms, to digits.
func loadNumberWords() map[string]string {
	words := map[string]string{}
	for _, entry := range lexicon.Entries(data, "numbers") {
		fields := strings.Fields(entry)
		if len(fields) != 2 {
			panic(fmt.Sprintf("data/numbers.txt: %q is not a word and its digits", entry))
		}
		words[Fold(fields[0])] = fields[1]
	}
	for _, entry := range lexicon.Entries(data, "number-forms") {
		fields := strings.Fields(entry)
		for _, word := range fields[1:] {
			words[Fold(word)] = fields[0]
		}
	}
	return words
}

// A numeralSystem is a way to write a number as one word.
type numeralSystem struct {
	parts  map[string]int // the values of the words within it
	joint  string         // a word between two others: "und"
	factor int            // the least value that multiplies what stands before it
	large  int            // the least value that multiplies all that stands before it
	sizes  []int          // of the parts, the longest first

	multipliers []string // the parts that multiply others
}

// numeralSystems are those of German, Dutch, Italian and Korean. The lists have their short words.
var numeralSystems = []numeralSystem{
	newNumeralSystem("und", 100, 1000, `ein 1 zwei 2 drei 3 vier 4 funf 5 sechs 6 sieben 7 acht 8 neun 9 zehn 10
		elf 11 zwolf 12 sechzehn 16 siebzehn 17 zwanzig 20 dreissig 30 vierzig 40 funfzig 50 sechzig 60
		siebzig 70 achtzig 80 neunzig 90 hundert 100 tausend 1000`),
	newNumeralSystem("en", 100, 1000, `een 1 twee 2 drie 3 vier 4 vijf 5 zes 6 zeven 7 acht 8 negen 9 tien 10
		elf 11 twaalf 12 dertien 13 veertien 14 twintig 20 dertig 30 veertig 40 vijftig 50 zestig 60 zeventig 70
		tachtig 80 negentig 90 honderd 100 duizend 1000`),
	newNumeralSystem("", 100, 1000, `uno 1 un 1 due 2 tre 3 quattro 4 cinque 5 sei 6 sette 7 otto 8 nove 9
		dieci 10 undici 11 dodici 12 tredici 13 quattordici 14 quindici 15 sedici 16 diciassette 17 diciotto 18
		diciannove 19 venti 20 vent 20 trenta 30 trent 30 quaranta 40 cinquanta 50 sessanta 60 settanta 70
		ottanta 80 novanta 90 cento 100 mila 1000 mille 1000`),
	newNumeralSystem("", 10, 10000, `일 1 이 2 삼 3 사 4 오 5 육 6 칠 7 팔 8 구 9 십 10 백 100 천 1000 만 10000
		억 100000000`),
}

func newNumeralSystem(joint string, factor, large int, list string) numeralSystem {
	n := numeralSystem{parts: map[string]int{}, joint: Fold(joint), factor: factor, large: large}
	fields := strings.Fields(list)
	for i := 0; i < len(fields); i += 2 {
		value, err := strconv.Atoi(fields[i+1])
		if err != nil {
			panic(err)
		}
		part := Fold(fields[i])
		n.parts[part] = value
		if value >= factor {
			n.multipliers = append(n.multipliers, part)
		}
	}
	sizes := map[int]bool{}
	for part := range n.parts {
		sizes[len(part)] = true
	}
	n.sizes = slices.Sorted(maps.Keys(sizes))
	slices.Reverse(n.sizes)
	return n
}

// Bounds on the size of the numerals that are read.
const (
	minNumeral = len("cento")
	maxNumeral = 100
)

// numeral returns the digits of a numeral of several parts: "elftausend", "undicimila". It returns "" for
// other words, and so for words that only begin like one.
func numeral(word string) string {
	if len(word) < minNumeral || len(word) > maxNumeral {
		return ""
	}
	for _, system := range numeralSystems {
		if !ContainsAny(word, system.multipliers) {
			continue
		}
		if value, ok := system.value(withoutParticle(word)); ok {
			return strconv.Itoa(value)
		}
	}
	return ""
}

// value adds up a word that consists of parts, one of which multiplies others.
func (n *numeralSystem) value(word string) (int, bool) {
	total, hundreds, units := 0, 0, 0
	multiplies := false
	for word != "" {
		value, size := n.first(word)
		if size == 0 {
			if rest, ok := strings.CutPrefix(word, n.joint); ok && n.joint != "" && units > 0 {
				word = rest
				continue
			}
			return 0, false
		}
		switch {
		case value >= n.large:
			total += max(hundreds+units, 1) * value
			hundreds, units, multiplies = 0, 0, true
		case value >= n.factor:
			hundreds += max(units, 1) * value
			units, multiplies = 0, true
		default:
			units += value
		}
		word = word[size:]
	}
	return total + hundreds + units, multiplies
}

// first returns the value and the size of the longest part that begins a word.
func (n *numeralSystem) first(word string) (value, size int) {
	for _, size := range n.sizes {
		if size <= len(word) {
			if value, ok := n.parts[word[:size]]; ok {
				return value, size
			}
		}
	}
	return 0, 0
}

// particles follow a Korean numeral. Those that are numerals themselves are left out.
var particles = Folded(data, "numeral-particles")

// withoutParticle removes a particle that follows a word of the Korean script.
func withoutParticle(word string) string {
	if !IsHangul(word) {
		return word
	}
	for _, particle := range particles {
		if rest, ok := strings.CutSuffix(word, particle); ok && rest != "" {
			return rest
		}
	}
	return word
}
