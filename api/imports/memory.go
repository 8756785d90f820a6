package imports

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"research/api/problem"
	"research/db"
	"research/transcript"
)

// A fileReading is a file as it was read, with what was decided about that.
type fileReading struct {
	*transcript.Transcript
	decided              transcript.Reading // by the request, and for earlier files of the project
	remembered           []string           // labels that were decided for earlier files
	rememberedUnlabelled bool
	inLayout             bool // that a person chose
}

// readFile reads a file of a project with what a request decided, and the advice of a model. What the request
// leaves open is decided as it was for earlier files of the project. Its error is the reason why the file
// cannot be read.
func (s *server) readFile(
	ctx context.Context, project uuid.UUID, data []byte, sent transcript.Reading, advice transcript.Advice,
) (fileReading, error) {
	r := fileReading{decided: sent, remembered: []string{}}
	var err error
	if r.Transcript, err = transcript.ReadAdvised(data, sent, advice); err != nil {
		return r, readError(err)
	}
	earlier, err := db.AsService(ctx, s.store, func(q *db.Queries) ([]db.ListProjectReadingsRow, error) {
		return q.ListProjectReadings(ctx, project)
	})
	if err != nil {
		return r, err
	}
	r.remember(earlier)
	if len(r.remembered) > 0 || r.rememberedUnlabelled {
		r.Transcript, err = transcript.ReadAdvised(data, r.decided, advice)
	}
	return r, readError(err)
}

// readError returns the response to a file that cannot be read.
func readError(err error) error {
	var unreadable *transcript.FormatError
	if !errors.As(err, &unreadable) {
		return err
	}
	return &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "unreadable_transcript",
		Message: "This file cannot be read as a transcript: " + unreadable.Reason,
		Details: problem.Fields{"file": unreadable.Reason},
	}
}

// remember adds to the decision what was decided about labels of the same text in earlier files of the same
// format. The request wins, and what contradicts it is left out. A label is the same as another one only
// where the file has both.
func (r *fileReading) remember(earlier []db.ListProjectReadingsRow) {
	d := &r.decided
	d.People, d.Nobody, d.Same = slices.Clone(d.People), slices.Clone(d.Nobody), maps.Clone(d.Same)
	if d.Same == nil {
		d.Same = map[string]string{}
	}
	decided, targets, labels := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, label := range slices.Concat(d.People, d.Nobody, slices.Collect(maps.Keys(d.Same))) {
		decided[label] = true
	}
	for _, target := range d.Same {
		targets[target] = true
	}
	for _, l := range r.Labels {
		labels[l.Label] = true
	}
	room := maxDecisionBytes
	add := func(row db.ListProjectReadingsRow) bool {
		room -= len(row.Label) + len(row.Other)
		if row.Format != string(r.Format) || !labels[row.Label] || decided[row.Label] || room < 0 ||
			targets[row.Label] && row.Answer != "person" {
			return false
		}
		decided[row.Label] = true
		r.remembered = append(r.remembered, row.Label)
		return true
	}
	for _, row := range earlier {
		switch row.Answer {
		case "person":
			if add(row) {
				d.People = append(d.People, row.Label)
			}
		case "nobody":
			if add(row) {
				d.Nobody = append(d.Nobody, row.Label)
			}
		case "unlabelled":
			if u := r.Unlabelled; u != nil && d.Unlabelled == nil && row.Format == string(r.Format) &&
				row.Label == u.In {
				d.Unlabelled, r.rememberedUnlabelled = &row.Other, true
			}
		}
	}
	for _, row := range earlier {
		_, merged := d.Same[row.Other]
		if row.Answer == "same" && labels[row.Other] && !merged && !slices.Contains(d.Nobody, row.Other) &&
			add(row) {
			d.Same[row.Label], targets[row.Other] = row.Other, true
		}
	}
}

// answersOf returns what a request decided about labels, to be remembered. Where an interview begins and ends
// is different in each file. data is the file that was read.
func answersOf(data []byte, sent transcript.Reading) (p db.RememberReadingsParams) {
	add := func(label, answer, other string) {
		p.Labels, p.Answers = append(p.Labels, label), append(p.Answers, answer)
		p.Others = append(p.Others, other)
	}
	for _, label := range sent.People {
		add(label, "person", "")
	}
	for _, label := range sent.Nobody {
		add(label, "nobody", "")
	}
	for label, other := range sent.Same {
		add(label, "same", other)
	}
	if sent.Unlabelled != nil {
		// Once it is decided who says them, these lines are in nobody else's turns.
		open := sent
		open.Unlabelled = nil
		if t, err := transcript.Read(data, open); err == nil && t.Unlabelled != nil {
			add(t.Unlabelled.In, "unlabelled", *sent.Unlabelled)
		}
	}
	return p
}

// rememberAnswers remembers for a project what a request decided about labels.
func rememberAnswers(
	ctx context.Context, q *db.Queries, project uuid.UUID, format transcript.Format, p db.RememberReadingsParams,
) error {
	if len(p.Labels) == 0 {
		return nil
	}
	p.ProjectID, p.Format = project, string(format)
	return q.RememberReadings(ctx, p)
}
