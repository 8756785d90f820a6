package transcript

// Advice is what a model says of labels in doubt, as the file has them. It makes readings more likely and
// decides nothing: what a person has decided holds.
type Advice struct {
	People []string          `json:"people,omitempty"`
	Nobody []string          `json:"nobody,omitempty"`
	Same   map[string]string `json:"same,omitempty"` // labels of the same person as another label

	// Voice says who says the lines without a label; Speaker is the label of VoiceOf.
	Voice   Voice  `json:"voice,omitempty"`
	Speaker string `json:"speaker,omitempty"`
}

// A Voice is who says lines without a label.
type Voice string

// The voices; "" is unknown.
const (
	VoiceOf      Voice = "of"      // the speaker with a label
	VoiceAnother Voice = "another" // somebody whom no label names
	VoiceAbove   Voice = "above"   // the speaker above
	VoiceNobody  Voice = "nobody"
)

// IsEmpty reports whether it says nothing.
func (a Advice) IsEmpty() bool {
	return len(a.People) == 0 && len(a.Nobody) == 0 && len(a.Same) == 0 && a.Voice == ""
}
