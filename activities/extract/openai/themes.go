package openai

import (
	"context"
	_ "embed"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"research/activities/extract"
	"research/activities/extract/mask"
	"research/outcome"
	"research/transcript"
)

// themesPromptVersion is the number of the files of the prompts about themes.
const themesPromptVersion = "themes1"

var (
	//go:embed prompts/themes1.read.txt
	openPrompt string

	//go:embed prompts/themes1.group.txt
	groupPrompt string
)

var _ extract.ThemeFinder = (*Extractor)(nil)

// ThemesPromptVersion returns the number of the prompts about themes, with the settings that PromptVersion
// has.
func (o *Extractor) ThemesPromptVersion() string { return o.versionOf(themesPromptVersion) }

// PlanOpen divides the transcript as Plan does.
func (o *Extractor) PlanOpen(t *transcript.Transcript, known extract.Known) []extract.Chunk {
	r := extract.OpenRequest{Request: extract.Request{Transcript: t}, Known: known}
	return o.planFor(t, openPrompt+openUserPrompt(r, nil))
}

// expectedOpen is the size of a usual answer to ReadOpen, in tokens: five findings.
const expectedOpen = 400

// ExpectOpen returns the tokens of the prompt and of a usual response.
func (o *Extractor) ExpectOpen(r extract.OpenRequest) extract.Usage {
	return extract.Usage{
		InputTokens:  expectedTokens(openPrompt + openUserPrompt(r, nil)),
		OutputTokens: min(expectedOpen, int64(o.responseTokens())),
	}
}

// ReadOpen calls the model as Extract does. The findings are neutral and of medium strength, which the model
// is not asked for.
func (o *Extractor) ReadOpen(ctx context.Context, r extract.OpenRequest) (extract.Response, error) {
	asked := r.Request
	asked.Hypotheses = nil // they are masked like those of other requests
	for _, text := range append(append([]string{}, r.Known.Hypotheses...), r.Known.Themes...) {
		asked.Hypotheses = append(asked.Hypotheses, extract.Hypothesis{Statement: text})
	}
	prompt := func(_ extract.Request, m *mask.Masker) string { return openUserPrompt(r, m) }
	response, err := o.readChunk(ctx, asked, openPrompt, prompt, openSchema)
	if err != nil {
		return extract.Response{}, err
	}
	response.Findings = response.Findings[:min(len(response.Findings), extract.MaxOpenFindings)]
	for i := range response.Findings {
		f := &response.Findings[i]
		f.HypothesisID, f.Stance, f.Strength = extract.OpenID, outcome.StanceNeutral, outcome.StrengthMedium
		f.Summary, f.Rationale = extract.CleanLabel(f.Summary), ""
	}
	response.FollowUps = nil
	return response, nil
}

// openUserPrompt writes the utterances of a chunk as userPrompt does, and then what is known.
func openUserPrompt(r extract.OpenRequest, m *mask.Masker) string {
	var b strings.Builder
	writeTranscript(&b, r.Request, m)
	write := writerTo(&b)
	list := func(title string, texts []string) {
		if len(texts) > 0 {
			write(title, ":\n")
		}
		for _, text := range texts {
			write("- ", sanitize(m.Mask(text)), "\n")
		}
	}
	list("Known hypotheses", r.Known.Hypotheses)
	list("Known themes", r.Known.Themes)
	write("\nReport the findings that are about nothing of this as one JSON object.")
	return b.String()
}

var openSchema = namedSchema{"open_findings", objectSchema(
	property{"findings", arraySchema(objectSchema(
		property{"utterances", arraySchema(stringSchema)},
		property{"quote", stringSchema},
		property{"label", stringSchema},
	))},
)}

// Sizes of labels and groups, in tokens.
const (
	labelTokens   = 16 // of a label in a request, with its id
	labelIDTokens = 6  // of its id in a response
	groupTokens   = 60 // of what a group has beside ids
	usualGroups   = 12
	minGroupSize  = 20 // labels; a server that cannot read as many is of no use
)

// GroupSize returns extract.MaxLabels, or fewer labels for a model with a small context.
func (o *Extractor) GroupSize() int {
	response := (o.responseTokens() - usualGroups*groupTokens) / labelIDTokens
	size := min(extract.MaxLabels, response)
	if o.cfg.Context > 0 {
		left := o.cfg.Context - o.responseTokens() - int(expectedTokens(groupPrompt))
		size = min(size, left/labelTokens)
	}
	return max(size, minGroupSize)
}

// ExpectGroups returns the tokens of the prompt and of a usual response.
func (o *Extractor) ExpectGroups(labels []string) extract.Usage {
	r := extract.GroupRequest{Labels: labels}
	return extract.Usage{
		InputTokens: expectedTokens(groupPrompt + groupUserPrompt(r, nil)),
		OutputTokens: min(int64(usualGroups*groupTokens+labelIDTokens*len(labels)),
			int64(o.responseTokens())),
	}
}

// GroupLabels calls the model once, and in another dialect if the server rejects the request. The error is an
// *Error or the context's error.
func (o *Extractor) GroupLabels(ctx context.Context, r extract.GroupRequest) (extract.Groups, error) {
	var masker *mask.Masker
	if o.cfg.Mask {
		masker = mask.ForNames(r.Names)
	}
	user := groupUserPrompt(r, masker)
	var groups []extract.Group
	used, err := o.ask(ctx, question{
		system: groupPrompt, user: user, schema: groupsSchema, size: len(user), again: r.Again,
		read: func(text string) (err error) {
			groups, err = readGroups(masker.Unmask, len(r.Labels), text)
			return err
		},
	})
	if err != nil {
		return extract.Groups{}, err
	}
	return extract.Groups{Groups: groups, Usage: used}, nil
}

// groupUserPrompt writes labels, each on a line with its id.
func groupUserPrompt(r extract.GroupRequest, m *mask.Masker) string {
	var b strings.Builder
	write := writerTo(&b)
	write("<labels>\n")
	for i, label := range r.Labels {
		write("l", strconv.Itoa(i+1), ": ", sanitize(m.Mask(label)), "\n")
	}
	write("</labels>\n\nReport the groups of these labels as one JSON object.")
	return b.String()
}

var groupsSchema = namedSchema{"groups", objectSchema(
	property{"groups", arraySchema(objectSchema(
		property{"name", stringSchema},
		property{"description", stringSchema},
		property{"labels", arraySchema(stringSchema)},
	))},
)}

// groupsStart is where the JSON of groups begins.
var groupsStart = regexp.MustCompile(`\{\s*['"“„]?groups['"”“]?\s*:`)

const (
	// maxGroupName and maxGroupDescription bound what is kept of a group, in characters.
	maxGroupName        = 80
	maxGroupDescription = 400
)

// readGroups reads what a model wrote about a number of labels. Ids that name no label are dropped, and so
// are groups without a name or a label. Its error is errNotJSON or errCut.
func readGroups(unmask func(string) string, labels int, text string) ([]extract.Group, error) {
	written, err := decodeLastAs[struct {
		Groups []struct {
			Name        lenientString   `json:"name"`
			Description lenientString   `json:"description"`
			Labels      json.RawMessage `json:"labels"`
		} `json:"groups"`
	}](text, groupsStart)
	if err != nil {
		return nil, err
	}
	if written.Groups == nil {
		return nil, errNotJSON
	}
	groups := []extract.Group{}
	for _, g := range written.Groups[:min(len(written.Groups), labels)] {
		group := extract.Group{
			Name:        strings.Trim(cut(extract.CleanSentence(unmask(string(g.Name))), maxGroupName), " ."),
			Description: cut(extract.CleanSentence(unmask(string(g.Description))), maxGroupDescription),
		}
		for _, number := range digits.FindAllString(string(g.Labels), labels) {
			if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= labels {
				group.Labels = append(group.Labels, n-1)
			}
		}
		if group.Name != "" && len(group.Labels) > 0 {
			groups = append(groups, group)
		}
	}
	return groups, nil
}

// cut returns a text, or its first characters up to the end of a word.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	text = string([]rune(text)[:most])
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}
