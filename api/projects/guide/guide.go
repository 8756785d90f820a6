// Package guide makes the guide of the next interview: what to ask, and whom, from what is known so far. It
// is pure: the same project has the same guide.
package guide

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"research/transcript/craft"
)

// The number of questions of a guide. More do not fit into an interview, or on a page.
const (
	minQuestions = 6
	maxQuestions = 8
)

// What a guide shows at most.
const (
	maxRanked   = 100
	maxPersonas = 100
	maxLeftOut  = 20
)

// What is read of the questions and statements of a project, the most urgent or the oldest first. No guide
// needs more, and each costs time.
const (
	maxRead    = 200
	maxReadOf  = 10 // questions of one hypothesis, or of none
	maxSamples = 100
)

// Top is the number of hypotheses that decide whom to ask.
const Top = 3

// A Project is what is known of a project.
type Project struct {
	ID         uuid.UUID
	Hypotheses []Hypothesis // the oldest first
	Planned    []Planned    // open questions, the most urgent first
	Personas   []Persona    // the oldest first; Heard is about the first Top of Ranked
	People     int          // who were interviewed
}

// A Hypothesis is a hypothesis with the people who count for it.
type Hypothesis struct {
	ID            uuid.UUID
	PersonaID     *uuid.UUID
	Statement     string
	Category      string
	Importance    string
	Status        string
	Falsifiable   bool // it says what would prove it wrong
	Reopened      bool // by what was said since it was decided
	People        int
	Supporting    int // like Contradicting, without those who do both
	Contradicting int
	Mixed         int // who do both
	Silent        int // who were asked, and said nothing about it
}

// Planned is a question that somebody plans to ask.
type Planned struct {
	ID           uuid.UUID
	HypothesisID *uuid.UUID
	Text         string
	Priority     string
}

// A Persona is a kind of people.
type Persona struct {
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name"`
	People int       `json:"people"` // of the project
	Heard  int       `json:"heard"`  // of these, about what matters most
}

// A Guide is what to ask next, and whom.
type Guide struct {
	ProjectID  uuid.UUID  `json:"projectId"`
	Language   string     `json:"language"` // of our own questions
	Questions  []Question `json:"questions"`
	LeftOut    []LeftOut  `json:"leftOut"`
	Hypotheses []Ranked   `json:"hypotheses"`
	Personas   []Persona  `json:"personas"`
	Ask        string     `json:"ask"`
}

// A Question is one to ask. Without an id it is one of ours.
type Question struct {
	Text         string     `json:"text"`
	HypothesisID *uuid.UUID `json:"hypothesisId"`
	Statement    string     `json:"statement"`
	QuestionID   *uuid.UUID `json:"questionId"`
	Past         bool       `json:"past"`
	Why          string     `json:"why"`

	hypothetical bool
}

// LeftOut is a planned question that the guide does not ask.
type LeftOut struct {
	QuestionID uuid.UUID `json:"questionId"`
	Text       string    `json:"text"`
	Why        string    `json:"why"`
}

// Ranked is a hypothesis that is open, with how little is known about it.
type Ranked struct {
	ID            uuid.UUID `json:"id"`
	Statement     string    `json:"statement"`
	Importance    string    `json:"importance"`
	Uncertainty   float64   `json:"uncertainty"` // from 0 to 1
	People        int       `json:"people"`
	Supporting    int       `json:"supporting"`
	Contradicting int       `json:"contradicting"`
	Mixed         int       `json:"mixed"`
	Ready         bool      `json:"ready"` // it says what would prove it wrong

	category string
	persona  *uuid.UUID
}

// Make makes the guide of a project.
func Make(p Project) Guide {
	ranked := Rank(p.Hypotheses)
	m := maker{ranked: ranked, asked: map[string]bool{}}
	m.templates = templatesIn(craft.Language(p.texts()))
	m.language = m.templates.language
	m.plan(p.Planned)
	m.choose()
	return Guide{
		ProjectID:  p.ID,
		Language:   m.language,
		Questions:  m.questions,
		LeftOut:    m.leftOut,
		Hypotheses: ranked[:min(len(ranked), maxRanked)],
		Personas:   append([]Persona{}, p.Personas[:min(len(p.Personas), maxPersonas)]...),
		Ask:        whomToAsk(p, ranked[:min(len(ranked), Top)]),
	}
}

// texts are what people wrote in the language of the project.
func (p Project) texts() (texts []string) {
	for _, h := range p.Hypotheses[:min(len(p.Hypotheses), maxSamples)] {
		texts = append(texts, h.Statement)
	}
	for _, q := range p.Planned[:min(len(p.Planned), maxSamples)] {
		texts = append(texts, q.Text)
	}
	return texts
}

// A maker chooses the questions of a guide.
type maker struct {
	language  string
	templates templates
	ranked    []Ranked
	planned   [][]Question // of each ranked hypothesis; then those of none
	plans     []plans      // of the same
	asked     map[string]bool
	questions []Question
	leftOut   []LeftOut
}

// plans are what became of the questions that were planned for a hypothesis.
type plans struct {
	read, asked, repeated, leading int
	more                           bool // than are read
}

// plan sorts the planned questions by hypothesis, and leaves out those that suggest their answer. Those about
// hypotheses that are not open wait.
func (m *maker) plan(planned []Planned) {
	places := make(map[uuid.UUID]int, len(m.ranked))
	for i, r := range m.ranked {
		places[r.ID] = i
	}
	m.leftOut = []LeftOut{}
	m.planned = make([][]Question, len(m.ranked)+1)
	m.plans = make([]plans, len(m.planned))
	read := 0
	for _, p := range planned {
		at := len(m.ranked)
		if p.HypothesisID != nil {
			i, open := places[*p.HypothesisID]
			if !open {
				continue
			}
			at = i
		}
		of := &m.plans[at]
		if read == maxRead || of.read == maxReadOf {
			of.more = true
			continue
		}
		read++
		of.read++
		kinds := KindsOf(p.Text, m.language)
		if kinds.Leading {
			of.leading++
			if len(m.leftOut) < maxLeftOut {
				m.leftOut = append(m.leftOut, LeftOut{p.ID, p.Text, "It suggests its answer."})
			}
			continue
		}
		q := Question{
			Text: p.Text, QuestionID: &p.ID, Past: kinds.Past, hypothetical: kinds.Hypothetical,
			Why: "Planned with " + p.Priority + " priority.",
		}
		if at < len(m.ranked) {
			q.about(m.ranked[at])
		}
		m.planned[at] = append(m.planned[at], q)
	}
	for _, questions := range m.planned {
		slices.SortStableFunc(questions, func(a, b Question) int { return cmp.Compare(a.when(), b.when()) })
	}
}

// choose takes turns among the hypotheses, the most urgent first. One without a planned question gets one of
// ours for its category, unless others used these up: a general question would not test it. Then come the
// other planned ones, those of no hypothesis last. If there are too few, the hypotheses get more of ours, and
// if these are used up, there are general ones, about no hypothesis.
func (m *maker) choose() {
	m.questions = []Question{}
	for i := range m.ranked {
		if len(m.questions) == maxQuestions {
			break
		}
		if !m.takePlanned(i) {
			m.takeOurs(i)
		}
	}
	m.repeat(maxQuestions, len(m.planned), m.takePlanned)
	m.repeat(minQuestions, len(m.ranked), m.takeOurs)
	for _, text := range m.templates.general {
		if len(m.questions) < minQuestions {
			m.take(m.ours(text, "A general question."))
		}
	}
	slices.SortStableFunc(m.questions, func(a, b Question) int { return cmp.Compare(a.when(), b.when()) })
}

// repeat takes a question for each of some hypotheses in turn, until there are enough, or none is left.
func (m *maker) repeat(enough, hypotheses int, take func(int) bool) {
	for more := true; more; {
		more = false
		for i := range hypotheses {
			if len(m.questions) < enough && take(i) {
				more = true
			}
		}
	}
}

// takePlanned takes the next planned question of a hypothesis that is not asked yet.
func (m *maker) takePlanned(hypothesis int) bool {
	for len(m.planned[hypothesis]) > 0 {
		q := m.planned[hypothesis][0]
		m.planned[hypothesis] = m.planned[hypothesis][1:]
		if m.take(q) {
			m.plans[hypothesis].asked++
			return true
		}
		m.plans[hypothesis].repeated++
	}
	return false
}

// takeOurs takes the first question of ours for the category of a hypothesis that is not asked yet.
func (m *maker) takeOurs(hypothesis int) bool {
	r := m.ranked[hypothesis]
	for _, text := range m.templates.byCategory[r.category] {
		q := m.ours(text, "One of ours: "+m.plans[hypothesis].why())
		q.about(r)
		if m.take(q) {
			return true
		}
	}
	return false
}

// why says why a hypothesis whose planned questions are used up is asked about by one of ours.
func (p plans) why() string {
	switch {
	case p.more:
		return "more were planned for it than are read."
	case p.leading == p.read && p.leading > 0:
		return "those planned for it suggest their answer."
	case p.leading > 0:
		return "the others planned for it suggest their answer."
	case p.repeated > 0 && p.asked == 0:
		return "those planned for it are asked already."
	default:
		return "no other was planned for it."
	}
}

func (m *maker) ours(text, why string) Question {
	return Question{Text: text, Past: true, Why: why}
}

// take asks a question, unless it is asked already or there are enough.
func (m *maker) take(q Question) bool {
	key := sameness(q.Text)
	if len(m.questions) == maxQuestions || m.asked[key] {
		return false
	}
	m.asked[key] = true
	m.questions = append(m.questions, q)
	return true
}

// about says which hypothesis a question tests, and what is known about that.
func (q *Question) about(r Ranked) {
	q.HypothesisID, q.Statement = &r.ID, r.Statement
	q.Why += " " + knownOf(r)
}

// when orders questions: what happened comes before anything else, and what would be comes last.
func (q Question) when() int {
	switch {
	case q.hypothetical:
		return 2
	case q.Past:
		return 0
	default:
		return 1
	}
}
