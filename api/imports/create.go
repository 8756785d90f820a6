package imports

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"research/api/admission"
	"research/api/idempotency"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/transcript"
	"research/transcript/craft"
)

// createResponse is the response body of POST /api/import.
type createResponse struct {
	ImportID   uuid.UUID `json:"importId"`
	Confidence float64   `json:"confidence"`
	NeedsLook  bool      `json:"needsLook"`
	readResponse
}

// createImport handles POST /api/import: one file, or several in one request. The caller is authorized before
// the file is read, or before it is parsed if the file precedes project_id.
func (s *server) createImport(w http.ResponseWriter, r *http.Request) error {
	dryRun, key, err := readOptions(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	ticket, err := s.uploads.Enter(ctx, admission.Caller{User: token.From(ctx).UserID})
	if err != nil {
		return err
	}
	defer ticket.Leave()
	earlier, err := s.findResponse(ctx, key)
	if err != nil {
		return err
	}
	form, rest, err := readForm(w, r, func(projectID uuid.UUID) error {
		if earlier != nil {
			return nil // the answer was given to this caller before
		}
		return s.authorizeUpload(r, projectID)
	})
	switch {
	case err != nil:
		return err
	case rest != nil && dryRun:
		return problem.Invalid("dry_run", "dry_run reads a single file.")
	case rest != nil && earlier != nil:
		return idempotency.ErrReused
	case rest != nil:
		b := &bulk{server: s, request: r, ticket: ticket, key: key}
		b.authorize = func(projectID uuid.UUID) error { return s.authorizeUpload(r, projectID) }
		return b.createImports(w, form, rest)
	}
	key.Fingerprint = form.fingerprint
	if earlier != nil {
		return earlier.Replay(w, s.edge, key)
	}
	if dryRun {
		if wait := s.dryRuns.Take(token.From(ctx).UserID.String()); wait > 0 {
			return tooManyDryRuns(wait)
		}
	}
	if err := ticket.Work(ctx); err != nil {
		return err
	}
	if dryRun {
		return s.previewUpload(w, r, form)
	}
	return s.storeUpload(w, r, form, key)
}

// readOptions reads whether an upload is a dry run, and its idempotency key. A dry run has none, since it
// changes nothing.
func readOptions(r *http.Request) (dryRun bool, key idempotency.Key, err error) {
	if dryRun, err = isDryRun(r); err != nil {
		return false, key, err
	}
	if key, err = idempotency.ReadKey(r); err != nil || dryRun {
		return dryRun, idempotency.Key{}, err
	}
	return false, key, nil
}

// previewUpload answers a dry run with what was read from the file. Nothing is stored.
func (s *server) previewUpload(w http.ResponseWriter, r *http.Request, form uploadForm) error {
	parsed, err := s.readUpload(r.Context(), &form)
	if err != nil {
		return s.answerRejection(w, r, idempotency.Key{}, err)
	}
	return s.preview(w, r, form, parsed)
}

// storeUpload parses the file and stores the import, its text and its utterances in one transaction as the
// caller. A file that cannot be parsed is rejected with the reason, and nothing is stored.
func (s *server) storeUpload(
	w http.ResponseWriter, r *http.Request, form uploadForm, key idempotency.Key,
) error {
	parsed, err := s.readUpload(r.Context(), &form)
	if err != nil {
		return s.answerRejection(w, r, key, err)
	}
	body, err := s.storeImport(r, form, parsed, key)
	if err != nil {
		return s.answerRejection(w, r, key, err)
	}
	s.edge.WriteEncoded(w, http.StatusCreated, body)
	return nil
}

// answerRejection answers an upload that was not stored. If another request with the same key came first, the
// answer is that of the other one.
func (s *server) answerRejection(
	w http.ResponseWriter, r *http.Request, key idempotency.Key, err error,
) error {
	ctx := r.Context()
	if err = key.RememberRejection(ctx, s.store, err); !errors.Is(err, idempotency.ErrAnswered) {
		return err
	}
	earlier, err := s.findResponse(ctx, key)
	if err != nil {
		return err
	}
	if earlier == nil {
		return idempotency.ErrInUse // the import of the other request has just been deleted
	}
	return earlier.Replay(w, s.edge, key)
}

// readUpload reads the file of a form, with what the caller decided about its labels or its layout, and with
// the speakers that the caller chose. Its error is the reason why the file cannot be read.
func (s *server) readUpload(ctx context.Context, f *uploadForm) (read fileReading, err error) {
	switch {
	case f.layout == "":
		read, err = s.readFile(ctx, f.projectID, f.data, f.reading, transcript.Advice{})
	case isDecided(f.reading):
		err = problem.Invalid("reading", "layout and reading cannot be given together.")
	default:
		read, err = readLayout(f.data, f.layout)
	}
	if err != nil {
		return read, err
	}
	if f.title == "" {
		f.title = proposedTitle(*f, read.Transcript)
	}
	f.chosen, err = f.speakers.apply(read.Transcript)
	return read, err
}

// readLayout reads a file in a layout that a person chose.
func readLayout(data []byte, layout transcript.Layout) (fileReading, error) {
	parsed, err := transcript.ParseLayout(data, layout)
	if errors.Is(err, transcript.ErrLayout) {
		err = problem.Invalid("layout", "The file cannot be read in this layout. A dry run lists those it can.")
	}
	return fileReading{Transcript: parsed, remembered: []string{}, inLayout: true}, readError(err)
}

// storeImport stores an import with the answer to its upload, and returns the answer. Its error is
// idempotency.ErrAnswered if another request with the key came first; then nothing is stored.
func (s *server) storeImport(
	r *http.Request, form uploadForm, parsed fileReading, key idempotency.Key,
) ([]byte, error) {
	ctx := r.Context()
	answers := answersOf(form.data, form.reading)
	var id uuid.UUID
	body, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (_ []byte, err error) {
		duplicateOf, err := q.FindDuplicate(ctx, form.identity())
		if err != nil {
			return nil, err
		}
		if id, err = storeFile(ctx, q, form, parsed); err != nil {
			return nil, err
		}
		if err := rememberAnswers(ctx, q, form.projectID, parsed.Format, answers); err != nil {
			return nil, err
		}
		body, err := problem.Encode(createResponse{
			id, parsed.Confidence, parsed.NeedsLook, newReadResponse(parsed.Transcript, duplicateOf),
		})
		if err != nil {
			return nil, err
		}
		status := int32(http.StatusCreated)
		return body, key.Remember(ctx, q, db.RememberResponseParams{ImportID: &id, Status: &status, Body: body})
	})
	switch {
	case errors.Is(err, db.ErrDenied):
		// The caller has lost the right to write since the upload was authorized.
		if err := s.authorizeUpload(r, form.projectID); err != nil {
			return nil, err
		}
		return nil, errForbidden
	case db.Constraint(err) == db.ConstraintImportPersona:
		return nil, problem.Invalid("persona_id", "persona_id is not a persona of this project.")
	case err != nil:
		return nil, err
	}
	s.log.InfoContext(ctx, "transcript uploaded", "import_id", id, "format", parsed.Format,
		"bytes", len(form.data), "utterances", len(parsed.Utterances))
	return body, nil
}

// storeFile stores an import with its text and its utterances, and counts it.
func storeFile(ctx context.Context, q *db.Queries, form uploadForm, read fileReading) (uuid.UUID, error) {
	id, err := q.StoreImport(ctx, storeParams(form, read.Transcript))
	if err != nil {
		return id, err
	}
	if err := keepReading(ctx, q, id, form, read); err != nil {
		return id, err
	}
	if err := countUpload(ctx, q, id); err != nil {
		return id, err
	}
	if err := setRoles(ctx, q, id, form.chosen.roles); err != nil {
		return id, err
	}
	if err := linkPeople(ctx, q, id, form.chosen.people); err != nil {
		return id, err
	}
	return id, setDate(ctx, q, id, form, read.Transcript)
}

// keepReading stores how the file of an import was read, and the file itself.
func keepReading(
	ctx context.Context, q *db.Queries, id uuid.UUID, form uploadForm, read fileReading,
) error {
	if err := describeImport(ctx, q, id, read); err != nil {
		return err
	}
	if form.speakers == nil {
		form.speakers = speakerChoices{}
	}
	speakers, err := json.Marshal(form.speakers)
	if err != nil {
		return err
	}
	return q.KeepFile(ctx, db.KeepFileParams{
		ImportID: id, Data: form.data, Layout: string(form.layout), Speakers: speakers,
		Remembered: read.remembered, RememberedUnlabelled: read.rememberedUnlabelled,
	})
}

// describeImport stores what is doubtful about how a file was read, and what was decided.
func describeImport(ctx context.Context, q *db.Queries, id uuid.UUID, read fileReading) error {
	warnings, err := json.Marshal(newWarnings(read.Transcript))
	if err != nil {
		return err
	}
	decided, err := json.Marshal(read.decided)
	if err != nil {
		return err
	}
	return q.DescribeImport(ctx, db.DescribeImportParams{
		ImportID: id, Warnings: warnings, Reading: decided, Confidence: read.Confidence, NeedsLook: read.NeedsLook,
	})
}

// setRoles sets the roles of speakers by name.
func setRoles(ctx context.Context, q *db.Queries, importID uuid.UUID, roles map[string]db.SpeakerRole) error {
	if len(roles) == 0 {
		return nil
	}
	p := db.SetSpeakerRolesParams{ImportID: importID}
	for speaker, role := range roles {
		p.Speakers, p.Roles = append(p.Speakers, speaker), append(p.Roles, string(role))
	}
	return q.SetSpeakerRoles(ctx, p)
}

// linkPeople links speakers with the participants that were chosen.
func linkPeople(ctx context.Context, q *db.Queries, importID uuid.UUID, people map[string]uuid.UUID) error {
	if len(people) == 0 {
		return nil
	}
	p := db.LinkSpeakersParams{ImportID: importID}
	for speaker, person := range people {
		p.Speakers, p.Participants = append(p.Speakers, speaker), append(p.Participants, person)
	}
	linked, err := q.LinkSpeakers(ctx, p)
	if err == nil && !linked {
		err = problem.Invalid("speakers", "The project has no participant with this participantId.")
	}
	return err
}

// setDate sets the day of the interview: the one that the caller sent, or else the one that the file
// proposes.
func setDate(
	ctx context.Context, q *db.Queries, importID uuid.UUID, form uploadForm, parsed *transcript.Transcript,
) error {
	date := form.interviewedOn
	if !form.dated {
		date = proposedDate(form.filename, form.data, parsed, time.Now())
	}
	if date.IsZero() {
		return nil
	}
	return q.SetInterviewDate(ctx, db.SetInterviewDateParams{
		ImportID: importID, InterviewedOn: pgtype.Date{Time: date, Valid: true},
	})
}

// isDryRun reads the parameter dry_run.
func isDryRun(r *http.Request) (bool, error) {
	values, given := r.URL.Query()["dry_run"]
	if !given {
		return false, nil
	}
	dryRun, err := strconv.ParseBool(values[0])
	if err != nil || len(values) > 1 {
		return false, problem.Invalid("dry_run", "dry_run must be given once, as true or false.")
	}
	return dryRun, nil
}

// authorizeUpload rejects an upload that would not be stored, or that exceeds an hourly limit or a quota. A
// caller who is not a member gets the same error whether or not the project exists.
func (s *server) authorizeUpload(r *http.Request, projectID uuid.UUID) error {
	ctx := r.Context()
	type rightsRow = db.GetUploadRightsRow
	rights, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (_ rightsRow, err error) {
		// In a database that was never analyzed, each upload of a bulk would read all imports before it.
		if err := q.ReadByIndexOnly(ctx); err != nil {
			return rightsRow{}, err
		}
		return q.GetUploadRights(ctx, projectID)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errProjectForbidden
	case err != nil:
		return err
	case !rights.MayEdit:
		return errForbidden
	case s.UploadLimit > 0 && rights.MadeByCaller >= int64(s.UploadLimit):
		return errTooManyUploads
	case s.WorkspaceUploadLimit > 0 && rights.MadeInWorkspace >= int64(s.WorkspaceUploadLimit):
		return errWorkspaceUploads
	}
	return quotaError(rights.Exceeded)
}

// unknownTime stands for the missing time of an utterance in the arguments of private.store_import.
const unknownTime = -1

func storeParams(form uploadForm, parsed *transcript.Transcript) db.StoreImportParams {
	n := len(parsed.Utterances)
	p := db.StoreImportParams{
		ProjectID:  form.projectID,
		PersonaID:  form.personaID,
		Title:      form.title,
		Filename:   form.filename,
		Format:     string(parsed.Format),
		SizeBytes:  int64(len(form.data)),
		Sha256:     fileHash(form.data),
		Language:   parsed.Language,
		Body:       []byte(parsed.Text),
		Speakers:   make([]string, n),
		Starts:     make([]int64, n),
		Ends:       make([]int64, n),
		Texts:      make([]string, n),
		ByteStarts: make([]int32, n),
		ByteEnds:   make([]int32, n),

		Confidences: make([]float64, n),
	}
	for i, u := range parsed.Utterances {
		p.Speakers[i], p.Texts[i] = u.Speaker, u.Text
		p.ByteStarts[i], p.ByteEnds[i] = int32(u.ByteStart), int32(u.ByteEnd)
		p.Starts[i], p.Ends[i], p.Confidences[i] = unknownTime, unknownTime, u.Confidence
		if u.Timed {
			p.Starts[i], p.Ends[i] = u.Start.Milliseconds(), u.End.Milliseconds()
		}
	}
	p.Craft = craft.NewSurvey(p.Texts).JSON()
	return p
}

// readResponse describes how an upload was read. A dry run and a stored import both respond with it.
type readResponse struct {
	Format       transcript.Format    `json:"format"`
	Language     string               `json:"language,omitempty"`
	Utterances   int                  `json:"utterances"`
	Speakers     []string             `json:"speakers"`
	Warnings     []string             `json:"warnings"`              // in sentences
	WarningCodes []transcript.Warning `json:"warningCodes"`          // the same, for programs
	DuplicateOf  *uuid.UUID           `json:"duplicateOf,omitempty"` // the first import of the same file
}

func newReadResponse(parsed *transcript.Transcript, duplicateOf uuid.UUID) readResponse {
	r := readResponse{
		Format: parsed.Format, Language: parsed.Language, Utterances: len(parsed.Utterances),
		Speakers: parsed.Speakers(), Warnings: messages(parsed.Warnings), WarningCodes: newWarnings(parsed),
	}
	if r.Speakers == nil {
		r.Speakers = []string{}
	}
	if duplicateOf != uuid.Nil {
		r.DuplicateOf = &duplicateOf
	}
	return r
}

// newWarnings returns the warnings of a transcript, never nil.
func newWarnings(parsed *transcript.Transcript) []transcript.Warning {
	return append([]transcript.Warning{}, parsed.Warnings...)
}

// messages returns warnings as sentences, never nil.
func messages(warnings []transcript.Warning) []string {
	sentences := make([]string, len(warnings))
	for i, w := range warnings {
		sentences[i] = w.Message()
	}
	return sentences
}

// identity is what a duplicate of the upload has in common with it.
func (f *uploadForm) identity() db.FindDuplicateParams {
	return db.FindDuplicateParams{ProjectID: f.projectID, Sha256: fileHash(f.data)}
}
