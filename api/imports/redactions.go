package imports

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"research/api/problem"
	"research/db"
)

const (
	maxRedacted    = 200 // bytes of the words, and of what replaces them
	maxShownPlaces = 200 // in the answer to a redaction
	maxAround      = 60  // bytes on each side of a place that are shown
)

// redactionRequest is the request body of POST /api/import/{importId}/redactions.
type redactionRequest struct {
	Base        string  `json:"base"`
	Words       string  `json:"words"`
	Replacement *string `json:"replacement"` // [name] if it is left out
	Title       bool    `json:"title"`       // redact the title, too
}

// redactedResponse is the response body of a redaction.
type redactedResponse struct {
	correctedResponse

	Occurrences int             `json:"occurrences"` // in the words of turns
	Speakers    []string        `json:"speakers"`    // labels and names that change
	Others      int             `json:"others"`      // other texts that change: notes, earlier wordings
	Title       bool            `json:"title"`       // whether the title names the words
	Places      []redactedPlace `json:"places"`      // the first ones
}

// A redactedPlace is where a turn names the words that are redacted.
type redactedPlace struct {
	Ordinal int    `json:"ordinal"`
	Speaker string `json:"speaker"`
	Before  string `json:"before"`
	Words   string `json:"words"`
	After   string `json:"after"`
}

// A redaction removes words from an import for good.
type redaction struct {
	naming

	with              string
	title             bool
	kinds, olds, news []string
	answer            redactedResponse
}

// redact replaces words everywhere in an import. What they were is kept nowhere. A dry run says where they
// are.
func (s *server) redact(w http.ResponseWriter, r *http.Request) error {
	dryRun, err := isDryRun(r)
	if err != nil {
		return err
	}
	var sent redactionRequest
	if err := readChange(w, r, &sent, "words", `words must be a text such as "Anna".`); err != nil {
		return err
	}
	red, err := newRedaction(sent)
	if err != nil {
		return err
	}
	return s.rewrite(w, r, sent.Base, func(ctx context.Context, q *db.Queries, c *rewriting) error {
		c.redacted, c.dryRun, c.field = true, dryRun, "replacement"
		if err := red.prepare(ctx, q, c); err != nil {
			return err
		}
		if err := red.write(ctx, q, c); err != nil {
			return err
		}
		red.answer.correctedResponse = c.answer
		c.respond = red.answer
		return nil
	})
}

func newRedaction(sent redactionRequest) (*redaction, error) {
	red := &redaction{naming: newNaming(sent.Words), with: "[name]", title: sent.Title}
	if sent.Replacement != nil {
		red.with = cleanWords(*sent.Replacement)
	}
	switch {
	case len(red.words) == 0 || len(sent.Words) > maxRedacted:
		return nil, problem.Invalid("words",
			fmt.Sprintf("Send words with letters, in at most %d bytes.", maxRedacted))
	case red.with == "" || len(red.with) > maxRedacted:
		return nil, problem.Invalid("replacement",
			fmt.Sprintf("A replacement has from 1 to %d bytes.", maxRedacted))
	case len(red.find(red.with, "")) > 0:
		return nil, problem.Invalid("replacement", "The replacement must not contain the words.")
	}
	return red, nil
}

// prepare finds the words in turns, and in what else belongs to the import.
func (red *redaction) prepare(ctx context.Context, q *db.Queries, c *rewriting) error {
	red.answer.Places, red.answer.Speakers = []redactedPlace{}, []string{}
	for i := range c.after {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		u := &c.after[i]
		if label := red.in(u.Speaker, maxSpeakerBytes); label != u.Speaker {
			u.Speaker = label
			c.touched[int32(i)] = true
		}
		found := red.find(u.Text, red.with)
		if len(found) == 0 {
			continue
		}
		c.touched[int32(i)] = true
		red.show(i, c.before.turns[i].Speaker, u.Text, found)
		if err := red.check(u.Text, found); err != nil {
			return err
		}
		u.Text = found.apply(u.Text)
		for _, e := range found {
			at := c.before.turns[i].ByteStart
			c.edits = append(c.edits, edit{start: at + e.start, end: at + e.end, with: e.with})
		}
	}
	for i, e := range c.quotes {
		if e.ByteStart < 0 {
			c.quotes[i].Quote = red.in(e.Quote, maxQuoteBytes)
		}
	}
	return red.prepareTexts(ctx, q, c)
}

// check refuses what would be too much work, or too long.
func (red *redaction) check(turn string, found edits) error {
	if red.answer.Occurrences > maxFound {
		return problem.Invalid("words", fmt.Sprintf(
			"The transcript has these words more than %d times. Send longer ones.", maxFound))
	}
	if len(turn)+found.grown()[len(found)] > maxTurnBytes {
		return problem.Invalid("replacement", "A turn would be too long. Choose a shorter replacement.")
	}
	return nil
}

// show adds the places of a turn to the answer.
func (red *redaction) show(ordinal int, speaker, text string, found edits) {
	red.answer.Occurrences += len(found)
	for _, e := range found[:min(len(found), maxShownPlaces-len(red.answer.Places))] {
		from, to := max(0, e.start-maxAround), min(len(text), e.end+maxAround)
		for from < e.start && !utf8.RuneStart(text[from]) {
			from++
		}
		for to > e.end && to < len(text) && !utf8.RuneStart(text[to]) {
			to--
		}
		red.answer.Places = append(red.answer.Places, redactedPlace{
			ordinal, speaker, text[from:e.start], text[e.start:e.end], text[e.end:to],
		})
	}
}

// in returns a text with the words replaced, cut to a number of bytes.
func (red *redaction) in(s string, most int) string {
	fresh := red.find(s, red.with).apply(s)
	if fresh != s && len(fresh) > most {
		fresh = strings.TrimSpace(strings.ToValidUTF8(fresh[:most], ""))
	}
	return fresh
}

// maxTexts are the lengths of the columns by their kinds, in bytes.
var maxTexts = map[string]int{
	"label": maxSpeakerBytes, "name": 300, "person": 200, "title": 300, "filename": 1000, "summary": 20000,
	"rationale": 20000, "quote": maxQuoteBytes, "speaker": 2000, "original_quote": maxQuoteBytes,
	"original_speaker": 2000, "was_text": maxTurnBytes, "was_speaker": maxSpeakerBytes, "was_name": 300,
	"gone":       maxQuoteBytes,
	"remembered": 300, "question": 2000, "voice": maxSpeakerBytes,
}

func (red *redaction) prepareTexts(ctx context.Context, q *db.Queries, c *rewriting) error {
	texts, err := q.ListTextsOfImport(ctx, c.id)
	if err != nil {
		return err
	}
	others := map[string]bool{}
	for _, t := range texts {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		fresh := red.in(t.Value, maxTexts[t.Kind])
		if fresh == t.Value {
			continue
		}
		switch t.Kind {
		case "title":
			red.answer.Title = true
			if !red.title {
				continue
			}
		case "label", "name", "person":
			if !slices.Contains(red.answer.Speakers, t.Value) {
				red.answer.Speakers = append(red.answer.Speakers, t.Value)
			}
		default:
			others[t.Value] = true
		}
		red.kinds, red.olds = append(red.kinds, t.Kind), append(red.olds, t.Value)
		red.news = append(red.news, fresh)
	}
	slices.Sort(red.answer.Speakers)
	red.answer.Others = len(others)
	return nil
}

// write removes the words. Texts are replaced before the transcript, so that speakers keep what was said
// about them. They are replaced again after it, in what is not a quote of the transcript.
func (red *redaction) write(ctx context.Context, q *db.Queries, c *rewriting) error {
	if c.dryRun || len(c.touched)+len(red.kinds) == 0 {
		return c.finish(ctx, q)
	}
	isOfSpeakers := func(kind string) bool {
		return slices.Contains([]string{"label", "name", "person", "voice"}, kind)
	}
	if err := red.replace(ctx, q, c, isOfSpeakers); err != nil {
		return err
	}
	if err := c.finish(ctx, q); err != nil {
		return err
	}
	return red.replace(ctx, q, c, func(kind string) bool { return !isOfSpeakers(kind) })
}

func (red *redaction) replace(
	ctx context.Context, q *db.Queries, c *rewriting, isWanted func(kind string) bool,
) error {
	p := db.RedactImportParams{ImportID: c.id, Kinds: []string{}, Olds: []string{}, News: []string{}}
	for i, kind := range red.kinds {
		if isWanted(kind) {
			p.Kinds, p.Olds, p.News = append(p.Kinds, kind), append(p.Olds, red.olds[i]), append(p.News, red.news[i])
		}
	}
	return q.RedactImport(ctx, p)
}
