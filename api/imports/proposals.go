package imports

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"time"

	"research/db"
	"research/transcript"
)

// A proposal is what a file says about its interview. A person decides.
type proposal struct {
	Title string `json:"title"`
	// InterviewedOn is null if the file names no date, several, or one whose day and month may be exchanged.
	InterviewedOn *string `json:"interviewedOn"`
	// Interviewers are the labels of those who ask the questions; empty if that is not clear.
	Interviewers []string `json:"interviewers"`
}

// proposalOf returns what a file proposes. shares have the roles that labels name.
func proposalOf(form uploadForm, parsed *transcript.Transcript, shares []speakerShare) proposal {
	p := proposal{Title: proposedTitle(form, parsed), Interviewers: []string{}}
	if date := proposedDate(form.filename, form.data, parsed, time.Now()); !date.IsZero() {
		text := date.Format(time.DateOnly)
		p.InterviewedOn = &text
	}
	if asker := whoAsks(parsed, shares); asker != "" {
		p.Interviewers = append(p.Interviewers, asker)
	}
	return p
}

const (
	// maxHeadBytes is how much of a file may be above the interview.
	maxHeadBytes = 2 << 10
	// maxHeadLine is the length of a line that is a header and not speech.
	maxHeadLine = 100
)

// proposedDate returns the date in the name of a file, or else in its titles and the lines above the
// interview. It is zero if these name none, or not surely one.
func proposedDate(filename string, data []byte, parsed *transcript.Transcript, today time.Time) time.Time {
	if date := dateIn(filename, today); !date.IsZero() {
		return date
	}
	lines := append(titleLines(data), headLines(data, parsed)...)
	return dateIn(strings.Join(lines, "\n"), today)
}

// headLines returns the lines above the first turn that are no speech.
func headLines(data []byte, parsed *transcript.Transcript) (lines []string) {
	all := parsed.Edges.Head
	if parsed.Format == transcript.WebVTT { // its notes are no lines of the interview
		head := data[:min(len(data), maxHeadBytes)]
		all = strings.Split(string(bytes.ToValidUTF8(head, nil)), "\n")
	}
	first := opening(parsed.Utterances[max(0, slices.IndexFunc(parsed.Utterances, hasSpeaker))].Text)
	for _, line := range all {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "-->") || strings.Contains(line, first) {
			return lines
		}
		if len(line) <= maxHeadLine {
			lines = append(lines, line)
		}
	}
	return lines
}

func hasSpeaker(u transcript.Utterance) bool { return u.Speaker != "" }

// opening returns the first words of a turn, by which its line is found.
func opening(text string) string {
	for i := range text {
		if i > 24 {
			return text[:i]
		}
	}
	return text
}

const (
	// minAsked is the least number of turns of a speaker who may be proposed as the interviewer.
	minAsked = 3
	// asksMost is the share of questions among the turns of an interviewer, asksLittle among those of others.
	asksMost, asksLittle = 0.5, 0.25
	// maxAskedWords is the share of the words that an interviewer says, at most.
	maxAskedWords = 0.45
)

// whoAsks returns the label of the interviewer: the only speaker who mostly asks, and who says less than the
// others. It is empty if that is not clear, or if a label already names an interviewer.
func whoAsks(parsed *transcript.Transcript, shares []speakerShare) string {
	asked := map[string]int{}
	for _, u := range parsed.Utterances {
		if isQuestion(u.Text) {
			asked[u.Speaker]++
		}
	}
	found, others := "", 0
	for _, s := range shares {
		share := float64(asked[s.Speaker]) / float64(s.Utterances)
		switch {
		case s.Role == db.SpeakerRoleInterviewer:
			return ""
		case s.Speaker == "":
		case s.Utterances >= minAsked && share >= asksMost && s.Share <= maxAskedWords:
			if found != "" {
				return ""
			}
			found = s.Speaker
		case share > asksLittle:
			return ""
		default:
			others++
		}
	}
	if others == 0 {
		return ""
	}
	return found
}

// questionOpenings begin questions that were written without a mark.
var questionOpenings = regexp.MustCompile(`(?i)^(?:and |so |und |y |et )?(?:` +
	`what|why|how|when|where|who|which|` +
	`can you|could you|do you|did you|would you|tell me|was|wie|warum|wieso|wann|wo|wer|welche[rs]?|` +
	`können sie|erzählen sie|qué|por qué|cómo|cuándo|dónde|quién|cuál|` +
	`comment|pourquoi|quand|où|qui|quel(?:le)?|` +
	`est-ce que|o que|por que|como|quando|onde|quem|come|perché|dove|chi|hoe|waarom|wanneer|waar)(?:\s|$)`)

// isQuestion reports whether a turn asks something.
func isQuestion(text string) bool {
	return strings.ContainsAny(text, "?？؟¿") || strings.Count(text, " ") > 2 && isUnmarkedQuestion(text)
}

// isUnmarkedQuestion reports whether a turn begins as questions do, and has no mark of a sentence.
func isUnmarkedQuestion(text string) bool {
	return !strings.ContainsAny(text, ".!。！") && questionOpenings.MatchString(text)
}
