package imports

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/transcript/craft"
)

const (
	// maxQuestions bounds the questions of a response. An hour has some hundreds.
	maxQuestions = 2000
	// maxPlanned bounds the planned questions that are looked for.
	maxPlanned = 500
)

// craftResponse is the response body of GET /api/import/{importId}/craft: how an interview is led.
type craftResponse struct {
	Language string `json:"language"` // of the word lists; without one there are no questions
	Words    int64  `json:"words"`
	// InterviewerWords is nil if the import has no interviewer, and ParticipantWords if it has no participant.
	InterviewerWords *int64 `json:"interviewerWords"`
	ParticipantWords *int64 `json:"participantWords"`
	OtherWords       int64  `json:"otherWords"`
	// Speakers are those with roles, who say most first.
	Speakers []craftSpeaker `json:"speakers"`
	Longest  *craftStretch  `json:"longest"` // in which no participant speaks; nil if one side is not known
	// Questions are those of interviewers, in order. More says that there are more than these.
	Questions []craftQuestion `json:"questions"`
	More      bool            `json:"more"`
	// Planned are the questions of the project in the language of the interview.
	Planned []plannedQuestion `json:"planned"`
}

type craftSpeaker struct {
	Speaker     string         `json:"speaker"`
	DisplayName string         `json:"displayName"`
	Role        db.SpeakerRole `json:"role"`
	Words       int64          `json:"words"`
}

// A craftStretch is a part of an interview. From and To are ordinals of utterances, both included.
type craftStretch struct {
	From  int32  `json:"from"`
	To    int32  `json:"to"`
	Words int64  `json:"words"`
	Ms    *int64 `json:"ms"` // nil if the transcript has no times
}

// A craftQuestion is what an interviewer asks. Its bytes are those of the transcript.
type craftQuestion struct {
	Ordinal      int32  `json:"ordinal"`
	ByteStart    int32  `json:"byteStart"`
	ByteEnd      int32  `json:"byteEnd"`
	Speaker      string `json:"speaker"`
	Text         string `json:"text"`
	Open         bool   `json:"open"`
	Closed       bool   `json:"closed"`
	Past         bool   `json:"past"`
	Hypothetical bool   `json:"hypothetical"`
	Leading      bool   `json:"leading"`
}

// A plannedQuestion is one of the project. Asked are the indexes of the questions that ask it.
type plannedQuestion struct {
	QuestionID   uuid.UUID  `json:"questionId"`
	HypothesisID *uuid.UUID `json:"hypothesisId"`
	Text         string     `json:"text"`
	Asked        []int      `json:"asked"`
}

// getCraft responds with how an interview is led. An import that is not found is a 404, as this is a GET.
func (s *server) getCraft(w http.ResponseWriter, r *http.Request) error {
	id, err := importID(r)
	if err != nil {
		return errNoSuchImport
	}
	ctx := r.Context()
	answer, err := db.AsUser(ctx, s.store, token.From(ctx), func(q *db.Queries) (craftResponse, error) {
		return readCraft(ctx, q, id)
	})
	if errors.Is(err, db.ErrNotFound) {
		return errNoSuchImport
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusOK, answer)
	return nil
}

func readCraft(ctx context.Context, q *db.Queries, id uuid.UUID) (craftResponse, error) {
	counted, err := q.GetInterviewCraft(ctx, id)
	if err != nil {
		return craftResponse{}, err
	}
	answer := craftResponse{
		Language: counted.Language, Words: counted.Words, InterviewerWords: known(counted.InterviewerWords),
		ParticipantWords: known(counted.ParticipantWords), OtherWords: counted.OtherWords,
		Speakers: []craftSpeaker{}, Questions: []craftQuestion{}, Planned: []plannedQuestion{},
	}
	if counted.LongestFrom >= 0 {
		answer.Longest = &craftStretch{
			counted.LongestFrom, counted.LongestTo, counted.LongestWords, known(counted.LongestMs),
		}
	}
	speakers, err := q.ListSpeakerWords(ctx, id)
	if err != nil {
		return craftResponse{}, err
	}
	for _, v := range speakers {
		answer.Speakers = append(answer.Speakers, craftSpeaker(v))
	}
	if err := answer.readQuestions(ctx, q, id); err != nil {
		return craftResponse{}, err
	}
	return answer, answer.comparePlan(ctx, q, counted.ProjectID)
}

// known returns nil for what is not known.
func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func (c *craftResponse) readQuestions(ctx context.Context, q *db.Queries, id uuid.UUID) error {
	rows, err := q.ListInterviewerQuestions(ctx, db.ListInterviewerQuestionsParams{
		ImportID: id, Most: maxQuestions + 1,
	})
	if err != nil {
		return err
	}
	c.More = len(rows) > maxQuestions
	for _, row := range rows[:min(len(rows), maxQuestions)] {
		c.Questions = append(c.Questions, craftQuestion{
			row.Ordinal, row.ByteStart, row.ByteEnd, row.Speaker, row.Text, row.IsOpen, row.IsClosed, row.IsPast,
			row.IsHypothetical, row.IsLeading,
		})
	}
	return nil
}

// comparePlan says which questions of the project were asked. Those in another language cannot be compared.
func (c *craftResponse) comparePlan(ctx context.Context, q *db.Queries, project uuid.UUID) error {
	if c.Language == "" {
		return nil
	}
	rows, err := q.ListPlannedQuestions(ctx, db.ListPlannedQuestionsParams{ProjectID: project, Most: maxPlanned})
	if err != nil {
		return err
	}
	var planned, asked []string
	for _, row := range rows {
		if language := craft.Language([]string{row.Text}); language != "" && language != c.Language {
			continue
		}
		c.Planned = append(c.Planned, plannedQuestion{row.ID, row.HypothesisID, row.Text, []int{}})
		planned = append(planned, row.Text)
	}
	for _, question := range c.Questions {
		asked = append(asked, question.Text)
	}
	for i, at := range craft.Asked(planned, asked, c.Language) {
		c.Planned[i].Asked = append(c.Planned[i].Asked, at...)
	}
	return nil
}
