package openai

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"research/activities/extract"
)

// Notices tell the operator in the log what a server says of failed calls, in its own words, once for each
// kind of failure.
type notices struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxNotices bounds the kinds: codes with statuses.
const maxNotices = 64

// isNew reports whether a failure is the first of its kind.
func (n *notices) isNew(failed *extract.Error, said *failure) bool {
	kind := fmt.Sprintf("%s %d %d", failed.Code, failed.Status, said.member())
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen[kind] || len(n.seen) >= maxNotices {
		return false
	}
	n.seen[kind] = true
	return true
}

// notice logs the first failure of its kind. prompt is what the server may have repeated.
func (o *Extractor) notice(ctx context.Context, failed *extract.Error, said *failure, prompt string) {
	if o.cfg.Log == nil || !o.notices.isNew(failed, said) {
		return
	}
	says := ""
	if said != nil {
		says = wordsToLog(said.said, prompt, o.cfg.APIKey)
	}
	o.cfg.Log.WarnContext(ctx, "the model's server does not answer a request; further cases are not logged",
		"code", failed.Code, "status", failed.Status, "says", says)
}

// maxLogged is the size of a server's words in the log, in bytes.
const maxLogged = 300

var (
	loggedWord = regexp.MustCompile(`[\pL\pN_'’.@-]+`)
	// keyLike is a key, an id, an address or a URL.
	keyLike = regexp.MustCompile(`(?i)\b[a-z]+://\S+|\S+@\S+|\b(?:sk|gsk|xai|key|Bearer)[-_ ]\S+|` +
		`[A-Za-z0-9_\-]{24,}`)
)

// wordsToLog returns what a server says without what is not for the log: what it repeats of the prompt, keys,
// ids and addresses. Words of the prompt stay if they are those of errors.
func wordsToLog(said, prompt, apiKey string) string {
	if apiKey != "" {
		said = strings.ReplaceAll(said, apiKey, "…")
	}
	said = keyLike.ReplaceAllString(sanitize(said), "…")
	spoken := map[string]bool{}
	for _, word := range loggedWord.FindAllString(strings.ToLower(prompt), -1) {
		spoken[strings.Trim(word, ".-'’")] = true
	}
	said = loggedWord.ReplaceAllStringFunc(said, func(word string) string {
		plain := strings.Trim(strings.ToLower(word), ".-'’")
		if len(plain) > 1 && spoken[plain] && !errorWords[plain] {
			return "…"
		}
		return word
	})
	if len(said) > maxLogged {
		said = strings.ToValidUTF8(said[:maxLogged], "") + "…"
	}
	return said
}

// errorWords are the words of errors that interviewees say as well.
var errorWords = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(`a an the this that is are was be been not no or and of for to in on ` +
		`with by ` +
		`from at as your you we our it its if than has have had do does did can cannot could should must may ` +
		`when which please more most less fewer only all any other model models maximum context length limit ` +
		`limits tokens token prompt request requests requested message messages completion input inputs output ` +
		`response format schema object json role roles system user assistant supported support unsupported ` +
		`invalid valid value values parameter parameters field fields required missing unknown error errors bad ` +
		`key keys api account credit credits balance quota billing plan rate limited reached exceeded exceeds ` +
		`exceed too many long large small server service available unavailable busy loading try again later ` +
		`access permission denied allowed region country location found exist exists deployment endpoint ` +
		`provider content filter policy number between`) {
		words[word] = true
	}
	return words
}()
