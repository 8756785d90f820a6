package extract

import (
	"context"
	"strings"
	"unicode/utf8"

	"research/transcript"
)

// A ThemeFinder looks with a model for what people speak about beyond what was expected, and groups what it
// has found. It is safe for concurrent use. Errors of calls are an *Error or the context's error.
type ThemeFinder interface {
	Name() string
	Model() string
	// ThemesPromptVersion changes whenever a request about themes could have another response.
	ThemesPromptVersion() string

	// PlanOpen divides a transcript into chunks, one for each request of ReadOpen.
	PlanOpen(t *transcript.Transcript, known Known) []Chunk
	// ReadOpen asks what matters to the speakers of a chunk beyond what is known. Findings have the
	// hypothesis OpenID and a label of at most MaxLabelWords words as their summary; there are at most
	// MaxOpenFindings.
	ReadOpen(ctx context.Context, r OpenRequest) (Response, error)
	// ExpectOpen returns the tokens that ReadOpen is expected to take.
	ExpectOpen(r OpenRequest) Usage

	// GroupSize returns how many labels a request of GroupLabels may have, at most MaxLabels.
	GroupSize() int
	// GroupLabels asks which labels belong together. The groups are as the model wrote them, apart from what
	// names no label: labels may be missing or in several groups. names are those of the people who speak in
	// the interviews: a finder that masks personal data masks them.
	GroupLabels(ctx context.Context, r GroupRequest) (Groups, error)
	// ExpectGroups returns the tokens that GroupLabels is expected to take.
	ExpectGroups(labels []string) Usage
}

// OpenID is the ID of the hypothesis that stands for what is about none.
const OpenID = "open"

const (
	// MaxOpenFindings is how many findings of a chunk are used.
	MaxOpenFindings = 8
	// MaxLabelWords bounds the words of a label.
	MaxLabelWords = 6
	// MaxLabels is how many labels are grouped by one call: ids of as many fit a response.
	MaxLabels = 400
)

// Known is what readers look beyond: statements of hypotheses, and names of themes.
type Known struct {
	Hypotheses []string `json:"hypotheses"`
	Themes     []string `json:"themes"`
}

// An OpenRequest asks about a chunk. Its Hypotheses are not used.
type OpenRequest struct {
	Request

	Known Known
}

// A GroupRequest asks for groups of labels.
type GroupRequest struct {
	Labels []string
	Names  []string // of people
	// Again is true for a second request, because the response to the first could not be read.
	Again bool
}

// Groups are what a model makes of labels. They are stored as JSON, so that a retry does not pay for them
// again; the names of the fields must not change.
type Groups struct {
	Groups []Group `json:"groups"`
	Usage  Usage   `json:"usage"`
}

// A Group is labels that belong together.
type Group struct {
	Name        string `json:"name"`
	Description string `json:"description"` // one sentence
	Labels      []int  `json:"labels"`      // indexes of labels of the request
}

// maxLabel is the length of the longest label, in characters: a language without spaces has no words to
// count.
const maxLabel = 80

// CleanLabel puts a label that a model wrote on one line, and cuts it where it is too long.
func CleanLabel(s string) string {
	label := strings.Fields(CleanSentence(s))
	label = label[:min(len(label), MaxLabelWords)]
	text := strings.Trim(strings.Join(label, " "), ` .,;:"'`)
	if utf8.RuneCountInString(text) > maxLabel {
		text = strings.TrimSpace(string([]rune(text)[:maxLabel]))
	}
	return text
}
