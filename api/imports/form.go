package imports

import (
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
	"research/transcript"
)

const (
	// maxUploadBytes is the largest transcript, and room for the form around it.
	maxUploadBytes = transcript.MaxBytes + 64<<10
	// maxFieldBytes bounds each text field of the form.
	maxFieldBytes = 4 << 10
	// maxTitleLength is that of imports_title_check.
	maxTitleLength = 300
	// maxFilenameLength is that of most file systems.
	maxFilenameLength = 255
)

// uploadForm is the form of POST /api/import.
type uploadForm struct {
	projectID uuid.UUID
	personaID *uuid.UUID
	title     string
	filename  string
	data      []byte
}

// readForm reads the form as it arrives.
func readForm(w http.ResponseWriter, r *http.Request) (uploadForm, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxUploadBytes)
	parts, err := r.MultipartReader()
	if err != nil {
		return uploadForm{}, problem.Invalid("body",
			"The body must be multipart/form-data with the fields project_id and file.")
	}
	var form uploadForm
	seen := map[string]bool{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return uploadForm{}, bodyError(err)
		}
		name := part.FormName()
		if seen[name] {
			return uploadForm{}, problem.Invalid(name, name+" is given twice; upload one file at a time.")
		}
		seen[name] = true
		if err := form.readField(name, part); err != nil {
			return uploadForm{}, err
		}
	}
	switch {
	case !seen["project_id"]:
		return uploadForm{}, problem.Invalid("project_id",
			"project_id is missing: say which project the interview belongs to.")
	case !seen["file"]:
		return uploadForm{}, problem.Invalid("file", "file is missing: attach the transcript.")
	}
	if form.title == "" {
		form.title = titleOf(form.filename)
	}
	return form, nil
}

// readField reads one field of the form.
func (f *uploadForm) readField(name string, part *multipart.Part) error {
	if name == "file" {
		data, err := readPart(part, transcript.MaxBytes, errTooLarge)
		f.data, f.filename = data, cleanFilename(part.FileName())
		return err
	}
	tooLong := problem.Invalid(name, fmt.Sprintf("%s is longer than %d bytes.", name, maxFieldBytes))
	data, err := readPart(part, maxFieldBytes, tooLong)
	if err != nil {
		return err
	}
	value := strings.TrimSpace(string(data))
	if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return problem.Invalid(name, name+" is not UTF-8 text.")
	}
	switch name {
	case "project_id":
		if f.projectID, err = uuid.Parse(value); err != nil {
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
		f.personaID = &id
	case "title":
		if utf8.RuneCountInString(value) > maxTitleLength {
			return problem.Invalid(name, fmt.Sprintf("title is longer than %d characters.", maxTitleLength))
		}
		f.title = value
	default:
		return problem.Invalid(name,
			"This field is not known. The fields are project_id, file, title and persona_id.")
	}
	return nil
}

// readPart reads at most limit bytes, or returns tooLong.
func readPart(part *multipart.Part, limit int64, tooLong error) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(part, limit+1))
	switch {
	case err != nil:
		return nil, bodyError(err)
	case int64(len(data)) > limit:
		return nil, tooLong
	}
	return data, nil
}

var errTooLarge = &problem.Error{
	Status: http.StatusRequestEntityTooLarge, Code: "too_large",
	Message: fmt.Sprintf("The file is larger than %d MB. Split the transcript into several files.",
		transcript.MaxBytes>>20),
	Details: problem.Fields{"file": "too large"},
}

// bodyError returns the answer to a body that cannot be read.
func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errTooLarge
	}
	return &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request", Message: "The form is cut off or not well-formed.",
		Details: problem.Fields{"body": "not well-formed"}, Cause: err,
	}
}

// cleanFilename returns the last part of a path, without invisible characters.
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
	if utf8.RuneCountInString(name) > maxFilenameLength {
		name = string([]rune(name)[:maxFilenameLength])
	}
	return name
}

// titleOf is the title of an import that is uploaded without one.
func titleOf(filename string) string {
	title := strings.TrimSpace(strings.TrimSuffix(filename, filepath.Ext(filename)))
	if title == "" {
		return "Transcript"
	}
	return title
}
