package imports

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/idempotency"
	"research/api/problem"
	"research/transcript"
)

// bulkResponse is the response body of POST /api/import with several files.
type bulkResponse struct {
	Created int          `json:"created"`
	Failed  int          `json:"failed"`
	Files   []fileResult `json:"files"` // in the order of the request
}

// A fileResult is the outcome of one file.
type fileResult struct {
	Filename string          `json:"filename"`
	Status   int             `json:"status"`           // that of an upload of this file alone
	Import   json.RawMessage `json:"import,omitempty"` // the response to such an upload
	Failure  any             `json:"failure,omitempty"`
	Parse    *parseResult    `json:"parse,omitempty"` // if hypothesis_ids are given
}

// A parseResult reports whether the parse of a file was started.
type parseResult struct {
	Status  int             `json:"status"`
	Run     json.RawMessage `json:"run,omitempty"` // the response to such a request
	Failure any             `json:"failure,omitempty"`
}

// A bulk is a request with several files.
type bulk struct {
	server     *server
	request    *http.Request
	ticket     *admission.Ticket
	key        idempotency.Key
	authorize  func(projectID uuid.UUID) error
	form       uploadForm // the fields that all files share
	hypotheses []uuid.UUID
	bytes      int64
	response   bulkResponse
	imports    []uuid.UUID // by file; nil for those that failed
	replayed   bool        // a part of the response is one to an earlier request with the key
	fresh      bool        // a part is not: a file was stored, a parse started, or the content differs
}

// createImports stores the files of a form one after the other, as if each had been uploaded alone, and then
// starts their parses. A file that fails does not prevent the others from being stored. Only one file at a
// time is in memory.
func (b *bulk) createImports(w http.ResponseWriter, form uploadForm, rest *formRest) error {
	b.form = form
	if rest.seen["title"] {
		return errTitled
	}
	if rest.seen["file"] {
		if !rest.seen["project_id"] {
			return errFieldsFirst
		}
		if err := b.addFile(form.filename, form.data); err != nil {
			return err
		}
		b.form.data = nil
	}
	for rest.part != nil {
		if err := b.readPart(rest.part, rest.seen); err != nil {
			return err
		}
		if err := rest.advance(); err != nil {
			return err
		}
	}
	switch {
	case !rest.seen["project_id"]:
		return problem.Invalid("project_id", "project_id is missing: say which project the interviews belong to.")
	case len(b.response.Files) == 0:
		return problem.Invalid("file", "There is no transcript in the request.")
	}
	if len(b.hypotheses) > 0 {
		b.startParses()
	}
	if b.replayed && !b.fresh {
		idempotency.MarkReplayed(w)
	}
	b.server.edge.WriteJSON(w, http.StatusOK, b.response)
	return nil
}

// readPart reads a field of the form.
func (b *bulk) readPart(part *multipart.Part, seen map[string]bool) error {
	name := part.FormName()
	known := seen[name]
	seen[name] = true
	switch {
	case name == "file":
		if !seen["project_id"] {
			return errFieldsFirst
		}
		data, err := readPart(part, transcript.MaxBytes, errTooLarge)
		if errors.Is(err, errTooLarge) {
			return b.fail(cleanFilename(partName(part)), errTooLarge)
		}
		if err != nil {
			return err
		}
		return b.addFile(cleanFilename(partName(part)), data)
	case name == "hypothesis_ids":
		return b.readHypotheses(part)
	case known:
		return problem.Invalid(name, name+" is given twice.")
	case name == "title":
		return errTitled
	case len(b.response.Files) > 0 && (name == "project_id" || name == "persona_id" || name == "interviewed_on"):
		return errFieldsFirst
	}
	if err := b.form.readField(name, part, part); err != nil {
		return err
	}
	if name == "project_id" {
		return b.authorize(b.form.projectID)
	}
	return nil
}

// readHypotheses reads ids that are separated by commas. The field may be given several times.
func (b *bulk) readHypotheses(part *multipart.Part) error {
	const field = "hypothesis_ids"
	data, err := readPart(part, maxFieldBytes, problem.Invalid(field, "hypothesis_ids is too long."))
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(string(data), ",") {
		id, err := uuid.Parse(strings.TrimSpace(text))
		if err != nil {
			return problem.Invalid(field, "hypothesis_ids must be UUIDs, separated by commas.")
		}
		if !slices.Contains(b.hypotheses, id) {
			b.hypotheses = append(b.hypotheses, id)
		}
	}
	if len(b.hypotheses) > maxHypotheses {
		return problem.Invalid(field, fmt.Sprintf("hypothesis_ids lists more than %d hypotheses.", maxHypotheses))
	}
	return nil
}

// addFile stores a file, or the files of a zip. Its error ends the request.
func (b *bulk) addFile(filename string, data []byte) error {
	if archive := openArchive(data); archive != nil {
		return b.addArchive(archive)
	}
	if err := b.count(len(data)); err != nil {
		return err
	}
	body, id, err := b.storeFile(filename, data)
	if err != nil {
		return b.fail(filename, err)
	}
	b.imports = append(b.imports, id)
	b.response.Created++
	b.response.Files = append(b.response.Files, fileResult{
		Filename: filename, Status: http.StatusCreated, Import: body,
	})
	return nil
}

// count rejects the request if it has too many files or bytes.
func (b *bulk) count(size int) error {
	b.bytes += int64(size)
	if b.bytes > maxBulkBytes || len(b.response.Files) >= maxBulkFiles {
		return errTooMuch
	}
	return nil
}

// storeFile does the same as an upload of the file alone, and returns its response. With an Idempotency-Key,
// a file that an earlier request stored gets the response of that request.
func (b *bulk) storeFile(filename string, data []byte) (body []byte, id uuid.UUID, err error) {
	ctx := b.request.Context()
	form := b.form
	form.filename, form.data, form.title = filename, data, ""
	key := keyOfFile(b.key, len(b.response.Files), form)
	if earlier, err := b.server.findResponse(ctx, key); err != nil {
		return nil, uuid.Nil, err
	} else if earlier != nil {
		return b.readEarlier(key, earlier)
	}
	if err := b.authorize(form.projectID); err != nil {
		return nil, uuid.Nil, err
	}
	if err := b.ticket.Work(ctx); err != nil {
		return nil, uuid.Nil, err
	}
	defer b.ticket.Done()
	parsed, err := b.server.readUpload(ctx, &form)
	if err != nil {
		return nil, uuid.Nil, err
	}
	body, err = b.server.storeImport(b.request, form, parsed, key)
	if errors.Is(err, idempotency.ErrAnswered) {
		err = idempotency.ErrInUse
	}
	if err != nil {
		return nil, uuid.Nil, err
	}
	b.fresh = true
	id, err = importIDOf(body)
	return body, id, err
}

// readEarlier returns the response that a file got before.
func (b *bulk) readEarlier(
	key idempotency.Key, earlier *idempotency.Response,
) (body []byte, id uuid.UUID, err error) {
	if !earlier.Matches(key) {
		b.fresh = true
		return nil, uuid.Nil, idempotency.ErrReused
	}
	b.replayed = true
	id, err = importIDOf(earlier.Body)
	return earlier.Body, id, err
}

// importIDOf returns the id in the response to an upload.
func importIDOf(body []byte) (uuid.UUID, error) {
	var created struct {
		ImportID uuid.UUID `json:"importId"`
	}
	err := json.Unmarshal(body, &created)
	return created.ImportID, err
}

// fail records that a file was not stored. It returns err if the file did not cause it; the request then
// ends.
func (b *bulk) fail(filename string, err error) error {
	rejected := b.server.rejection(err)
	if rejected == nil {
		return err
	}
	b.imports = append(b.imports, uuid.Nil)
	b.response.Failed++
	b.response.Files = append(b.response.Files, fileResult{
		Filename: filename, Status: rejected.Status, Failure: problem.FormatAPI(nil, nil, rejected),
	})
	return nil
}

// startParses starts the parses of the files that were stored. After an outage it skips the others, because
// each attempt would take seconds.
func (b *bulk) startParses() {
	ctx := b.request.Context()
	wanted := parseRequest{hypotheses: b.hypotheses}
	outage := false
	for i, id := range b.imports {
		if id == uuid.Nil {
			continue
		}
		rejected := errNotStarted
		if !outage {
			result, err := b.startParse(ctx, id, wanted, keyOfParse(b.key, i, wanted))
			if err == nil {
				b.response.Files[i].Parse = result
				continue
			}
			if known := b.server.rejection(err); known != nil {
				rejected = known
			} else {
				b.server.log.ErrorContext(ctx, "parses not started", "import_id", id, "error", err)
				outage = true
			}
		}
		b.response.Files[i].Parse = &parseResult{
			Status: rejected.Status, Failure: problem.FormatAPI(nil, nil, rejected),
		}
	}
}

// startParse does the same as a request to parse the import alone.
func (b *bulk) startParse(
	ctx context.Context, id uuid.UUID, wanted parseRequest, key idempotency.Key,
) (*parseResult, error) {
	earlier, err := b.server.findResponse(ctx, key)
	switch {
	case err != nil:
		return nil, err
	case earlier == nil:
		run, err := b.server.startParse(ctx, id, wanted, key)
		if err != nil {
			err = key.RememberRejection(ctx, b.server.store, err)
		}
		switch {
		case errors.Is(err, idempotency.ErrAnswered):
			return nil, idempotency.ErrInUse
		case err != nil:
			return nil, err
		}
		b.fresh = true
		return &parseResult{Status: http.StatusOK, Run: run}, nil
	case !earlier.Matches(key):
		b.fresh = true
		return nil, idempotency.ErrReused
	}
	b.replayed = true
	if earlier.Status != http.StatusOK {
		return &parseResult{Status: earlier.Status, Failure: json.RawMessage(earlier.Body)}, nil
	}
	return &parseResult{Status: http.StatusOK, Run: earlier.Body}, nil
}

// addArchive stores the files of a zip. It skips folders, and files that macOS adds.
func (b *bulk) addArchive(archive *zip.Reader) error {
	entries := slices.DeleteFunc(slices.Clone(archive.File), func(entry *zip.File) bool {
		name := slashed(entry.Name)
		return strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/") ||
			strings.HasPrefix(path.Base(name), ".")
	})
	if len(b.response.Files)+len(entries) > maxBulkFiles {
		return errTooMuch
	}
	for _, entry := range entries {
		name := cleanFilename(slashed(entryName(entry)))
		data, err := readEntry(entry)
		if err == nil && openArchive(data) != nil {
			err = errNested
		}
		if err != nil {
			err = b.fail(name, err)
		} else {
			err = b.addFile(name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keyOfFile returns the key of one file of a request with several. A repeated request stores the files that
// the first one did not reach.
func keyOfFile(k idempotency.Key, place int, form uploadForm) idempotency.Key {
	if k.IsZero() {
		return k // its content need not be hashed
	}
	content := sha256.New()
	choices, _ := json.Marshal([]any{
		form.layout, form.reading, form.speakers, form.dated, form.interviewedOn,
	})
	fmt.Fprintf(content, "%s %v %q %s\n", form.projectID, form.personaID, form.filename, choices)
	content.Write(form.data)
	return k.Part(fmt.Sprintf("file %d", place), content.Sum(nil))
}

// keyOfParse returns the key of the parse of one file of a request.
func keyOfParse(k idempotency.Key, place int, wanted parseRequest) idempotency.Key {
	return k.Part(fmt.Sprintf("parse %d", place), wanted.fingerprint())
}

// rejection returns the response to an error that concerns one file or its import, and nil for other errors.
func (s *server) rejection(err error) *problem.Error {
	rejected := s.edge.Known(err)
	if rejected == nil || rejected.Status >= http.StatusInternalServerError {
		return nil
	}
	return rejected
}
