package openai

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A requestMember is a part of a request that a server can reject by name.
type requestMember int

const (
	noMember requestMember = iota
	usageMember
	streamMember
	roleMember
	effortMember
	limitMember
	formatMember
)

// The words that name a member, in the order in which they decide: a message about the limit may speak of the
// format, too.
var memberWords = []struct {
	member requestMember
	words  *regexp.Regexp
}{
	{usageMember, regexp.MustCompile(`stream_options|include_usage`)},
	{streamMember, regexp.MustCompile(`\bstream(ing)?\b`)}, // DashScope: thoughts must be streamed
	{roleMember, regexp.MustCompile(`\brole\b.{0,60}\bsystem\b|` +
		`\bsystem\b['"\x60]?.{0,12}\b(role|message|prompt)|roles must alternate|` +
		`developer instruction|messages.{0,8}\brole\b|'user' or 'assistant'`)},
	{effortMember, regexp.MustCompile(`reasoning[_ .]effort`)},
	{limitMember, regexp.MustCompile(`max_(completion_|new_|output_)?tokens|max (output |completion )?tokens|` +
		`in the completion|maxoutputtokens|completion tokens`)},
	{formatMember, regexp.MustCompile(`response_format|response format|json[_ ]schema|structured ` +
		`output|grammar|json mode|requested parameters|additionalproperties`)},
}

// member returns the member that a rejection names: in a field, or else in its words.
func (f *failure) member() requestMember {
	if f == nil {
		return noMember
	}
	for _, said := range []string{f.codes, f.words} {
		for _, m := range memberWords {
			if m.words.MatchString(said) {
				return m.member
			}
		}
	}
	return noMember
}

// variable is what differs in a repeated message: the id of a request, a number.
var variable = regexp.MustCompile(`\S*\d\S*`)

// sameAs reports whether two rejections have the same words, but for ids and numbers.
func (f *failure) sameAs(other *failure) bool {
	if f == nil || other == nil { // without words
		return f == other
	}
	return f.codes == other.codes &&
		variable.ReplaceAllString(f.words, "") == variable.ReplaceAllString(other.words, "")
}

var numberPattern = regexp.MustCompile(`\d[\d,_]*`)

// minNumber is below every context and every limit of a response.
const minNumber = 16

// numbers returns the counts of tokens in a message, in their order.
func (f *failure) numbers() []int64 {
	var numbers []int64
	for _, text := range numberPattern.FindAllString(f.words, 16) {
		n, err := strconv.ParseInt(strings.NewReplacer(",", "", "_", "").Replace(text), 10, 64)
		if err == nil && n >= minNumber {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// bounds reports whether a rejection compares the limit of the response with another number.
func (f *failure) bounds(limit int64) bool {
	_, isKnown := roomOf(f.numbers(), limit)
	return isKnown
}

// roomOf returns how long a response may be, from the numbers of an error about a response of at most limit
// tokens: the prompt, the limit, their sum and the context (vLLM: "maximum context length is 8192 tokens.
// However, you requested 9000 tokens (4904 in the messages, 4096 in the completion)"), the prompt and the
// context (Anthropic: "4904 + 4096 > 8192"), or what a model can write ("at most 2048"). It returns 0 if the
// prompt alone is too long, and false if the numbers do not say.
func roomOf(numbers []int64, limit int64) (room int64, isKnown bool) {
	at := slices.Index(numbers, limit)
	others := slices.Clone(numbers)
	if at >= 0 {
		others = slices.Delete(others, at, at+1)
	}
	for i, prompt := range others {
		for j, context := range others {
			if at >= 0 && i != j && slices.Contains(others, prompt+limit) && context < prompt+limit {
				return max(context-prompt, 0), true
			}
		}
	}
	others = slices.DeleteFunc(others, func(n int64) bool { return n == limit })
	slices.Sort(others)
	others = slices.Compact(others)
	switch {
	case len(others) == 1 && others[0] < limit:
		return others[0], true
	case at < 0 || len(others) != 2:
		return 0, false
	case others[0]+limit > others[1]:
		return others[1] - others[0], true
	}
	return 0, true
}
