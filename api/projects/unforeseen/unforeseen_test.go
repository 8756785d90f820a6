package unforeseen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/api/projects/unforeseen"
)

// A study is the interviews of a file in testdata: the lines of speakers, the first of whom interviews, in
// interviews that --- divides.
type study struct {
	language   string
	hypothesis string
	words      []string
	interviews [][][2]string // speakers and what they say
	names      []string
}

func read(t *testing.T, path string) (s study) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	s.language = strings.TrimSuffix(filepath.Base(path), ".txt")
	s.interviews = [][][2]string{nil}
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if hypothesis, ok := strings.CutPrefix(line, "# hypothesis: "); ok {
			s.hypothesis = hypothesis
			continue
		}
		if words, ok := strings.CutPrefix(line, "# words: "); ok {
			s.words = strings.Split(words, ", ")
			continue
		}
		if line == "---" {
			s.interviews = append(s.interviews, nil)
			continue
		}
		speaker, text, ok := strings.Cut(line, ": ")
		require.True(t, ok, line)
		s.names = append(s.names, speaker)
		last := &s.interviews[len(s.interviews)-1]
		*last = append(*last, [2]string{speaker, text})
	}
	return s
}

// count counts what the interviewed people of a study say.
func (s study) count(known ...string) *unforeseen.Counter {
	c := unforeseen.New(known, s.names)
	interviewer := s.interviews[0][0][0]
	for i, turns := range s.interviews {
		c.Begin(i, s.language)
		for ordinal, turn := range turns {
			if turn[0] != interviewer {
				c.Add(i, ordinal, turn[1])
			}
		}
	}
	return c
}

func spelled(found []unforeseen.Word) (list []string) {
	for _, w := range found {
		list = append(list, w.Word)
	}
	return list
}

func TestWordsAreThoseThatReadersWouldName(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.Len(t, files, 14)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s := read(t, file)
			found := s.count(s.hypothesis).Words()
			t.Log(found)
			require.ElementsMatch(t, s.words, spelled(found))
		})
	}
}

// said counts what people say in interviews of their own.
func said(language string, known, names []string, texts ...string) []unforeseen.Word {
	c := unforeseen.New(known, names)
	for i, text := range texts {
		c.Begin(i, language)
		c.Add(i, 0, text)
	}
	return c.Words()
}

func TestWords(t *testing.T) {
	t.Parallel()
	three := func(text string) []string { return []string{text, text, text} }
	for name, c := range map[string]struct {
		language     string
		known, names []string
		texts        []string
		want         []string
	}{
		"of two people do not count": {
			texts: []string{"The printer jams.", "My printer is old.", "No idea."},
		},
		"in fewer than 30 percent of the interviews do not count": {
			texts: append(three("The printer jams."), slices.Repeat([]string{"No idea."}, 8)...),
		},
		"in 30 percent of the interviews count": {
			texts: append(three("The printer again."), slices.Repeat([]string{"No idea."}, 7)...),
			want:  []string{"printer"},
		},
		"of a hypothesis do not count in any form": {
			known: []string{"Approving takes long.", "They organise it."},
			texts: three("Approvals, approved: who organizes that?"),
		},
		"of a theme do not count in another spelling": {
			language: "de-DE", known: []string{"Rueckfragen der Kollegen"},
			texts: three("Wir hatten eine Rückfrage, und die Kollegen warten auf die Unterschrift."),
			want:  []string{"Unterschrift"},
		},
		"that are names of people do not count": {
			names: []string{"Dr. Okonkwo", "Mia"},
			texts: three("Then I asked Okonkwo, and Sabine, and Mr. Brightwater, about Jira."),
			want:  []string{"Jira"},
		},
		"that are numbers, notes and fillers do not count": {
			texts: three("Yeah, actually, like, 1,200 or twelve hundred [crosstalk in the room], you know, " +
				"and that's it."),
		},
		"with an article count without it": {
			language: "it", texts: []string{
				"Aspetto l'approvazione.", "Dipende dall'approvazione.", "Quando c'è l’approvazione.",
			},
			want: []string{"approvazione"},
		},
		"of a chat without capital letters count": {
			language: "de", texts: three("und dann die freigabe, und ja"), want: []string{"freigabe"},
		},
		"of a language without lists count by their letters": {
			language: "xx", texts: three("zorblat"), want: []string{"zorblat"},
		},
		"of scripts without word boundaries in our lists do not count": {
			language: "th", texts: three("ต้องรอการอนุมัติ"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, spelled(said(c.language, c.known, c.names, c.texts...)))
		})
	}
}

func TestWordsHavePlaces(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Die Freigabe dauert.", "Wegen der Freigaben!", "Äh – Freigabe, Freigabe.", "Die Freigabe fehlt.",
	}
	found := said("de", nil, nil, texts...)
	require.Len(t, found, 1)
	word := found[0]
	require.Equal(t, []string{"Freigabe", "Freigaben"}, word.Forms)
	require.Equal(t, 4, word.People)
	require.Equal(t, 4, word.Interviews)
	require.Len(t, word.Places, unforeseen.MostPlaces)
	for i, place := range word.Places {
		require.Equal(t, i, place.Interview)
		require.Zero(t, place.Ordinal)
		require.Contains(t, word.Forms, texts[i][place.From:place.To])
	}
}

func TestWordsAreAtMostTen(t *testing.T) {
	t.Parallel()
	text := "apple banana cherry donkey engine fossil garden hammer island jungle kettle lemon"
	require.Len(t, said("en", nil, nil, text, text, text), unforeseen.Most)
}

// Somebody who speaks in several interviews is one person.
func TestWordsCountPeopleOnce(t *testing.T) {
	t.Parallel()
	c := unforeseen.New(nil, nil)
	for i := range 5 {
		c.Begin(i, "en")
		c.Add(0, 0, "The printer jams.")
		c.Add(1, 1, "It does.")
	}
	require.Empty(t, c.Words())
	require.Equal(t, 2, c.People())
	require.Equal(t, 5, c.Interviews())
	require.Equal(t, 10, c.Turns())
}

// The memory of a counter has a bound, and what many people say is not forgotten.
func TestManyWords(t *testing.T) {
	t.Parallel()
	c := unforeseen.New(nil, nil)
	var text strings.Builder
	for i := range 26 {
		text.Reset()
		for j := range 9000 {
			fmt.Fprintf(&text, "q%s ", letters(i*9000+j))
		}
		c.Begin(i, "en")
		c.Add(i, 0, text.String())
		c.Add(i, 1, "The printer jams.")
	}
	require.Equal(t, []string{"jams", "printer"}, spelled(c.Words()))
}

// letters writes a number in letters.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'b' }, strconv.Itoa(n))
}
