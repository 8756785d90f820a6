package digest

import (
	"slices"

	"github.com/google/uuid"

	"research/outcome"
)

const (
	// ListSize is how many items of each list a digest has for one project. The rest is a number and a link.
	ListSize = 5
	// QuotesPerHypothesis is how many of its new quotes a digest has for one hypothesis.
	QuotesPerHypothesis = 2
)

// News holds the events of one period that the recipient may see, without the recipient's own actions. The
// lists have the ListSize most important items of each project, in the order in which the digest has them;
// Total is the number of all such items in the project.
type News struct {
	Counts     []Count
	Comments   []Comment
	Challenges []Challenge
	Moved      []MovedHypothesis
	Quotes     []HypothesisQuote
	Unlinked   []UnlinkedQuote
	Verdicts   []Verdict
	Imports    []EndedImport
	Answers    []AnsweredQuestion
	Asked      []FinishedAnswer
	Hypotheses []NewHypothesis
	Themes     []Theme
}

// The types below have the fields of the rows that db returns, so that a row converts to its type.

// A Count is the number of things of one kind that changed in one project, or in the workspace itself. The
// counts of a workspace are consecutive.
type Count struct {
	WorkspaceID   uuid.UUID
	WorkspaceName string
	ProjectID     *uuid.UUID // nil for what belongs to the workspace itself
	ProjectName   string
	EntityType    string // of activity_events
	Verb          string // of activity_events
	Things        int32
}

// A Comment mentions the recipient, or is about a quote or a theme that they made or commented on.
// Total is the number of those in the project that mention the recipient, or of the others.
type Comment struct {
	WorkspaceID   uuid.UUID
	WorkspaceName string
	ProjectID     uuid.UUID
	ProjectName   string
	IsMention     bool
	Body          string // its beginning
	Author        string // may be empty
	EvidenceID    *uuid.UUID
	Quote         string     // of the evidence
	ImportID      *uuid.UUID // nil for evidence entered by hand, and for a theme
	ThemeID       *uuid.UUID // nil for a quote
	Theme         string
	Total         int32
}

// A Theme is one that is new, or got quotes.
type Theme struct {
	WorkspaceID   uuid.UUID
	WorkspaceName string
	ProjectID     uuid.UUID
	ProjectName   string
	ID            uuid.UUID
	Name          string
	IsNew         bool
	IsProposed    bool   // by a model
	Actor         string // who added it; may be empty
	People        int32  // who said its new quotes
	Quotes        int32  // new
	Total         int32
}

// A Challenge is a verdict against which people have spoken since it was given, at least one of them in the
// period.
type Challenge struct {
	WorkspaceID   uuid.UUID
	WorkspaceName string
	ProjectID     uuid.UUID
	ProjectName   string
	ID            uuid.UUID // of the hypothesis
	Statement     string
	Status        string // validated or invalidated
	FalsifiedIf   string
	Against       int32 // people
	ReopenAfter   int32 // how many of them open it again
	ByRecipient   bool  // the recipient decided
	DecidedBy     string
	Reopened      int32 // how many of Total are open again
	Total         int32
}

// A MovedHypothesis is one for which evidence was found or rejected.
type MovedHypothesis struct {
	ProjectID      uuid.UUID
	HypothesisID   uuid.UUID
	Statement      string
	Supports       int32 // new evidence
	Contradicts    int32 // new evidence
	Neutral        int32 // new evidence
	Withdrawn      int32 // evidence rejected in this period
	Total          int32
	AllSupports    int32 // all evidence that is not rejected
	AllContradicts int32 // all evidence that is not rejected
	AllQuotes      int32 // all evidence that is not rejected, with what is neutral
	Accepted       int32 // how much of it people have accepted
}

// A Quote is a piece of new evidence.
type Quote struct {
	EvidenceID   uuid.UUID
	Text         string
	Speaker      string     // may be empty
	Unconfirmed  bool       // it is doubtful who says it, and nobody has confirmed it
	Asked        string     // hypothetical or leading if it answers such a question; otherwise empty
	StartMs      *int64     // from the start of the recording; nil if unknown
	KeywordMatch bool       // found by the keyword extractor
	ImportID     *uuid.UUID // nil for evidence entered by hand
	ImportTitle  string
}

// A HypothesisQuote is a new quote for or against a moved hypothesis.
type HypothesisQuote struct {
	HypothesisID uuid.UUID
	Stance       outcome.Stance
	Quote        Quote
}

// An UnlinkedQuote is a new quote that is not linked to a hypothesis.
type UnlinkedQuote struct {
	ProjectID uuid.UUID
	Quote     Quote
	Total     int32
}

// A Verdict is a status that a person gave to a hypothesis.
type Verdict struct {
	ProjectID      uuid.UUID
	ID             uuid.UUID
	Statement      string
	Before         string
	After          string
	DecisionReason string
	Actor          string
	Total          int32
}

// An EndedImport is an interview that was read or could not be read.
type EndedImport struct {
	ProjectID     uuid.UUID
	ID            uuid.UUID
	Title         string
	Verb          string // an outcome.Status
	EvidenceCount int32
	Coverage      float64 // 0 to 1
	ErrorMessage  string  // empty if it has been parsed again since
	Total         int32
}

// An AnsweredQuestion is a question that was answered.
type AnsweredQuestion struct {
	ProjectID uuid.UUID
	ID        uuid.UUID
	Text      string
	Actor     string
	Quote     string // of the answer; may be empty
	Speaker   string
	// Unconfirmed and Asked are those of a Quote.
	Unconfirmed bool
	Asked       string
	Total       int32
}

// A FinishedAnswer is a question that somebody asked over the interviews, and whose answer is complete.
type FinishedAnswer struct {
	ProjectID uuid.UUID
	ID        uuid.UUID
	Question  string
	Result    string // of public.answers; empty for passages that were found without AI
	People    int32  // whose words answer it
	Actor     string // who asked
	Total     int32
}

// A NewHypothesis is a hypothesis that was added.
type NewHypothesis struct {
	ProjectID uuid.UUID
	ID        uuid.UUID
	Statement string
	Actor     string
	Total     int32
}

// Has reports whether an event of one of these kinds was counted, so that the list with its details need not
// be read otherwise.
func (n News) Has(entityType string, verbs ...string) bool {
	return slices.ContainsFunc(n.Counts, func(c Count) bool {
		return c.EntityType == entityType && slices.Contains(verbs, c.Verb)
	})
}
