package craft

import "encoding/json"

// Survey is what the database keeps of the turns of a transcript: nothing of it depends on who is an
// interviewer, so that it stays right when somebody says so later.
type Survey struct {
	Language  string         `json:"language"` // see Language
	Words     []int          `json:"words"`    // of each turn
	Questions []TurnQuestion `json:"questions"`
}

// TurnQuestion is a question of a turn.
type TurnQuestion struct {
	Turn         int  `json:"turn"`  // index of the turn
	Start        int  `json:"start"` // in bytes of the turn
	End          int  `json:"end"`
	Words        int  `json:"words"`
	Open         bool `json:"open"`
	Closed       bool `json:"closed"`
	Past         bool `json:"past"`
	Hypothetical bool `json:"hypothetical"`
	Leading      bool `json:"leading"`
}

// maxSurveyed is how many questions of a transcript are kept. An hour has some hundreds.
const maxSurveyed = 20_000

// NewSurvey counts the words of turns, and finds their questions: the first ones, if there are more than in
// any conversation.
func NewSurvey(turns []string) Survey {
	s := Survey{Language: Language(turns), Words: make([]int, len(turns)), Questions: []TurnQuestion{}}
	for i, text := range turns {
		s.Words[i] = Words(text)
		if len(s.Questions) >= maxSurveyed {
			continue
		}
		for _, q := range Questions(text, s.Language) {
			s.Questions = append(s.Questions, TurnQuestion{
				Turn: i, Start: q.Start, End: q.End, Words: Words(text[q.Start:q.End]),
				Open: q.Open, Closed: q.Closed, Past: q.Past, Hypothetical: q.Hypothetical, Leading: q.Leading,
			})
		}
	}
	return s
}

// JSON encodes a survey for the database.
func (s Survey) JSON() json.RawMessage {
	encoded, _ := json.Marshal(s) // numbers, booleans and a tag always have a JSON form
	return encoded
}
