package imports

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/problem"
	"research/db"
	"research/transcript"
)

// A speakerChoice is what a person decided about a speaker after a dry run.
type speakerChoice struct {
	Rename    string         `json:"rename"`    // "" to keep the label
	MergeInto string         `json:"mergeInto"` // the label of another speaker, or ""
	Role      db.SpeakerRole `json:"role"`      // "" to keep the one that the label implies
	// The participant who speaks; nil for somebody new.
	ParticipantID *uuid.UUID `json:"participantId"`
}

// speakerChoices are choices by speaker label. The empty label stands for words without a speaker.
type speakerChoices map[string]speakerChoice

// maxSpeakerName is the longest name of a speaker, in characters.
const maxSpeakerName = 100

// readSpeakerChoices reads the field speakers.
func readSpeakerChoices(value string) (speakerChoices, error) {
	var choices speakerChoices
	if value != "" {
		if err := problem.DecodeJSON(strings.NewReader(value), &choices); err != nil {
			return nil, problem.InvalidJSON("speakers", err, &choices,
				"speakers must be a JSON object of labels, each with rename, mergeInto, role or participantId.")
		}
	}
	for _, choice := range choices {
		switch {
		case choice.Rename != "" && choice.MergeInto != "":
			return nil, problem.Invalid("speakers", "A speaker is renamed or merged, not both.")
		case choice.Role != "" && choice.MergeInto != "":
			return nil, problem.Invalid("speakers", "A speaker who is merged has the role of the other one.")
		case choice.ParticipantID != nil && choice.MergeInto != "":
			return nil, problem.Invalid("speakers", "A speaker who is merged is the person of the other one.")
		case choice.ParticipantID != nil && choice.Role != "" && choice.Role != db.SpeakerRoleParticipant:
			return nil, problem.Invalid("speakers", "Only a speaker who is a participant has a participantId.")
		case choice.Role != "" && !choice.Role.Valid():
			return nil, problem.Invalid("speakers", "The role of a speaker is interviewer, participant or other.")
		case utf8.RuneCountInString(choice.Rename) > maxSpeakerName:
			return nil, problem.Invalid("speakers", "The name of a speaker is too long.")
		case strings.TrimSpace(choice.Rename) != "" && strings.ContainsAny(choice.Rename, "\n\r\x00"):
			return nil, problem.Invalid("speakers", "The name of a speaker has one line.")
		}
	}
	return choices, nil
}

// names returns the new name of each speaker by the label. A merged speaker gets the name of the other one.
func (c speakerChoices) names() (map[string]string, error) {
	names := map[string]string{}
	for label, choice := range c {
		switch target := c[choice.MergeInto]; {
		case choice.MergeInto == "" && strings.TrimSpace(choice.Rename) != "":
			names[label] = choice.Rename
		case choice.MergeInto == "":
		case target.MergeInto != "":
			return nil, problem.Invalid("speakers", "A speaker is merged into one that is merged itself.")
		case strings.TrimSpace(target.Rename) != "":
			names[label] = target.Rename
		default:
			names[label] = choice.MergeInto
		}
	}
	return names, nil
}

var errUnknownLabel = problem.Invalid("speakers", "speakers names a label that the file does not have.")

// chosenSpeakers are the roles and the participants that were chosen, by the new names of speakers.
type chosenSpeakers struct {
	roles  map[string]db.SpeakerRole
	people map[string]uuid.UUID
}

// apply changes the speakers of a transcript, and returns what was chosen.
func (c speakerChoices) apply(parsed *transcript.Transcript) (chosen chosenSpeakers, err error) {
	names, err := c.names()
	if err != nil {
		return chosen, err
	}
	first := map[string]int{} // the first utterance of each label
	for i, u := range parsed.Utterances {
		if _, known := first[u.Speaker]; !known {
			first[u.Speaker] = i
		}
	}
	for label, choice := range c {
		_, known := first[label]
		_, targetKnown := first[choice.MergeInto]
		isAbout := label != "" || choice.Role != "" || choice.ParticipantID != nil
		if isAbout && !known || choice.MergeInto != "" && !targetKnown {
			return chosen, errUnknownLabel
		}
	}
	if err := parsed.Relabel(names); errors.Is(err, transcript.ErrSpeaker) {
		return chosen, errUnknownLabel
	}
	chosen = chosenSpeakers{map[string]db.SpeakerRole{}, map[string]uuid.UUID{}}
	for label, choice := range c {
		if choice.Role == "" && choice.ParticipantID == nil {
			continue
		}
		if err := chosen.add(parsed.Utterances[first[label]].Speaker, choice); err != nil {
			return chosen, err
		}
	}
	if _, given := chosen.roles[""]; given && len(parsed.Speakers()) > 0 {
		return chosen, problem.Invalid("speakers", "Words without a speaker have no role in a file with speakers.")
	}
	return chosen, nil
}

// add adds the choice for a speaker of this name.
func (c chosenSpeakers) add(name string, choice speakerChoice) error {
	if choice.Role != "" {
		if other, given := c.roles[name]; given && other != choice.Role {
			return problem.Invalid("speakers", "Speakers with the same name have different roles.")
		}
		c.roles[name] = choice.Role
	}
	if choice.ParticipantID != nil {
		if other, given := c.people[name]; given && other != *choice.ParticipantID {
			return problem.Invalid("speakers", "Speakers with the same name are different participants.")
		}
		c.people[name] = *choice.ParticipantID
	}
	return nil
}
