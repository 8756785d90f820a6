package imports

import (
	"context"
	"time"

	"github.com/google/uuid"

	"research/db"
	"research/transcript"
)

// A File is a transcript that came in another way than as an upload.
type File struct {
	ProjectID     uuid.UUID
	Title         string
	Filename      string
	Data          []byte
	Layout        transcript.Layout  // in which it was read, or ""
	Reading       transcript.Reading // with which it was read, without a layout
	Transcript    *transcript.Transcript
	InterviewedOn time.Time // zero for none
}

// StoreFile stores a file as its upload would be, within a transaction of the caller, and counts it. Its
// error is the response to an upload that exceeds a quota, or one of package db.
func StoreFile(ctx context.Context, q *db.Queries, f File) (uuid.UUID, error) {
	form := uploadForm{
		projectID: f.ProjectID, title: f.Title, filename: f.Filename, data: f.Data, layout: f.Layout,
		reading: f.Reading, interviewedOn: f.InterviewedOn, dated: !f.InterviewedOn.IsZero(),
	}
	return storeFile(ctx, q, form, fileReading{
		Transcript: f.Transcript, decided: f.Reading, remembered: []string{}, inLayout: f.Layout != "",
	})
}
