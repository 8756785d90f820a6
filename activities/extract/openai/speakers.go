package openai

import (
	"context"
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"research/activities/extract"
	"research/activities/extract/mask"
)

// speakersPromptVersion is the number of the prompt's file.
const speakersPromptVersion = "speakers1"

//go:embed prompts/speakers1.system.txt
var speakersPrompt string

// SpeakersPromptVersion returns the number of the prompt about speakers, with the settings that PromptVersion
// has.
func (o *Extractor) SpeakersPromptVersion() string { return o.versionOf(speakersPromptVersion) }

// ExpectSpeakers returns the tokens that a question about speakers is expected to take.
func (o *Extractor) ExpectSpeakers(q extract.SpeakerQuestion) extract.Usage {
	return extract.Usage{
		InputTokens:  expectedTokens(speakersPrompt + speakersUserPrompt(q, nil)),
		OutputTokens: int64(expectedSpeakersBase + expectedPerLabel*len(q.Labels)),
	}
}

// The tokens of a usual answer about speakers.
const (
	expectedSpeakersBase = 20
	expectedPerLabel     = 20
)

// AskSpeakers asks who speaks, once, and in another dialect if the server rejects the request. Answers about
// anything else than the question are dropped. The error is an *Error or the context's error.
func (o *Extractor) AskSpeakers(
	ctx context.Context, q extract.SpeakerQuestion,
) (extract.SpeakerAnswers, error) {
	user := speakersUserPrompt(q, o.speakersMasker(q))
	var answers extract.SpeakerAnswers
	used, err := o.ask(ctx, question{
		system: speakersPrompt, user: user, schema: speakersSchema, size: len(user),
		read: func(text string) (err error) {
			answers, err = readSpeakers(q, text)
			return err
		},
	})
	if err != nil {
		return extract.SpeakerAnswers{}, err
	}
	answers.Usage = used
	return answers, nil
}

// speakersMasker returns what masks the personal data of a question, or nil.
func (o *Extractor) speakersMasker(q extract.SpeakerQuestion) *mask.Masker {
	if !o.cfg.Mask {
		return nil
	}
	texts := slices.Clone(q.Known)
	add := func(lines []extract.ContextLine) {
		for _, l := range lines {
			texts = append(texts, l.Text)
		}
	}
	for _, l := range q.Labels {
		texts = append(texts, l.Label)
		add(l.Lines)
	}
	if q.Unlabelled != nil {
		add(q.Unlabelled.Lines)
	}
	return o.maskers.Of(q.Transcript, texts)
}

// speakersUserPrompt writes the labels with their lines. Words of the file are within the fence only, and
// never begin a line of the prompt, so that none of them passes for an id.
func speakersUserPrompt(q extract.SpeakerQuestion, m *mask.Masker) string {
	var b strings.Builder
	write := writerTo(&b)
	shown := func(text string) string { return sanitize(m.Mask(text)) }
	lines := func(lines []extract.ContextLine) {
		for _, l := range lines {
			mark := "| "
			if l.Asked {
				mark = "> "
			}
			write(mark, shown(l.Text), "\n")
		}
	}
	write("<transcript>\n")
	for i, label := range q.Known {
		write("[k", strconv.Itoa(i+1), "] ", extract.ShownLabel(shown(label)), "\n")
	}
	for i, l := range q.Labels {
		write("[l", strconv.Itoa(i+1), "] ", extract.ShownLabel(shown(l.Label)), "\n")
		lines(l.Lines)
	}
	if q.Unlabelled != nil {
		write("[v]\n")
		lines(q.Unlabelled.Lines)
	}
	write("</transcript>\n\n")
	for i, l := range q.Labels {
		write("l", strconv.Itoa(i+1), " occurs ", times(l.Count), ".\n")
	}
	if q.Unlabelled != nil {
		write("Lines like those below [v] occur ", times(q.Unlabelled.Count))
		if id := labelID(q, q.Unlabelled.In); id != "" {
			write(", most of them below ", id)
		}
		write(".\n")
	}
	write("\nAnswer about these labels and lines as one JSON object.")
	return b.String()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

// labelID returns the id of a label in the prompt, or "".
func labelID(q extract.SpeakerQuestion, label string) string {
	if i := slices.Index(q.Known, label); i >= 0 {
		return "k" + strconv.Itoa(i+1)
	}
	i := slices.IndexFunc(q.Labels, func(l extract.DoubtfulLabel) bool { return l.Label == label })
	if i >= 0 {
		return "l" + strconv.Itoa(i+1)
	}
	return ""
}

// labelOf returns the label with an id, or "".
func labelOf(q extract.SpeakerQuestion, id lenientString) string {
	token := strings.Trim(id.token(), "[] ")
	if len(token) < 2 {
		return ""
	}
	n, err := strconv.Atoi(token[1:])
	switch {
	case err != nil || n < 1:
	case token[0] == 'k' && n <= len(q.Known):
		return q.Known[n-1]
	case token[0] == 'l' && n <= len(q.Labels):
		return q.Labels[n-1].Label
	}
	return ""
}

// speakersSchema is the same for every question; the ids are checked when the answer is read.
var speakersSchema = newSpeakersSchema()

func newSpeakersSchema() namedSchema {
	label := objectSchema(
		property{"label", stringSchema},
		property{"answer", enumSchema([]string{
			string(extract.VerdictPerson), string(extract.VerdictNobody), string(extract.VerdictSame),
			string(extract.VerdictUnsure),
		})},
		property{"same_as", stringSchema},
	)
	unlabelled := objectSchema(
		property{"answer", enumSchema([]string{
			string(extract.VoiceLabel), string(extract.VoiceAnother), string(extract.VoiceAbove),
			string(extract.VoiceNobody), string(extract.VoiceUnsure),
		})},
		property{"label", stringSchema},
	)
	return namedSchema{"speakers", objectSchema(
		property{"labels", arraySchema(label)},
		property{"unlabelled", unlabelled},
	)}
}

// A speakersResponse is the JSON that a model writes about speakers.
type speakersResponse struct {
	Labels []struct {
		Label  lenientString `json:"label"`
		Answer lenientString `json:"answer"`
		SameAs lenientString `json:"same_as"`
	} `json:"labels"`
	Unlabelled struct {
		Answer lenientString `json:"answer"`
		Label  lenientString `json:"label"`
	} `json:"unlabelled"`
}

// maxLabelAnswers is the limit on what is read of one answer; a model that repeats itself writes more.
const maxLabelAnswers = 100

// readSpeakers reads what a model wrote about speakers. Its error is errNotJSON or errCut.
func readSpeakers(q extract.SpeakerQuestion, text string) (extract.SpeakerAnswers, error) {
	written, err := decodeSpeakers(text)
	if err != nil {
		return extract.SpeakerAnswers{}, err
	}
	var answers extract.SpeakerAnswers
	for _, l := range written.Labels[:min(len(written.Labels), maxLabelAnswers)] {
		answer := extract.LabelAnswer{Label: labelOf(q, l.Label), Verdict: extract.LabelVerdict(l.Answer.token())}
		if answer.Verdict == extract.VerdictSame {
			answer.Same = labelOf(q, l.SameAs)
		}
		answers.Labels = append(answers.Labels, answer)
	}
	answers.Unlabelled.Verdict = extract.VoiceVerdict(written.Unlabelled.Answer.token())
	if answers.Unlabelled.Verdict == extract.VoiceLabel {
		answers.Unlabelled.Label = labelOf(q, written.Unlabelled.Label)
	}
	return answers.Settle(q), nil
}

// speakersStart is where the JSON about speakers begins.
var speakersStart = regexp.MustCompile(`\{\s*['"“„]?(?:labels|unlabelled)['"”“]?\s*:`)

// decodeSpeakers finds the JSON in what a model wrote, as decodeResponse does. The last object counts.
func decodeSpeakers(text string) (speakersResponse, error) {
	return decodeLastAs[speakersResponse](text, speakersStart)
}
