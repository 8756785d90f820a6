package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/transcript"
)

// maxUploadBytes is the largest transcript plus room for the form around it.
const maxUploadBytes = transcript.MaxBytes + 64<<10

// maxFieldBytes bounds each text field of the form.
const maxFieldBytes = 4 << 10

// upload is the form of POST /api/import.
type upload struct {
	projectID uuid.UUID
	personaID *uuid.UUID
	title     string
	filename  string
	data      []byte
	hasFile   bool
}

// uploadImport reads the form as it streams in, parses the file and stores import, body and utterances in one transaction as the caller. What cannot be read is refused,
// with a sentence that says why, and stores nothing.
func (s *Server) uploadImport(w http.ResponseWriter, r *http.Request) error {
	form, err := readUpload(w, r)
	if err != nil {
		return err
	}
	parsed, err := transcript.Parse(form.data)
	var unreadable *transcript.FormatError
	if errors.As(err, &unreadable) {
		return &problem.Error{Status: http.StatusUnprocessableEntity, Code: "unreadable_transcript",
			Message: "This file cannot be read as a transcript: " + unreadable.Reason + ".", Details: problem.Fields{"file": unreadable.Reason}}
	}
	if err != nil {
		return err
	}
	params := storeParams(form, parsed)
	id, err := db.AsUser(r.Context(), s.store, token.From(r.Context()), func(q *db.Queries) (uuid.UUID, error) {
		return q.StoreImport(r.Context(), params)
	})
	switch {
	case errors.Is(err, db.ErrDenied):
		return s.whyDenied(r, form.projectID)
	case db.Constraint(err) == db.ConstraintImportPersona:
		return problem.Invalid("persona_id", "persona_id names no persona of this project.")
	case err != nil:
		return err
	}
	speakers := parsed.Speakers()
	if speakers == nil {
		speakers = []string{}
	}
	s.log.InfoContext(r.Context(), "transcript uploaded", "import_id", id, "format", parsed.Format, "bytes", len(form.data), "utterances", len(parsed.Utterances))
	s.edge.WriteJSON(w, http.StatusCreated, map[string]any{"importId": id, "format": parsed.Format, "utterances": len(parsed.Utterances), "speakers": speakers})
	return nil
}

// whyDenied tells a viewer from a stranger: to the latter a project that exists looks as one that does not.
func (s *Server) whyDenied(r *http.Request, projectID uuid.UUID) error {
	err := s.store.AsUser(r.Context(), token.From(r.Context()), func(q *db.Queries) error {
		_, err := q.GetProject(r.Context(), projectID)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return forbidden("There is no such project, or you are not a member of its workspace.")
	}
	if err != nil {
		return err
	}
	return errForbidden
}

func storeParams(form upload, parsed *transcript.Transcript) db.StoreImportParams {
	sum := sha256.Sum256([]byte(parsed.Text))
	n := len(parsed.Utterances)
	p := db.StoreImportParams{
		ProjectID: form.projectID, PersonaID: form.personaID, Title: form.title, Filename: form.filename, Format: string(parsed.Format),
		SizeBytes: int64(len(form.data)), Sha256: hex.EncodeToString(sum[:]), Language: parsed.Language, Body: []byte(parsed.Text),
		Speakers: make([]string, n), Starts: make([]int64, n), Ends: make([]int64, n), Texts: make([]string, n), ByteStarts: make([]int32, n), ByteEnds: make([]int32, n),
	}
	for i, u := range parsed.Utterances {
		p.Speakers[i], p.Texts[i], p.ByteStarts[i], p.ByteEnds[i] = u.Speaker, u.Text, int32(u.ByteStart), int32(u.ByteEnd)
		p.Starts[i], p.Ends[i] = -1, -1
		if u.Timed {
			p.Starts[i], p.Ends[i] = u.Start.Milliseconds(), u.End.Milliseconds()
		}
	}
	return p
}

func readUpload(w http.ResponseWriter, r *http.Request) (upload, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxUploadBytes)
	parts, err := r.MultipartReader()
	if err != nil {
		return upload{}, problem.Invalid("body", "The body must be multipart/form-data with the fields project_id and file.")
	}
	var form upload
	seen := map[string]bool{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return upload{}, bodyError(err)
		}
		name := part.FormName()
		if seen[name] {
			return upload{}, problem.Invalid(name, fmt.Sprintf("%s is given twice; upload one file at a time.", name))
		}
		seen[name] = true
		if err := form.take(name, part); err != nil {
			return upload{}, err
		}
	}
	switch {
	case !seen["project_id"]:
		return upload{}, problem.Invalid("project_id", "project_id is missing: say which project the interview belongs to.")
	case !form.hasFile:
		return upload{}, problem.Invalid("file", "file is missing: attach the transcript.")
	}
	if form.title == "" {
		form.title = titleOf(form.filename)
	}
	return form, nil
}

// take reads one field.
func (u *upload) take(name string, part *multipart.Part) error {
	limit := int64(maxFieldBytes)
	if name == "file" {
		limit = transcript.MaxBytes
	}
	data, err := io.ReadAll(io.LimitReader(part, limit+1))
	if err != nil {
		return bodyError(err)
	}
	if int64(len(data)) > limit {
		if name == "file" {
			return errTooLarge
		}
		return problem.Invalid(name, fmt.Sprintf("%s is longer than %d bytes.", name, limit))
	}
	value := strings.TrimSpace(string(data))
	if name != "file" && (!utf8.ValidString(value) || strings.ContainsRune(value, 0)) {
		return problem.Invalid(name, name+" is not UTF-8 text.")
	}
	switch name {
	case "project_id":
		if u.projectID, err = uuid.Parse(value); err != nil {
			return problem.Invalid(name, "project_id is not a UUID.")
		}
	case "persona_id":
		if value == "" {
			return nil
		}
		id, err := uuid.Parse(value)
		if err != nil {
			return problem.Invalid(name, "persona_id is not a UUID.")
		}
		u.personaID = &id
	case "title":
		if utf8.RuneCountInString(value) > 300 {
			return problem.Invalid(name, "title is longer than 300 characters.")
		}
		u.title = value
	case "file":
		u.data, u.hasFile, u.filename = data, true, cleanFilename(part.FileName())
	default:
		return problem.Invalid(name, "This field is not known. The fields are project_id, file, title and persona_id.")
	}
	return nil
}

var errTooLarge = &problem.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
	Message: fmt.Sprintf("The file is larger than %d MB. Split the transcript into several files.", transcript.MaxBytes>>20), Details: problem.Fields{"file": "too large"}}

func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errTooLarge
	}
	return &problem.Error{Status: http.StatusBadRequest, Code: "invalid_request", Message: "The form is cut off or not well-formed.", Details: problem.Fields{"body": "not well-formed"}, Cause: err}
}

// cleanFilename keeps the last part of a name, without characters that do not show.
func cleanFilename(name string) string {
	name = strings.ToValidUTF8(filepath.Base(strings.ReplaceAll(name, `\`, "/")), "")
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	if name == "." || name == "/" {
		return ""
	}
	if utf8.RuneCountInString(name) > 255 {
		name = string([]rune(name)[:255])
	}
	return name
}

func titleOf(filename string) string {
	title := strings.TrimSpace(strings.TrimSuffix(filename, filepath.Ext(filename)))
	if title == "" {
		return "Transcript"
	}
	return title
}
