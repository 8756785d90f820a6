package modeltest

import (
	"net/http"
	"regexp"
	"strings"
)

// A SpeakerReply is the JSON that a well-behaved model writes about speakers.
type SpeakerReply struct {
	Labels     []SpeakerLabel    `json:"labels"`
	Unlabelled UnlabelledSpeaker `json:"unlabelled"`
}

// A SpeakerLabel is what a SpeakerReply says of a label.
type SpeakerLabel struct {
	Label  string `json:"label"`
	Answer string `json:"answer"`
	SameAs string `json:"same_as"`
}

// An UnlabelledSpeaker is what a SpeakerReply says of the lines without a label.
type UnlabelledSpeaker struct {
	Answer string `json:"answer"`
	Label  string `json:"label"`
}

// JSON returns the reply as a model writes it.
func (r SpeakerReply) JSON() string { return mustJSON(r) }

var labelLine = regexp.MustCompile(`(?m)^\[([kl]\d+)\] (.*)$`)

// AsksAboutSpeakers reports whether a call asks who speaks.
func AsksAboutSpeakers(c Call) bool {
	return strings.Contains(c.User, "\n[v]\n") || labelLine.MatchString(c.User)
}

// AnswerSpeakers answers with verdicts by label: "person", "nobody", or "same_as" with another label after a
// space. The verdict about the lines without a label is that of "": "another_voice", or "label" with a label
// after a space. The rest is unsure.
func AnswerSpeakers(c Call, verdicts map[string]string) SpeakerReply {
	ids := map[string]string{}
	reply := SpeakerReply{Labels: []SpeakerLabel{}, Unlabelled: UnlabelledSpeaker{Answer: "unsure"}}
	found := labelLine.FindAllStringSubmatch(c.User, -1)
	for _, m := range found {
		ids[m[2]] = m[1]
	}
	for _, m := range found {
		if m[1][0] != 'l' {
			continue
		}
		answer, other, _ := strings.Cut(verdicts[m[2]], " ")
		if answer == "" {
			answer = "unsure"
		}
		reply.Labels = append(reply.Labels, SpeakerLabel{Label: m[1], Answer: answer, SameAs: ids[other]})
	}
	if verdict, ok := verdicts[""]; ok {
		answer, label, _ := strings.Cut(verdict, " ")
		reply.Unlabelled = UnlabelledSpeaker{Answer: answer, Label: ids[label]}
	}
	return reply
}

// Speakers answers questions about speakers as AnswerSpeakers does, and other calls honestly.
func Speakers(verdicts map[string]string) Behavior {
	return AboutSpeakers(Complete(func(c Call) Completion {
		return Completion{Content: AnswerSpeakers(c, verdicts).JSON()}
	}))
}

// AboutSpeakers answers questions about speakers in a way, and other calls honestly.
func AboutSpeakers(answer Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if AsksAboutSpeakers(x.Call) {
			answer(w, x)
		} else {
			Honest()(w, x)
		}
	}
}

// asksOtherwise reports whether a call asks for anything else than findings.
func asksOtherwise(c Call) bool {
	return AsksToCompose(c) || AsksForWordings(c) || AsksAboutSpeakers(c) || AsksForFindings(c) ||
		AsksForGroups(c)
}

// honestText is what an honest model writes: of speakers, that it is unsure.
func honestText(c Call) string {
	switch {
	case AsksToCompose(c):
		return strings.Join(ComposeAnswer(c).Lines(), "")
	case AsksForWordings(c):
		return Wordings(c)
	case AsksAboutSpeakers(c):
		return AnswerSpeakers(c, nil).JSON()
	case AsksForFindings(c):
		return FindOpen(c).JSON()
	case AsksForGroups(c):
		return GroupLabels(c).JSON()
	}
	return Answer(c).JSON()
}
