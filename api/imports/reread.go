package imports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/outcome"
	"research/transcript"
)

// rereadResponse is the response body of PUT /api/import/{importId}/reading.
type rereadResponse struct {
	readingResponse

	Utterances int         `json:"utterances"`
	Speakers   []string    `json:"speakers"`
	Evidence   movedQuotes `json:"evidence"`
}

// movedQuotes counts the quotes of an import that have or had a place in its transcript.
type movedQuotes struct {
	Kept      int `json:"kept"`      // at the same place, of the same speaker
	Moved     int `json:"moved"`     // at another place, or of another speaker
	PlaceLost int `json:"placeLost"` // at no place of the transcript any more
}

// getReading responds with how the file of an import is read. An import that is not found is a 404.
func (s *server) getReading(w http.ResponseWriter, r *http.Request) error {
	row, err := s.importForReading(r)
	if err != nil {
		return err
	}
	return s.withFile(r, true, func(id uuid.UUID, file db.GetImportFileRow) error {
		var decided transcript.Reading
		if err := json.Unmarshal(row.Reading, &decided); err != nil {
			return err
		}
		read, err := readStored(file, decided)
		if err != nil {
			return err
		}
		read.remembered, read.rememberedUnlabelled = file.Remembered, file.RememberedUnlabelled
		s.edge.WriteJSON(w, http.StatusOK, newReadingResponse(read))
		return nil
	})
}

// putReading reads the file of an import again with what a person decided about its labels, replaces its
// transcript, and remembers the decision for the project. Quotes keep their words, and get their new places.
// The decision replaces earlier ones, and a layout. A dry run changes nothing.
func (s *server) putReading(w http.ResponseWriter, r *http.Request) error {
	dryRun, err := isDryRun(r)
	if err != nil {
		return err
	}
	sent, err := readDecisionBody(w, r)
	if err != nil {
		return err
	}
	row, err := s.importToChange(r, errReadingBusy)
	if err != nil {
		return err
	}
	return s.withFile(r, dryRun, func(id uuid.UUID, file db.GetImportFileRow) error {
		read, err := s.readAgain(r.Context(), row.ProjectID, file, sent)
		if err != nil {
			return err
		}
		re := reread{id: id, project: row.ProjectID, file: file, read: read, dryRun: dryRun}
		if !dryRun {
			re.answers = answersOf(file.Data, sent)
		}
		ctx := r.Context()
		moved, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (movedQuotes, error) {
			return re.write(r.Context(), q)
		})
		if err != nil {
			return err
		}
		if !dryRun {
			s.log.InfoContext(r.Context(), "transcript read again", "import_id", id,
				"utterances", len(read.Utterances), "moved", moved.Moved, "place_lost", moved.PlaceLost)
		}
		s.edge.WriteJSON(w, http.StatusOK, rereadResponse{
			newReadingResponse(read), len(read.Utterances), append([]string{}, read.Speakers()...), moved,
		})
		return nil
	})
}

// readDecisionBody reads the body of putReading.
func readDecisionBody(w http.ResponseWriter, r *http.Request) (sent transcript.Reading, err error) {
	err = problem.ReadJSON(w, r, maxDecisionBytes, &sent)
	var tooLarge *problem.Error
	switch {
	case errors.As(err, &tooLarge):
		return sent, err
	case err != nil:
		return sent, problem.Invalid("reading", expectedDecision)
	}
	return sent, checkDecision(sent)
}

// importForReading returns an import that the caller sees, and whether the caller may change it.
func (s *server) importForReading(r *http.Request) (row db.GetImportForReadingRow, err error) {
	id, err := importID(r)
	if err != nil {
		return row, errNoSuchImport
	}
	ctx := r.Context()
	row, err = db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.GetImportForReadingRow, error) {
		return q.GetImportForReading(ctx, id)
	})
	if errors.Is(err, db.ErrNotFound) {
		return row, errNoSuchImport
	}
	return row, err
}

// importToChange is importForReading for a caller who changes the transcript, which nobody may while it is
// analysed: then, the error is busy.
func (s *server) importToChange(r *http.Request, busy error) (db.GetImportForReadingRow, error) {
	row, err := s.importForReading(r)
	switch {
	case err != nil:
		return row, err
	case !row.MayEdit:
		return row, errForbidden
	case row.Status.Open():
		return row, busy
	}
	return row, nil
}

// withFile calls read with the file of an import that the caller sees, when it is the turn of the caller: it
// takes as much work as an upload. What changes nothing counts for the limit of dry runs.
func (s *server) withFile(
	r *http.Request, dryRun bool, read func(id uuid.UUID, file db.GetImportFileRow) error,
) error {
	ctx := r.Context()
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ticket, err := s.uploads.Enter(ctx, admission.Caller{User: token.From(ctx).UserID})
	if err != nil {
		return err
	}
	defer ticket.Leave()
	if dryRun {
		if wait := s.dryRuns.Take(token.From(ctx).UserID.String()); wait > 0 {
			return tooManyDryRuns(wait)
		}
	}
	if err := ticket.Work(ctx); err != nil {
		return err
	}
	defer ticket.Done()
	file, err := db.AsService(ctx, s.store, func(q *db.Queries) (db.GetImportFileRow, error) {
		return q.GetImportFile(ctx, id)
	})
	if errors.Is(err, db.ErrNotFound) {
		return errNoFile
	}
	if err != nil {
		return err
	}
	return read(id, file)
}

// readStored reads a stored file as it was read last.
func readStored(file db.GetImportFileRow, decided transcript.Reading) (fileReading, error) {
	read := fileReading{decided: decided}
	advice, err := adviceOf(file)
	if err != nil {
		return read, err
	}
	if file.Layout == "" {
		read.Transcript, err = transcript.ReadAdvised(file.Data, decided, advice)
		err = readError(err)
	} else {
		read, err = readLayout(file.Data, transcript.Layout(file.Layout))
	}
	if err != nil {
		return read, err
	}
	return read, applyStored(file, read.Transcript)
}

// readAgain reads a stored file with a decision. A layout stays where nothing is decided.
func (s *server) readAgain(
	ctx context.Context, project uuid.UUID, file db.GetImportFileRow, sent transcript.Reading,
) (read fileReading, err error) {
	advice, err := adviceOf(file)
	if err != nil {
		return read, err
	}
	if file.Layout != "" && !isDecided(sent) {
		read, err = readLayout(file.Data, transcript.Layout(file.Layout))
	} else {
		read, err = s.readFile(ctx, project, file.Data, sent, advice)
	}
	if err != nil {
		return read, err
	}
	return read, applyStored(file, read.Transcript)
}

// adviceOf returns what a model said of the labels of a stored file.
func adviceOf(file db.GetImportFileRow) (advice transcript.Advice, err error) {
	err = json.Unmarshal(file.Advice, &advice)
	return advice, err
}

// applyStored gives speakers the names that were chosen with the upload. Labels that this reading does not
// have are left out. Roles stay with import_speakers.
func applyStored(file db.GetImportFileRow, read *transcript.Transcript) error {
	var choices speakerChoices
	if err := json.Unmarshal(file.Speakers, &choices); err != nil {
		return err
	}
	labels := map[string]bool{"": true}
	for _, u := range read.Utterances {
		labels[u.Speaker] = true
	}
	for label, choice := range choices {
		choice.Role = ""
		choices[label] = choice
		if !labels[label] || !labels[choice.MergeInto] {
			delete(choices, label)
		}
	}
	_, err := choices.apply(read)
	return err
}

// A reread replaces the transcript of an import.
type reread struct {
	id, project uuid.UUID
	file        db.GetImportFileRow
	read        fileReading
	answers     db.RememberReadingsParams
	dryRun      bool
}

// write replaces the transcript within a transaction, unless it is a dry run, and counts what becomes of the
// quotes.
func (re reread) write(ctx context.Context, q *db.Queries) (moved movedQuotes, err error) {
	if !re.dryRun {
		status, err := q.LockForReading(ctx, re.id)
		if err != nil {
			return moved, err
		}
		if outcome.Status(status).Open() {
			return moved, errReadingBusy
		}
	}
	if corrected, err := q.IsCorrected(ctx, re.id); err != nil || corrected {
		return moved, cmp.Or(err, error(errCorrected))
	}
	before, err := listTurns(ctx, q, re.id)
	if err != nil {
		return moved, err
	}
	quotes, err := q.ListPlacedEvidence(ctx, re.id)
	if err != nil {
		return moved, err
	}
	p := re.params()
	moved = p.move(quotes, before, newText(re.read.Utterances, re.read.Text), re.read.Text)
	if re.dryRun {
		return moved, nil
	}
	if err := q.ReplaceTranscript(ctx, p.ReplaceTranscriptParams); err != nil {
		return moved, err
	}
	if err := describeImport(ctx, q, re.id, re.read); err != nil {
		return moved, err
	}
	return moved, rememberAnswers(ctx, q, re.project, re.read.Format, re.answers)
}

// listTurns returns the transcript of an import before its file is read again.
func listTurns(ctx context.Context, q *db.Queries, id uuid.UUID) (text, error) {
	rows, err := q.ListTurns(ctx, id)
	if err != nil {
		return text{}, err
	}
	turns, words := make([]transcript.Utterance, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		words[i] = row.Text
		turns[i] = transcript.Utterance{
			Speaker: row.Speaker, Text: row.Text, ByteStart: int(row.ByteStart), ByteEnd: int(row.ByteEnd),
			Confidence: row.Confidence, Timed: row.StartMs != unknownTime,
			Start: time.Duration(row.StartMs) * time.Millisecond, End: time.Duration(row.EndMs) * time.Millisecond,
		}
	}
	return newText(turns, strings.Join(words, "\n")), nil
}
