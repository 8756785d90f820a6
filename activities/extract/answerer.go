package extract

import (
	"context"

	"research/transcript"
)

// An Answerer answers questions over several transcripts with a model. It is safe for concurrent use. Errors
// of calls are an *Error or the context's error.
type Answerer interface {
	Name() string
	Model() string
	// AnswerPromptVersion changes whenever a request of an answer could have another response.
	AnswerPromptVersion() string

	// Reword asks for other wordings of a question, at most MaxWordings. names are those of the people who
	// speak in the interviews: an answerer that masks personal data masks them.
	Reword(ctx context.Context, question string, names []string) (Rewordings, error)
	// ExpectReword returns the tokens that Reword is expected to take.
	ExpectReword(question string) Usage

	// PlanQuestion divides a transcript into chunks, one for each request of ReadForQuestion.
	PlanQuestion(t *transcript.Transcript, question string) []Chunk
	// ReadForQuestion asks what a chunk says about a question. The request has one hypothesis, with the ID
	// QuestionID and the question as its statement.
	ReadForQuestion(ctx context.Context, r Request) (Response, error)
	// ExpectQuestion returns the tokens that ReadForQuestion is expected to take.
	ExpectQuestion(r Request) Usage

	// Compose asks for the sentences of an answer. It calls each for every line as soon as the model has
	// written it, in order, and ends with the error of each if that fails.
	Compose(ctx context.Context, r ComposeRequest, each func(AnswerLine) error) (Usage, error)
	// ExpectCompose returns the tokens that Compose is expected to take.
	ExpectCompose(r ComposeRequest) Usage
}

// QuestionID is the ID of the hypothesis that stands for a question.
const QuestionID = "q"

// MaxWordings is how many other wordings of a question are used.
const MaxWordings = 8

// Rewordings are other ways to put a question. They are stored as JSON, so that a retry does not pay for them
// again; the names of the fields must not change.
type Rewordings struct {
	Wordings []string `json:"wordings"`
	Usage    Usage    `json:"usage"`
}

// A ComposeRequest asks for the sentences that answer a question.
type ComposeRequest struct {
	Question    string
	Transcripts []*transcript.Transcript
	// Interviewers are, for each transcript, the speakers whose words prove nothing.
	Interviewers [][]string
	Sources      []AnswerSource
}

// An AnswerSource is a passage that sentences may cite.
type AnswerSource struct {
	ID         string // unique in its request, for example "p12"
	Transcript int    // its index in the request
	From, To   int    // utterances; To is exclusive
	// Claim is what reading the passage has found, or "".
	Claim string
}

// An AnswerLine is what a model writes in one line: a sentence, or the end of the answer. The fields are
// those of the JSON that it writes.
type AnswerLine struct {
	Text  string `json:"text,omitempty"`
	Cites []Cite `json:"cites,omitempty"`

	// Result is "answered", "partly" or "not_answered" in the last line, else "".
	Result string `json:"result,omitempty"`
	// Missing is what the sources do not say of what was asked.
	Missing string `json:"missing,omitempty"`
}

// A Cite names a source and the words in it that prove a sentence.
type Cite struct {
	ID    string `json:"id"`
	Quote string `json:"quote"`
}
