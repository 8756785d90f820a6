package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/transcript"
)

// createResponse is the answer of POST /api/import.
type createResponse struct {
	ImportID   uuid.UUID         `json:"importId"`
	Format     transcript.Format `json:"format"`
	Utterances int               `json:"utterances"`
	Speakers   []string          `json:"speakers"`
}

// createImport parses an uploaded file and stores the import, its text and its utterances in one transaction
// as the caller. A file that cannot be parsed is rejected with the reason, and nothing is stored.
func (s *Server) createImport(w http.ResponseWriter, r *http.Request) error {
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	parsed, err := transcript.Parse(form.data)
	var unreadable *transcript.FormatError
	if errors.As(err, &unreadable) {
		return &problem.Error{
			Status: http.StatusUnprocessableEntity, Code: "unreadable_transcript",
			Message: "This file cannot be read as a transcript: " + unreadable.Reason + ".",
			Details: problem.Fields{"file": unreadable.Reason},
		}
	}
	if err != nil {
		return err
	}
	ctx := r.Context()
	id, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (uuid.UUID, error) {
		return q.StoreImport(ctx, storeParams(form, parsed))
	})
	switch {
	case errors.Is(err, db.ErrDenied):
		return s.denied(r, form.projectID)
	case db.Constraint(err) == db.ConstraintImportPersona:
		return problem.Invalid("persona_id", "persona_id is not a persona of this project.")
	case err != nil:
		return err
	}
	response := createResponse{
		ImportID: id, Format: parsed.Format, Utterances: len(parsed.Utterances), Speakers: parsed.Speakers(),
	}
	if response.Speakers == nil {
		response.Speakers = []string{}
	}
	s.log.InfoContext(ctx, "transcript uploaded", "import_id", id, "format", parsed.Format,
		"bytes", len(form.data), "utterances", len(parsed.Utterances))
	s.edge.WriteJSON(w, http.StatusCreated, response)
	return nil
}

// denied returns the error of a caller who may not write in a project. To a caller who is not a member, a
// project that exists and one that does not look the same.
func (s *Server) denied(r *http.Request, projectID uuid.UUID) error {
	ctx := r.Context()
	_, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (db.Project, error) {
		return q.GetProject(ctx, projectID)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errProjectForbidden
	case err != nil:
		return err
	}
	return errForbidden
}

// unknownTime is how private.store_import takes the time of an utterance without one.
const unknownTime = -1

func storeParams(form uploadForm, parsed *transcript.Transcript) db.StoreImportParams {
	sum := sha256.Sum256([]byte(parsed.Text))
	n := len(parsed.Utterances)
	p := db.StoreImportParams{
		ProjectID:  form.projectID,
		PersonaID:  form.personaID,
		Title:      form.title,
		Filename:   form.filename,
		Format:     string(parsed.Format),
		SizeBytes:  int64(len(form.data)),
		Sha256:     hex.EncodeToString(sum[:]),
		Language:   parsed.Language,
		Body:       []byte(parsed.Text),
		Speakers:   make([]string, n),
		Starts:     make([]int64, n),
		Ends:       make([]int64, n),
		Texts:      make([]string, n),
		ByteStarts: make([]int32, n),
		ByteEnds:   make([]int32, n),
	}
	for i, u := range parsed.Utterances {
		p.Speakers[i], p.Texts[i] = u.Speaker, u.Text
		p.ByteStarts[i], p.ByteEnds[i] = int32(u.ByteStart), int32(u.ByteEnd)
		p.Starts[i], p.Ends[i] = unknownTime, unknownTime
		if u.Timed {
			p.Starts[i], p.Ends[i] = u.Start.Milliseconds(), u.End.Milliseconds()
		}
	}
	return p
}
