package openai

import (
	"context"
	_ "embed"
	"regexp"
	"strings"
	"unicode/utf8"

	"research/activities/extract"
	"research/activities/extract/mask"
	"research/internal/words"
	"research/outcome"
	"research/transcript"
)

// answerPromptVersion is the number of the files of the prompts for answers.
const answerPromptVersion = "ask1"

var (
	//go:embed prompts/ask1.reword.txt
	rewordPrompt string

	//go:embed prompts/ask1.read.txt
	readPrompt string
)

// AnswerPromptVersion returns the number of the prompts for answers, with the settings that PromptVersion
// has.
func (o *Extractor) AnswerPromptVersion() string { return o.versionOf(answerPromptVersion) }

// expectedWordings is the size of a usual answer to Reword, in tokens.
const expectedWordings = 100

// ExpectReword returns the tokens of the prompt and of a usual answer.
func (o *Extractor) ExpectReword(question string) extract.Usage {
	return extract.Usage{
		InputTokens: expectedTokens(rewordPrompt + rewordUserPrompt(question, nil)), OutputTokens: expectedWordings,
	}
}

// Reword asks once for other wordings of a question. The error is an *Error or the context's error.
func (o *Extractor) Reword(
	ctx context.Context, asked string, names []string,
) (extract.Rewordings, error) {
	var masker *mask.Masker
	if o.cfg.Mask {
		masker = mask.ForNames(names)
	}
	user := rewordUserPrompt(asked, masker)
	var wordings []string
	used, err := o.ask(ctx, question{
		system: rewordPrompt, user: user, schema: wordingsSchema, size: len(user),
		read: func(text string) (err error) {
			wordings, err = readWordings(masker.Unmask, asked, text)
			return err
		},
	})
	if err != nil {
		return extract.Rewordings{}, err
	}
	return extract.Rewordings{Wordings: wordings, Usage: used}, nil
}

func rewordUserPrompt(question string, m *mask.Masker) string {
	return "Question: " + sanitize(m.Mask(question)) + "\n\nAnswer with other wordings as one JSON object."
}

var wordingsSchema = namedSchema{"wordings", objectSchema(property{"wordings", arraySchema(stringSchema)})}

// wordingsStart is where the JSON of wordings begins.
var wordingsStart = regexp.MustCompile(`\{\s*['"“„]?wordings['"”“]?\s*:`)

// maxWording is the length of the longest wording, in characters.
const maxWording = 200

// readWordings reads what a model wrote. What repeats the question or another wording is dropped. Its error
// is errNotJSON or errCut.
func readWordings(unmask func(string) string, question, text string) ([]string, error) {
	written, err := decodeLastAs[struct {
		Wordings []lenientString `json:"wordings"`
	}](text, wordingsStart)
	if err != nil {
		return nil, err
	}
	wordings := []string{}
	seen := map[string]bool{"": true, words.Fold(question): true}
	for _, w := range written.Wordings {
		wording := extract.CleanSentence(unmask(string(w)))
		key := words.Fold(wording)
		if seen[key] || utf8.RuneCountInString(wording) > maxWording || len(wordings) == extract.MaxWordings {
			continue
		}
		seen[key] = true
		wordings = append(wordings, wording)
	}
	return wordings, nil
}

// PlanQuestion divides the transcript as Plan does.
func (o *Extractor) PlanQuestion(t *transcript.Transcript, question string) []extract.Chunk {
	r := extract.Request{Transcript: t, Hypotheses: []extract.Hypothesis{
		{ID: extract.QuestionID, Statement: question},
	}}
	return o.planFor(t, readPrompt+readUserPrompt(r, nil))
}

// expectedFindings is the size of a usual answer to ReadForQuestion, in tokens: most chunks say little of a
// question.
const expectedFindings = 200

// ExpectQuestion returns the tokens of the prompt and of a usual response.
func (o *Extractor) ExpectQuestion(r extract.Request) extract.Usage {
	return extract.Usage{
		InputTokens:  expectedTokens(readPrompt + readUserPrompt(r, nil)),
		OutputTokens: min(expectedFindings, int64(o.responseTokens())),
	}
}

// ReadForQuestion calls the model as Extract does. The findings are about the question, neutral and of medium
// strength, which the model is not asked for; their summaries are what the interviewee says.
func (o *Extractor) ReadForQuestion(ctx context.Context, r extract.Request) (extract.Response, error) {
	response, err := o.readChunk(ctx, r, readPrompt, readUserPrompt, questionSchema)
	if err != nil {
		return extract.Response{}, err
	}
	for i := range response.Findings {
		f := &response.Findings[i]
		f.HypothesisID, f.Stance, f.Strength = r.Hypotheses[0].ID, outcome.StanceNeutral, outcome.StrengthMedium
	}
	response.FollowUps = nil
	return response, nil
}

// readUserPrompt writes the utterances of a chunk as userPrompt does, and then the question.
func readUserPrompt(r extract.Request, m *mask.Masker) string {
	var b strings.Builder
	writeTranscript(&b, r, m)
	writerTo(&b)("Question: ", sanitize(m.Mask(r.Hypotheses[0].Statement)),
		"\n\nReport the findings about this question as one JSON object.")
	return b.String()
}

var questionSchema = namedSchema{"question_findings", objectSchema(
	property{"findings", arraySchema(objectSchema(
		property{"utterances", arraySchema(stringSchema)},
		property{"quote", stringSchema},
		property{"summary", stringSchema},
	))},
)}
