package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

type object = map[string]any

// A serviceTurn is a turn as the services have it: with numbers, and with words.
type serviceTurn struct {
	said

	index, number int // of its speaker, and of itself
}

type timedWord struct {
	text       string
	start, end time.Duration
}

// words divides a turn into words of equal length.
func (s serviceTurn) words() []timedWord {
	fields := strings.Fields(s.text)
	length := (s.end - s.start) / time.Duration(len(fields))
	var words []timedWord
	for i, f := range fields {
		at := s.start + time.Duration(i)*length
		words = append(words, timedWord{f, at, at + length})
	}
	return words
}

// wordObjects returns an object for each word.
func (s serviceTurn) wordObjects(word func(timedWord) object) []object {
	var list []object
	for _, w := range s.words() {
		list = append(list, word(w))
	}
	return list
}

func encodeJSON(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// eachServiceTurn writes a document with an object for each turn.
func eachServiceTurn(turn func(s serviceTurn) object, document func(list []object) any) func([]said) []byte {
	return func(turns []said) []byte {
		var list []object
		for _, s := range numberTurns(turns) {
			list = append(list, turn(s))
		}
		return encodeJSON(document(list))
	}
}

// eachServiceWord writes a document with objects for the words of all turns.
func eachServiceWord(
	words func(s serviceTurn) []object, document func(list []object) any,
) func([]said) []byte {
	return func(turns []said) []byte {
		var list []object
		for _, s := range numberTurns(turns) {
			list = append(list, words(s)...)
		}
		return encodeJSON(document(list))
	}
}

func numberTurns(turns []said) []serviceTurn {
	var numbered []serviceTurn
	for i, s := range turns {
		s.text = oneLine(s.text)
		numbered = append(numbered, serviceTurn{s, indexOf(turns, s.speaker), i})
	}
	return numbered
}

// member returns a function that puts a list into an object with other members.
func member(name string, others object) func([]object) any {
	return func(list []object) any {
		document := object{name: list}
		for k, v := range others {
			document[k] = v
		}
		return document
	}
}

func bare(list []object) any { return list }

func speakerNumber(_ string, index int) string { return fmt.Sprintf("Speaker %d", index) }

func namedBy(format string) func(string, int) string {
	return func(_ string, index int) string { return fmt.Sprintf(format, index) }
}

// numberedIfShort is what becomes of labels in places where services have numbers.
func numberedIfShort(label string, _ int) string {
	if len(label) == 1 {
		return "Speaker " + label
	}
	return label
}

func objectsOf(turns []said, turn func(i int, s said) object) []object {
	var list []object
	for i, s := range turns {
		list = append(list, turn(i, s))
	}
	return list
}
