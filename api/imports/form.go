package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/problem"
	"research/transcript"
)

const (
	// maxFieldBytes bounds each text field of the form.
	maxFieldBytes = 4 << 10
	// maxTitleLength is that of imports_title_check.
	maxTitleLength = 300
	// maxFilenameLength is that of most file systems.
	maxFilenameLength = 255
	// maxBulkFiles is how many files one request may have.
	maxBulkFiles = 500
	// maxBulkBytes bounds the files of one request, zips unpacked.
	maxBulkBytes = 256 << 20
)

// formFields are the fields of an upload.
var formFields = []string{
	"project_id", "file", "title", "persona_id", "interviewed_on", "hypothesis_ids", "layout", "reading",
	"speakers",
}

// uploadForm is the form of POST /api/import.
type uploadForm struct {
	projectID uuid.UUID
	personaID *uuid.UUID
	title     string // "" for the one that the file proposes
	// interviewedOn is the date that the caller sent, which is zero for none. If dated is false, it is the one
	// that the file proposes.
	interviewedOn time.Time
	dated         bool
	layout        transcript.Layout  // "" to choose by the content
	reading       transcript.Reading // what a person decided; not with a layout
	speakers      speakerChoices
	chosen        chosenSpeakers // once the transcript is read
	filename      string
	data          []byte

	fingerprint []byte // of the fields; independent of their order and of the boundary
}

// A formRest is what readForm has not read of a form with several files.
type formRest struct {
	seen  map[string]bool // the fields that were read
	parts *multipart.Reader
	part  *multipart.Part // the next one; nil at the end
}

// advance moves on to the next part.
func (f *formRest) advance() (err error) {
	f.part, err = f.parts.NextPart()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return bodyError(err)
	}
	return nil
}

// readForm reads the form as it arrives. It calls authorize as soon as it knows the project. At the second
// file, a zip, or hypothesis_ids, it stops and returns the rest as well.
func readForm(
	w http.ResponseWriter, r *http.Request, authorize func(projectID uuid.UUID) error,
) (form uploadForm, rest *formRest, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBulkBytes) // readPart bounds each field
	parts, err := r.MultipartReader()
	if err != nil {
		return form, nil, problem.Invalid("body",
			"The body must be multipart/form-data with the fields project_id and file.")
	}
	seen := map[string]bool{}
	sums := map[string][]byte{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return form, nil, bodyError(err)
		}
		name := part.FormName()
		if name == "hypothesis_ids" || name == "file" && seen[name] {
			return form, &formRest{seen: seen, parts: parts, part: part}, nil
		}
		if seen[name] {
			return form, nil, problem.Invalid(name, name+" is given twice; upload one file at a time.")
		}
		seen[name] = true
		sum := sha256.New()
		fmt.Fprintf(sum, "%q", part.FileName())
		if err := form.readField(name, part, io.TeeReader(part, sum)); err != nil {
			return form, nil, err
		}
		sums[name] = sum.Sum(nil)
		if name == "project_id" {
			if err := authorize(form.projectID); err != nil {
				return form, nil, err
			}
		}
	}
	switch {
	case !seen["project_id"]:
		return form, nil, problem.Invalid("project_id",
			"project_id is missing: say which project the interview belongs to.")
	case !seen["file"]:
		return form, nil, problem.Invalid("file", "file is missing: attach the transcript.")
	}
	if openArchive(form.data) != nil {
		return form, &formRest{seen: seen}, nil
	}
	form.fingerprint = fingerprintOf(sums)
	return form, nil, nil
}

// fingerprintOf hashes fields by name.
func fingerprintOf(sums map[string][]byte) []byte {
	all := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(all, "%q %x\n", name, sums[name])
	}
	return all.Sum(nil)
}

// readField reads one field of the form.
func (f *uploadForm) readField(name string, part *multipart.Part, content io.Reader) error {
	if name == "file" {
		data, err := readPart(content, transcript.MaxBytes, errTooLarge)
		f.data, f.filename = data, cleanFilename(partName(part))
		return err
	}
	limit := int64(maxFieldBytes)
	if name == "reading" {
		limit = maxDecisionBytes
	}
	tooLong := problem.Invalid(name, fmt.Sprintf("%s is longer than %d bytes.", name, limit))
	data, err := readPart(content, limit, tooLong)
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
	case "interviewed_on":
		f.dated = true
		if f.interviewedOn, err = readDate(value); err != nil {
			return err
		}
	case "layout":
		f.layout = transcript.Layout(value)
	case "reading":
		if f.reading, err = readDecision(strings.NewReader(value)); err != nil {
			return err
		}
	case "speakers":
		if f.speakers, err = readSpeakerChoices(value); err != nil {
			return err
		}
	default:
		return problem.UnknownField(name, formFields)
	}
	return nil
}

// readDate reads the day of an interview, which is zero if the field is empty.
func readDate(value string) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	date, err := time.Parse(time.DateOnly, value)
	if err != nil || date.Year() < 1 {
		return time.Time{}, problem.Invalid("interviewed_on", "interviewed_on is not a date such as 2031-04-12.")
	}
	return date, nil
}

// readPart reads at most limit bytes, or returns tooLong.
func readPart(content io.Reader, limit int64, tooLong error) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(content, limit+1))
	switch {
	case err != nil:
		return nil, bodyError(err)
	case int64(len(data)) > limit:
		return nil, tooLong
	}
	return data, nil
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

// titleOf is the title of an import whose file proposes none.
func titleOf(filename string) string {
	title := strings.TrimSpace(strings.TrimSuffix(filename, filepath.Ext(filename)))
	if title == "" {
		return "Transcript"
	}
	return title
}

// fileHash identifies an uploaded file.
func fileHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
