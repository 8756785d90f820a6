package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/transcript"
)

// A rewriting changes the transcript of an import within a transaction.
type rewriting struct {
	id     uuid.UUID
	row    db.GetImportForReadingRow
	before text
	joined string
	quotes []db.ListPlacedEvidenceRow

	after    []transcript.Utterance // the turns as they become; their bytes are not right before finish
	touched  map[int32]bool
	edits    edits
	grown    []int // by the edits
	dryRun   bool
	redacted bool   // what was read stays read, and what it was is not kept
	field    string // of the request, which is at fault if the transcript grows too large

	answer  correctedResponse
	respond any // instead of answer, if it is not nil
}

// rewrite calls change with the transcript of an import that is at base, and responds with what became of it.
func (s *server) rewrite(
	w http.ResponseWriter, r *http.Request, base string,
	change func(ctx context.Context, q *db.Queries, c *rewriting) error,
) error {
	if _, err := s.importToChange(r, errCorrectingBusy); err != nil {
		return err
	}
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ctx := r.Context()
	c := &rewriting{id: id, touched: map[int32]bool{}, field: "changes"}
	_, err = db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (struct{}, error) {
		if err := c.load(ctx, q, base); err != nil {
			return struct{}{}, err
		}
		if err := change(ctx, q, c); err != nil || c.dryRun {
			return struct{}{}, err
		}
		return struct{}{}, c.checkStorage(ctx, q)
	})
	if err != nil {
		return err
	}
	if !c.dryRun {
		s.log.InfoContext(ctx, "transcript changed", "import_id", id, "turns", c.answer.Turns,
			"redacted", c.redacted, "place_lost", c.answer.Evidence.PlaceLost)
	}
	if c.respond == nil {
		c.respond = c.answer
	}
	s.edge.WriteJSON(w, http.StatusOK, c.respond)
	return nil
}

// load locks the import, and reads its transcript and its quotes.
func (c *rewriting) load(ctx context.Context, q *db.Queries, base string) error {
	if _, err := q.LockForReading(ctx, c.id); err != nil {
		return err
	}
	var err error
	if c.row, err = q.GetImportForReading(ctx, c.id); err != nil {
		return err
	}
	if c.row.Status.Open() {
		return errCorrectingBusy
	}
	hash, err := q.TranscriptHash(ctx, c.id)
	if err != nil {
		return err
	}
	if !strings.EqualFold(base, hex.EncodeToString(hash)) {
		return errTranscriptChanged
	}
	if c.before, err = listTurns(ctx, q, c.id); err != nil {
		return err
	}
	words := make([]string, len(c.before.turns))
	for i, u := range c.before.turns {
		words[i] = u.Text
	}
	c.joined = strings.Join(words, "\n")
	c.after = append([]transcript.Utterance{}, c.before.turns...)
	c.quotes, err = q.ListPlacedEvidence(ctx, c.id)
	return err
}

// change corrects a turn. Who corrects a speaker is certain.
func (c *rewriting) change(ordinal int32, to turnChange) {
	u := &c.after[ordinal]
	if to.Speaker != nil && (*to.Speaker != u.Speaker || u.Confidence < doubtful) {
		u.Speaker, u.Confidence = *to.Speaker, 1
		c.touched[ordinal] = true
	}
	if to.Text != nil && *to.Text != u.Text {
		u.Text = *to.Text
		c.touched[ordinal] = true
	}
}

// restoreConfidences makes the speakers of turns that are corrected back as certain as they were.
func (c *rewriting) restoreConfidences(ctx context.Context, q *db.Queries) error {
	p := db.ListConfidencesBeforeParams{
		ImportID: c.id, Ordinals: []int32{}, Texts: []string{}, Speakers: []string{},
	}
	for i, u := range c.after {
		if before := c.before.turns[i]; u.Text != before.Text || u.Speaker != before.Speaker {
			p.Ordinals, p.Texts = append(p.Ordinals, int32(i)), append(p.Texts, u.Text)
			p.Speakers = append(p.Speakers, u.Speaker)
		}
	}
	rows, err := q.ListConfidencesBefore(ctx, p)
	for _, row := range rows {
		c.after[row.Turn].Confidence = row.Confidence
	}
	return err
}

// finish stores the changed turns, if there are any.
func (c *rewriting) finish(ctx context.Context, q *db.Queries) error {
	if err := c.checkSize(); err != nil {
		return err
	}
	for i, u := range c.before.turns {
		if !c.redacted && c.touched[int32(i)] {
			c.edits = append(c.edits, difference(u.Text, c.after[i].Text, u.ByteStart)...)
		}
	}
	joined := c.edits.apply(c.joined)
	at := 0
	for i := range c.after {
		u := &c.after[i]
		u.ByteStart, u.ByteEnd = at, at+len(u.Text)
		at = u.ByteEnd + 1
	}
	c.answer.Base, c.answer.Turns = baseOf(joined, c.after), len(c.touched)
	p := c.params(joined)
	lost, err := c.follow(ctx, p, newText(c.after, joined), joined)
	if err != nil || c.dryRun || len(c.touched) == 0 {
		return err
	}
	if err := c.keepTurns(ctx, q); err != nil {
		return err
	}
	if err := q.ReplaceTranscript(ctx, p.ReplaceTranscriptParams); err != nil {
		return err
	}
	return c.record(ctx, q, lost)
}

// baseOf names the state of a transcript, as the database does.
func baseOf(joined string, turns []transcript.Utterance) string {
	hash := sha256.New()
	_, _ = io.WriteString(hash, joined)
	for _, u := range turns {
		_, _ = io.WriteString(hash, "\n"+u.Speaker)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// checkStorage refuses what makes the import larger in a workspace without room.
func (c *rewriting) checkStorage(ctx context.Context, q *db.Queries) error {
	now, err := q.GetStorage(ctx, c.id)
	if err != nil || now.StoredBytes <= c.row.StoredBytes {
		return err
	}
	switch now.Exceeded {
	case db.PrivateQuotaWorkspaceStorage, db.PrivateQuotaAccountStorage:
		return quotaError(now.Exceeded)
	}
	return nil
}

// checkSize refuses a transcript that is larger than an upload may be, unless it was so before.
func (c *rewriting) checkSize() error {
	size := len(c.after) - 1
	for _, u := range c.after {
		size += len(u.Text)
	}
	if size > max(transcript.MaxBytes, len(c.joined)) {
		return problem.Invalid(c.field, fmt.Sprintf(
			"The transcript would be larger than %d MB. Nothing was changed.", transcript.MaxBytes>>20))
	}
	return nil
}

// params are the arguments of private.replace_transcript. The file stays as it is.
func (c *rewriting) params(joined string) *replaceParams {
	stored := storeParams(uploadForm{}, &transcript.Transcript{
		Format: transcript.Format(c.row.Format), Language: c.row.Language, Text: joined, Utterances: c.after,
	})
	p := &replaceParams{db.ReplaceTranscriptParams{
		ImportID: c.id, Format: stored.Format, Language: stored.Language, Body: stored.Body,
		Speakers: stored.Speakers, Starts: stored.Starts, Ends: stored.Ends, Texts: stored.Texts,
		ByteStarts: stored.ByteStarts, ByteEnds: stored.ByteEnds, Confidences: stored.Confidences,
		Craft:     stored.Craft,
		OldStarts: []int32{}, OldEnds: []int32{}, NewStarts: []int32{}, NewEnds: []int32{}, Evidence: []uuid.UUID{},
		Quotes: []string{}, Places: []int32{}, Confirmed: []uuid.UUID{}, ConfirmedSpeakers: []string{},
		Remembered: []string{},
	}}
	for i, u := range c.before.turns {
		if c.redacted || !c.touched[int32(i)] {
			end := min(1, len(c.before.turns)-1-i) // the line feed after it
			p.addRange(u.ByteStart, u.ByteEnd+end, c.after[i].ByteStart, c.after[i].ByteEnd+end)
		}
	}
	return p
}

// maxQuoteBytes is how long a quote may be. The database has the same bound.
const maxQuoteBytes = 100_000

// follow finds the new places of quotes, counts what becomes of them, and returns those that lose their
// place.
func (c *rewriting) follow(
	ctx context.Context, p *replaceParams, after text, joined string,
) (lost []uuid.UUID, err error) {
	lost = []uuid.UUID{}
	c.grown = c.edits.grown()
	for _, e := range c.quotes {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		start, end := int(e.ByteStart), int(e.ByteEnd)
		if start < 0 {
			at, found := after.find(e.Quote)
			if !found {
				p.addQuote(e, e.Quote, -1, false)
				continue
			}
			c.answer.Evidence.Changed++
			p.addQuote(e, joined[at:at+len(e.Quote)], int32(at), e.SpeakerConfirmed)
			continue
		}
		turns := c.before.within(start, end)
		from, to := c.placeOf(start, end, joined)
		now := after.within(from, to)
		if from >= to || !c.redacted && (!c.isSame(start, end, joined[from:to]) ||
			ofOneSpeaker(turns) && !ofOneSpeaker(now)) {
			c.answer.Evidence.PlaceLost++
			lost = append(lost, e.ID)
			p.addQuote(e, e.Quote, -1, false)
			continue
		}
		if to-from > max(maxQuoteBytes, end-start) {
			return nil, problem.Invalid(c.field, fmt.Sprintf(
				"A quote would be longer than %d bytes. Nothing was changed.", maxQuoteBytes))
		}
		if joined[from:to] == e.Quote && haveSameSpeakers(turns, now) {
			c.answer.Evidence.Kept++
		} else {
			c.answer.Evidence.Changed++
		}
		p.addQuote(e, joined[from:to], int32(from), e.SpeakerConfirmed && isDoubtful(turns))
	}
	return lost, nil
}

// isSame reports whether a quote still has half of its words, and they are half of what it becomes.
func (c *rewriting) isSame(start, end int, becomes string) bool {
	return 2*c.edits.kept(c.joined, start, end) >= max(letters(c.joined[start:end]), letters(becomes))
}

// placeOf returns where a quote is in the new transcript, without white space at its ends.
func (c *rewriting) placeOf(start, end int, joined string) (from, to int) {
	from, to = c.edits.place(start, end, c.grown)
	if from >= to {
		return from, from
	}
	if joined[from:to] == c.joined[start:end] {
		return from, to
	}
	from += len(joined[from:to]) - len(strings.TrimLeftFunc(joined[from:to], unicode.IsSpace))
	return from, from + len(strings.TrimRightFunc(joined[from:to], unicode.IsSpace))
}

// keepTurns keeps what the turns are that change, unless that is redacted.
func (c *rewriting) keepTurns(ctx context.Context, q *db.Queries) error {
	if c.redacted {
		return nil
	}
	p := db.KeepTurnsParams{ImportID: c.id}
	for i, u := range c.before.turns {
		if c.touched[int32(i)] {
			p.Ordinals, p.Texts = append(p.Ordinals, int32(i)), append(p.Texts, u.Text)
			p.Speakers, p.Confidences = append(p.Speakers, u.Speaker), append(p.Confidences, u.Confidence)
		}
	}
	return q.KeepTurns(ctx, p)
}

// record remembers which turns are to be read again.
func (c *rewriting) record(ctx context.Context, q *db.Queries, lost []uuid.UUID) error {
	var unread []unreadRange
	if err := json.Unmarshal(c.row.Unread, &unread); err != nil {
		return err
	}
	for i := range c.before.turns {
		ordinal := int32(i)
		if !c.redacted && c.touched[ordinal] && c.row.Status == outcome.StatusParsed && !covers(unread, ordinal) {
			unread = append(unread, unreadRange{ordinal, ordinal, "corrected"})
		}
	}
	raw, err := json.Marshal(append([]unreadRange{}, unread...))
	if err != nil {
		return err
	}
	hasRoom, err := q.RecordCorrections(ctx, db.RecordCorrectionsParams{ImportID: c.id, Unread: raw, Lost: lost})
	if err == nil && !hasRoom {
		return errManyCorrections
	}
	return err
}

// An unreadRange is a range of turns, both included, that was not read.
type unreadRange struct {
	From   int32  `json:"from"`
	To     int32  `json:"to"`
	Reason string `json:"reason"`
}

func covers(unread []unreadRange, ordinal int32) bool {
	for _, r := range unread {
		if r.From <= ordinal && ordinal <= r.To {
			return true
		}
	}
	return false
}
