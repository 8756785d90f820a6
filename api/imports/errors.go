package imports

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/transcript"
)

func unprocessable(code, message string) *problem.Error {
	return &problem.Error{Status: http.StatusUnprocessableEntity, Code: code, Message: message}
}

func forbidden(message string) *problem.Error {
	return &problem.Error{Status: http.StatusForbidden, Code: "forbidden", Message: message}
}

func queueFull(message string) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "queue_full", Message: message,
		RetryAfter: 30 * time.Second, // by then some imports have ended
	}
}

func tooManyUploads(message string) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", Message: message,
		RetryAfter: 10 * time.Minute, // by then some uploads are older than an hour
	}
}

// tooManyDryRuns answers a dry run above the limit; wait is the time until the next one.
func tooManyDryRuns(wait time.Duration) *problem.Error {
	return &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", RetryAfter: wait,
		Message: "You have reached the limit of files tried within an hour. Try again later.",
	}
}

const importNotFound = "There is no such import, or you are not a member of its workspace."

// Responses to requests that cannot be carried out.
var (
	errNoSuchImport = &problem.Error{
		Status: http.StatusNotFound, Code: "import_not_found", Message: importNotFound,
	}
	errImportNotFound     = unprocessable("import_not_found", importNotFound)
	errHypothesisNotFound = unprocessable("hypothesis_not_found",
		"At least one of the hypotheses does not exist in the project of the import.")
	errAlreadyParsed = unprocessable("import_already_parsed",
		"This import is already parsed for these hypotheses. "+
			`Choose others, or ask for "refresh": true to read it again.`)
	errAlreadyParsing = unprocessable("import_already_parsing", "This import is being parsed.")
	errReadingBusy    = &problem.Error{
		Status: http.StatusConflict, Code: "import_already_parsing", RetryAfter: 30 * time.Second,
		Message: "This import is being parsed. Its file can be read again when that has ended.",
	}
	errCorrectingBusy = &problem.Error{
		Status: http.StatusConflict, Code: "import_already_parsing", RetryAfter: 30 * time.Second,
		Message: "This interview is being analysed. Its words can be changed when that has ended.",
	}
	errCorrected = &problem.Error{
		Status: http.StatusConflict, Code: "transcript_corrected",
		Message: "People have corrected this transcript, and would lose that if its file were read again. " +
			"Correct who speaks turn by turn, or upload the file once more.",
	}
	errTranscriptChanged = &problem.Error{
		Status: http.StatusConflict, Code: "transcript_changed",
		Message: "Somebody else has changed this transcript. Nothing was saved; load it again.",
	}
	errManyCorrections = unprocessable("too_many_corrections",
		"This transcript keeps 5,000 corrections of 10 MB, and takes no more. Upload a corrected file instead.")
	errNotParsing = unprocessable("import_not_parsing",
		"The import is not being parsed, so there is nothing to cancel.")
	errForbidden = forbidden(
		"Your role in this workspace only allows reading. Ask an owner or admin to make you an editor.")
	errProjectForbidden   = forbidden("There is no such project, or you are not a member of its workspace.")
	errWorkspaceQueueFull = queueFull(
		"The queue of this workspace is full. Nothing was changed; try again when some of its imports are done.")
	errTooManyUploads = tooManyUploads(
		"You have reached the limit of interviews uploaded within an hour. Nothing was stored; try again later.")
	errWorkspaceUploads = tooManyUploads(
		"This workspace has reached the limit of uploads within an hour. Nothing was stored; try again later.")
	errUploadsBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_uploads", RetryAfter: 10 * time.Second,
		Message: "You have other uploads in progress. Nothing was stored; try again when they are finished.",
	}
	errEstimatesBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "queue_full", RetryAfter: 10 * time.Second,
		Message: "You have other requests in progress. Try again when they are finished.",
	}
	errBusy = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_requests", RetryAfter: 5 * time.Second,
		Message: "Too many requests of this user or workspace at once. Try again in a moment.",
	}
	errQueueFull = queueFull("The queue of the service is full. Nothing was changed; try again in a while.")
)

// translations map the errors of the token middleware and of row-level security to responses.
var translations = []problem.Translation{
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
	problem.Is(admission.ErrBusy, errUploadsBusy),
	problem.Is(db.ErrDenied, errForbidden),
}

// claimError returns the response to a claim that the database rejects.
func claimError(id uuid.UUID, result db.PrivateClaimResult) error {
	if rejected, ok := claimErrors[result]; ok {
		return rejected
	}
	return fmt.Errorf("claim import %s: unknown result %q", id, result)
}

// claimErrors are the responses to claims that the database rejects.
var claimErrors = map[db.PrivateClaimResult]*problem.Error{
	db.PrivateClaimResultImportNotFound:       errImportNotFound,
	db.PrivateClaimResultForbidden:            errForbidden,
	db.PrivateClaimResultHypothesisNotFound:   errHypothesisNotFound,
	db.PrivateClaimResultImportAlreadyParsed:  errAlreadyParsed,
	db.PrivateClaimResultImportAlreadyParsing: errAlreadyParsing,
	db.PrivateClaimResultWorkspaceQueueFull:   errWorkspaceQueueFull,
	db.PrivateClaimResultQueueFull:            errQueueFull,
}

var errTooLarge = &problem.Error{
	Status: http.StatusRequestEntityTooLarge, Code: "too_large",
	Message: fmt.Sprintf("The file is larger than %d MB. Split the transcript into several files.",
		transcript.MaxBytes>>20),
	Details: problem.Fields{"file": "too large"},
}

// bodyError returns the response to a body that cannot be read.
func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
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

var errFieldsFirst = problem.Invalid("project_id",
	"With several files, project_id and persona_id must come before the first file.")

var errTitled = problem.Invalid("title",
	"title applies to a single file only. With several files, each interview is named after its file.")

var errTooMuch = &problem.Error{
	Status: http.StatusRequestEntityTooLarge, Code: "too_large",
	Message: fmt.Sprintf("A request may have at most %d files and %d MB, unpacked. "+
		"Earlier files may have been stored.", maxBulkFiles, maxBulkBytes>>20),
	Details: problem.Fields{"file": "too many"},
}

var errNotStarted = &problem.Error{
	Status: http.StatusServiceUnavailable, Code: problem.CodeUnavailable,
	Message: "The interview is stored, but its parse could not be started. Start it in a moment.",
}

var (
	errNested = unreadable("It is a zip within a zip. Upload it by itself.")
	errNoFile = unreadable("The service does not have the file any more.")
	errPacked = unreadable("It cannot be unpacked: the zip is damaged, encrypted, or packed in an unknown way.")
)

func unreadable(reason string) *problem.Error {
	return &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "unreadable_transcript",
		Message: "This file cannot be read as a transcript: " + reason, Details: problem.Fields{"file": reason},
	}
}
