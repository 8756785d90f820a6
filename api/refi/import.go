package refi

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/refi/qdpx"
	"research/api/token"
	"research/db"
)

// importProject handles POST /api/project/{projectId}/refi: a .qdpx or a .qdc in the field file. With
// dry_run=true, it responds with what would come, and stores nothing. Otherwise all is stored in one
// transaction.
func (s *server) importProject(w http.ResponseWriter, r *http.Request) error {
	isDryRun, err := readMode(r)
	if err != nil {
		return err
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxFile+1<<20)
	form, err := r.MultipartReader()
	if err != nil {
		return errForm
	}
	id, err := projectID(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	user := token.From(ctx).UserID
	rights, err := s.authorize(ctx, id)
	if err != nil {
		return err
	}
	load, err := s.loads.Enter(ctx, admission.Caller{User: user})
	if err != nil {
		return err
	}
	defer load.Leave()
	if isDryRun {
		if wait := s.tries.Take(user.String()); wait > 0 {
			return tooManyTries(wait)
		}
	}
	data, err := readFile(form)
	if err != nil {
		return err
	}
	// Only now: a file may take minutes to arrive, and others would wait for it.
	if err := load.Work(ctx); err != nil {
		return err
	}
	ticket, err := s.Uploads.Enter(ctx, admission.Caller{User: user})
	if err != nil {
		return err
	}
	defer ticket.Leave()
	if err := ticket.Work(ctx); err != nil {
		return err
	}
	p, err := s.plan(ctx, id, data)
	if err != nil {
		return err
	}
	if err := s.checkUploads(rights, p); err != nil {
		return err
	}
	if isDryRun {
		s.edge.WriteJSON(w, http.StatusOK, p.response())
		return nil
	}
	if err := s.store(ctx, id, p); err != nil {
		return err
	}
	s.Log.InfoContext(ctx, "project imported", "project_id", id, "imports", p.imported(),
		"quotes", p.countQuotes(), "themes", len(p.themes))
	s.edge.WriteJSON(w, http.StatusCreated, p.response())
	return nil
}

// readMode reads the parameter dry_run.
func readMode(r *http.Request) (isDryRun bool, err error) {
	values, given := r.URL.Query()["dry_run"]
	if !given {
		return false, nil
	}
	isDryRun, err = strconv.ParseBool(values[0])
	if err != nil || len(values) > 1 {
		return false, errMode
	}
	return isDryRun, nil
}

// authorize rejects a caller who does not see the project, or may not change it.
func (s *server) authorize(ctx context.Context, id uuid.UUID) (rights db.GetUploadRightsRow, err error) {
	err = s.as(ctx, func(q *db.Queries) error {
		rights, err = q.GetUploadRights(ctx, id)
		return err
	})
	if err == nil && !rights.MayEdit {
		err = errForbidden
	}
	return rights, err
}

// checkUploads rejects an import with more interviews than the caller, or the workspace, may upload in an
// hour.
func (s *server) checkUploads(rights db.GetUploadRightsRow, p *plan) error {
	n := int64(p.imported())
	if n > 0 && (s.UploadLimit > 0 && rights.MadeByCaller+n > int64(s.UploadLimit) ||
		s.WorkspaceUploadLimit > 0 && rights.MadeInWorkspace+n > int64(s.WorkspaceUploadLimit)) {
		return errTooManyUploads
	}
	return nil
}

// readFile reads the file of the form.
func readFile(form *multipart.Reader) ([]byte, error) {
	var data []byte
	for {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, bodyError(err)
		}
		if name := part.FormName(); name != "file" {
			return nil, problem.UnknownField(name, []string{"file"})
		}
		if data != nil {
			return nil, problem.Invalid("file", "file is given twice; import one file at a time.")
		}
		if data, err = io.ReadAll(io.LimitReader(part, maxFile+1)); err != nil {
			return nil, bodyError(err)
		}
		if len(data) > maxFile {
			return nil, errTooLarge
		}
	}
	if len(data) == 0 {
		return nil, errFile
	}
	return data, nil
}

// bodyError returns the response to a body that cannot be read.
func bodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge
	}
	if problem.IsUnavailable(err) {
		return err
	}
	return &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: "The form is cut off or not well-formed.",
		Details: problem.Fields{"body": "not well-formed"}, Cause: err,
	}
}

// plan reads a file, and plans what comes of it.
func (s *server) plan(ctx context.Context, id uuid.UUID, data []byte) (*plan, error) {
	file := &qdpx.File{}
	var err error
	if qdpx.IsCodebook(data) {
		file.Project, err = qdpx.ReadCodebook(data)
	} else {
		file, err = qdpx.Open(data)
	}
	if err != nil {
		return nil, err
	}
	b := newBuilder(id, file)
	err = s.as(ctx, func(q *db.Queries) error { return b.readProject(ctx, q) })
	if err != nil {
		return nil, err
	}
	if err := b.addCodes(ctx); err != nil {
		return nil, err
	}
	err = b.addSources(ctx, func(importID uuid.UUID) (known knownTranscript, err error) {
		err = s.as(ctx, func(q *db.Queries) error {
			known, err = readTranscript(ctx, q, importID)
			return err
		})
		return known, err
	})
	if err != nil {
		return nil, err
	}
	return b.finish(), nil
}
