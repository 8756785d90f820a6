package projects

import (
	"context"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/projects/unforeseen"
	"research/api/token"
	"research/db"
)

// These bound the reading of a project's words: some 250 interviews of an hour. What was read until then
// counts, the newest interviews first.
const (
	maxWords     = 2_000_000
	maxWordsTime = 8 * time.Second
	maxVoices    = 20_000
	maxKnown     = 2000 // hypotheses, and themes
)

// wordsBudget lets a workspace count words once at a time, which takes a core for a second or two, and a
// process twice.
var wordsBudget = admission.Config{
	UserRequests: 1, UserWaiting: 4, Slots: 2, WorkspaceSlots: 1, MaxWait: 2 * maxWordsTime,
}

// ownWorkspace charges a workspace for itself.
func ownWorkspace(_ context.Context, workspace uuid.UUID) (uuid.UUID, error) { return workspace, nil }

// maxExcerpt is the size of the text of a place, in bytes.
const maxExcerpt = 600

// A foundWords is the answer to a request for words.
type foundWords struct {
	Words      []foundWord `json:"words"`
	People     int         `json:"people"`
	Interviews int         `json:"interviews"`
	ReadTurns  int         `json:"readTurns"`
	Truncated  bool        `json:"truncated"`
}

type foundWord struct {
	Word       string      `json:"word"`
	Forms      []string    `json:"forms"`
	People     int         `json:"people"`
	Interviews int         `json:"interviews"`
	Places     []wordPlace `json:"places"`
}

type wordPlace struct {
	ImportID    uuid.UUID `json:"importId"`
	ImportTitle string    `json:"importTitle"`
	Ordinal     int       `json:"ordinal"`
	Speaker     string    `json:"speaker"`
	StartMs     *int64    `json:"startMs"`
	Text        string    `json:"text"`
	TextFrom    int       `json:"textFrom"`
	At          [2]int    `json:"at"`
}

// getWords responds with the words that many people say and no hypothesis or theme has.
func (s *server) getWords(w http.ResponseWriter, r *http.Request) error {
	var workspace uuid.UUID
	err := s.read(r, func(q *db.Queries, id uuid.UUID) error {
		project, err := q.GetProject(r.Context(), id)
		workspace = project.WorkspaceID
		return err
	})
	if err != nil {
		return err
	}
	var found foundWords
	caller := admission.Caller{User: workspace, Trusted: token.From(r.Context()).Role == db.RoleService}
	err = s.words.Do(r.Context(), caller, func() error {
		return s.read(r, func(q *db.Queries, id uuid.UUID) (err error) {
			found, err = findWords(r.Context(), q, id)
			return err
		})
	})
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, found)
	return nil
}

func findWords(ctx context.Context, q *db.Queries, project uuid.UUID) (foundWords, error) {
	voices, err := q.ListVoices(ctx, db.ListVoicesParams{ProjectID: project, Most: maxVoices})
	if err != nil {
		return foundWords{}, err
	}
	known, err := q.ListKnownTexts(ctx, db.ListKnownTextsParams{ProjectID: project, Most: maxKnown})
	if err != nil {
		return foundWords{}, err
	}
	heard := newHearing(voices)
	counter := unforeseen.New(known, heard.names)
	complete, err := heard.count(ctx, q, counter)
	if err != nil {
		return foundWords{}, err
	}
	found := foundWords{
		Words: []foundWord{}, People: counter.People(), Interviews: counter.Interviews(),
		ReadTurns: counter.Turns(), Truncated: !complete || len(voices) == maxVoices,
	}
	words := counter.Words()
	turns, err := heard.turnsOf(ctx, q, words)
	if err != nil {
		return foundWords{}, err
	}
	for _, word := range words {
		found.Words = append(found.Words, foundWord{
			Word: word.Word, Forms: word.Forms, People: word.People, Interviews: word.Interviews,
			Places: heard.places(word, turns),
		})
	}
	return found, nil
}

// A hearing is the interviews of a project, and who speaks in them.
type hearing struct {
	interviews []interview
	names      []string // of everybody
}

// An interview has the people who count, by their labels.
type interview struct {
	id       uuid.UUID
	language string
	people   map[string]int // numbers of people
	speakers []string
}

func newHearing(voices []db.ListVoicesRow) *hearing {
	h := &hearing{}
	people := map[string]int{}
	for _, v := range voices {
		h.names = append(h.names, v.Speaker, v.DisplayName, v.Participant)
		if !v.IsHeard {
			continue
		}
		if n := len(h.interviews); n == 0 || h.interviews[n-1].id != v.ImportID {
			h.interviews = append(h.interviews, interview{
				id: v.ImportID, language: v.Language, people: map[string]int{},
			})
		}
		if _, ok := people[v.Person]; !ok {
			people[v.Person] = len(people)
		}
		last := &h.interviews[len(h.interviews)-1]
		last.people[v.Speaker] = people[v.Person]
		last.speakers = append(last.speakers, v.Speaker)
	}
	return h
}

// count counts the words of the interviews one by one, and reports whether it read all of them.
func (h *hearing) count(ctx context.Context, q *db.Queries, counter *unforeseen.Counter) (bool, error) {
	began, read := time.Now(), 0
	for i, one := range h.interviews {
		turns, err := q.ListSpokenTurns(ctx, db.ListSpokenTurnsParams{ImportID: one.id, Speakers: one.speakers})
		if err != nil {
			return false, err
		}
		counter.Begin(i, one.language)
		for _, turn := range turns {
			if read >= maxWords || time.Since(began) > maxWordsTime {
				return false, nil
			}
			read += counter.Add(one.people[turn.Speaker], int(turn.Ordinal), turn.Text)
		}
	}
	return true, nil
}

// A turnKey is a turn by its interview.
type turnKey struct {
	importID uuid.UUID
	ordinal  int
}

// turnsOf reads the turns of the places of words.
func (h *hearing) turnsOf(
	ctx context.Context, q *db.Queries, words []unforeseen.Word,
) (map[turnKey]db.ListTurnsAtRow, error) {
	wanted := db.ListTurnsAtParams{ImportIds: []uuid.UUID{}, Ordinals: []int32{}}
	for _, word := range words {
		for _, place := range word.Places {
			wanted.ImportIds = append(wanted.ImportIds, h.interviews[place.Interview].id)
			wanted.Ordinals = append(wanted.Ordinals, int32(place.Ordinal))
		}
	}
	rows, err := q.ListTurnsAt(ctx, wanted)
	turns := map[turnKey]db.ListTurnsAtRow{}
	for _, row := range rows {
		turns[turnKey{row.ImportID, int(row.Ordinal)}] = row
	}
	return turns, err
}

// places are the places of a word, without those of turns that are gone since.
func (h *hearing) places(word unforeseen.Word, turns map[turnKey]db.ListTurnsAtRow) []wordPlace {
	places := []wordPlace{}
	for _, p := range word.Places {
		turn, ok := turns[turnKey{h.interviews[p.Interview].id, p.Ordinal}]
		if !ok || p.To > len(turn.Text) {
			continue
		}
		from, to := excerpt(turn.Text, p.From, p.To)
		places = append(places, wordPlace{
			ImportID: turn.ImportID, ImportTitle: turn.Title, Ordinal: p.Ordinal, Speaker: turn.Speaker,
			StartMs: turn.StartMs, Text: turn.Text[from:to], TextFrom: from, At: [2]int{p.From - from, p.To - from},
		})
	}
	return places
}

// excerpt returns the part of a text around bytes of it. It begins and ends with a character.
func excerpt(text string, from, to int) (start, end int) {
	if len(text) <= maxExcerpt {
		return 0, len(text)
	}
	start = max(0, min(from-maxExcerpt/2, len(text)-maxExcerpt))
	end = max(to, min(start+maxExcerpt, len(text)))
	for !utf8.RuneStart(text[start]) {
		start++
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return start, end
}
