package extract

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball"

	"research/transcript"
)

// Keyword finds passages that share words with a hypothesis. It is no AI and says so: BM25 over turns with stems, smoothed over neighbouring turns
// (the best method of those measured on QMSum: of its first ten turns 38 % lie in a gold span, against 11 % by chance).
type Keyword struct{}

// NewKeyword makes a keyword extractor.
func NewKeyword() *Keyword { return &Keyword{} }

// Name is "keyword".
func (*Keyword) Name() string { return "keyword" }

// Model is empty: there is none.
func (*Keyword) Model() string { return "" }

// PromptVersion names the method.
func (*Keyword) PromptVersion() string { return "keyword-1" }

// Plan is one chunk of everything: how rare a word is shows only over the whole.
func (*Keyword) Plan(t *transcript.Transcript, _ []Hypothesis) []Chunk { return []Chunk{Whole(t)} }

// The parameters of the method, found on QMSum's training split.
const (
	bm25K1       = 1.2
	bm25B        = 0.4
	smoothSigma  = 8.0 // turns
	ownWeight    = 0.5
	bigramWeight = 0.5
	speakerBoost = 1.5
)

// What counts as a match worth showing.
const (
	maxPerHypothesis = 10
	minShareOfBest   = 0.45
	maxQuoteWords    = 60
)

// Ask ranks the turns for each hypothesis. It fails only with its context.
func (k *Keyword) Ask(ctx context.Context, q Question) (Answer, error) {
	index := newTurnIndex(q.Transcript)
	answer := Answer{Findings: []Finding{}}
	for _, h := range q.Hypotheses {
		if err := ctx.Err(); err != nil {
			return Answer{}, err
		}
		answer.Findings = append(answer.Findings, k.find(q.Transcript, index, h)...)
	}
	return answer, nil
}

func (k *Keyword) find(t *transcript.Transcript, index *turnIndex, h Hypothesis) []Finding {
	query := index.query(h.Statement)
	if len(query.terms) == 0 {
		return nil
	}
	ranked := index.rank(query)
	var findings []Finding
	for _, r := range ranked {
		if len(findings) == maxPerHypothesis || r.score < minShareOfBest*ranked[0].score {
			break
		}
		if r.own == 0 || r.matched < min(2, len(query.terms)) {
			continue
		}
		u := t.Utterances[r.turn]
		quote := index.bestPassage(u.Text, query)
		share := float64(r.matched) / float64(len(query.terms))
		stance, strength := cueStance(h.Statement, quote, share)
		findings = append(findings, Finding{
			HypothesisID: h.ID, Stance: stance, Strength: strength, Quote: quote, Utterances: []int{r.turn},
			Rationale: fmt.Sprintf("Keyword match, no AI: shares %d of the %d words that matter with the hypothesis.", r.matched, len(query.terms)),
			Score:     min(1, share*r.score/ranked[0].score),
		})
	}
	return findings
}

// A turnIndex holds the statistics of one transcript's turns.
type turnIndex struct {
	stem     func(string) string
	turns    [][]string // stems
	counts   map[string][]posting
	pairs    map[string][]posting
	average  float64
	speakers []string
}

type posting struct{ turn, count int }

func newTurnIndex(t *transcript.Transcript) *turnIndex {
	x := &turnIndex{stem: stemmer(t.Language), counts: map[string][]posting{}, pairs: map[string][]posting{}}
	total := 0
	for i, u := range t.Utterances {
		stems := x.stems(u.Text)
		x.turns = append(x.turns, stems)
		x.speakers = append(x.speakers, strings.ToLower(u.Speaker))
		total += len(stems)
		for j, s := range stems {
			add(x.counts, s, i)
			if j > 0 {
				add(x.pairs, stems[j-1]+" "+s, i)
			}
		}
	}
	x.average = max(float64(total)/float64(max(len(x.turns), 1)), 1)
	return x
}

func add(counts map[string][]posting, key string, turn int) {
	list := counts[key]
	if n := len(list); n > 0 && list[n-1].turn == turn {
		list[n-1].count++
		return
	}
	counts[key] = append(list, posting{turn, 1})
}

func (x *turnIndex) stems(text string) []string {
	var out []string
	for _, tok := range tokenize(text) {
		if w := tok.norm; !frameWords[w] {
			out = append(out, x.stem(w))
		}
	}
	return out
}

// A query is what is looked for: its distinct stems, pairs of neighbours, and the speakers it names.
type query struct {
	terms, pairs []string
	lower        string
}

func (x *turnIndex) query(statement string) query {
	q := query{lower: strings.ToLower(statement)}
	stems := x.stems(statement)
	for i, s := range stems {
		if !slices.Contains(q.terms, s) {
			q.terms = append(q.terms, s)
		}
		if i > 0 {
			q.pairs = append(q.pairs, stems[i-1]+" "+s)
		}
	}
	return q
}

type rankedTurn struct {
	turn, matched int
	own, score    float64
}

// rank scores every turn: BM25 of terms and pairs, then smoothed, so that a passage about the matter beats a stray word.
func (x *turnIndex) rank(q query) []rankedTurn {
	n := len(x.turns)
	own := make([]float64, n)
	matched := make([]int, n)
	score := func(list []posting, weight float64) {
		idf := math.Log(1 + (float64(n)-float64(len(list))+0.5)/(float64(len(list))+0.5))
		for _, p := range list {
			f := float64(p.count)
			length := float64(len(x.turns[p.turn])) / x.average
			own[p.turn] += weight * idf * f * (bm25K1 + 1) / (f + bm25K1*(1-bm25B+bm25B*length))
		}
	}
	for _, term := range q.terms {
		score(x.counts[term], 1)
		for _, p := range x.counts[term] {
			matched[p.turn]++
		}
	}
	for _, pair := range q.pairs {
		score(x.pairs[pair], bigramWeight)
	}
	for i, name := range x.speakers {
		if name != "" && own[i] > 0 && strings.Contains(q.lower, name) {
			own[i] *= speakerBoost
		}
	}
	smooth := gaussian(own, smoothSigma)
	ranked := make([]rankedTurn, n)
	for i := range ranked {
		ranked[i] = rankedTurn{i, matched[i], own[i], smooth[i] + ownWeight*own[i]}
	}
	slices.SortFunc(ranked, func(a, b rankedTurn) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.turn - b.turn
	})
	return ranked
}

// gaussian smooths within four sigma.
func gaussian(values []float64, sigma float64) []float64 {
	reach := int(4 * sigma)
	kernel := make([]float64, reach+1)
	for d := range kernel {
		kernel[d] = math.Exp(-float64(d*d) / (2 * sigma * sigma))
	}
	out := make([]float64, len(values))
	for i, v := range values {
		if v == 0 {
			continue
		}
		for j := max(0, i-reach); j <= min(len(values)-1, i+reach); j++ {
			d := i - j
			if d < 0 {
				d = -d
			}
			out[j] += v * kernel[d]
		}
	}
	total := kernel[0]
	for _, k := range kernel[1:] {
		total += 2 * k
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// bestPassage is the turn, or of a long one the sentences around the best match.
func (x *turnIndex) bestPassage(text string, q query) string {
	if countWords(text) <= maxQuoteWords {
		return text
	}
	sentences := splitSentences(text)
	best, bestScore := 0, -1
	for i, s := range sentences {
		score := 0
		stems := x.stems(s)
		for _, term := range q.terms {
			if slices.Contains(stems, term) {
				score++
			}
		}
		if score > bestScore {
			best, bestScore = i, score
		}
	}
	from, to := best, best+1
	words := countWords(sentences[best])
	for to < len(sentences) && words+countWords(sentences[to]) <= maxQuoteWords {
		words += countWords(sentences[to])
		to++
	}
	passage := strings.TrimSpace(strings.Join(sentences[from:to], ""))
	if countWords(passage) > maxQuoteWords {
		passage = strings.TrimSpace(passage[:clip(passage, 0, len(passage), maxQuoteWords, len(passage))])
	}
	return passage
}

// splitSentences cuts after a sentence's end; the parts joined are the text.
func splitSentences(text string) []string {
	var out []string
	start := 0
	ended := false
	for i, r := range text {
		switch {
		case strings.ContainsRune("。！？", r):
			ended = true
		case strings.ContainsRune(".!?؟", r):
			ended = true
		case ended && (unicode.IsSpace(r) || r > 0x2E80):
			out = append(out, text[start:i])
			start, ended = i, false
		case !strings.ContainsRune("\"'”’)]", r):
			ended = false
		}
	}
	return append(out, text[start:])
}

// cueStance says neutral unless most of the hypothesis is in the passage and the cues are plain: stance by cue words is right in 62 % of cases,
// and in 73 % where it may abstain (measured on debates).
func cueStance(statement, quote string, share float64) (stance, strength string) {
	if share < 0.5 {
		return Neutral, Weak
	}
	has := func(text string, words map[string]bool) bool {
		for _, tok := range tokenize(text) {
			if words[tok.norm] {
				return true
			}
		}
		return false
	}
	denied, doubted := has(quote, denials), has(statement, denials)
	switch {
	case denied != doubted:
		return Contradicts, Weak
	case share >= 0.6 && has(quote, affirmations):
		return Supports, Weak
	}
	return Neutral, Weak
}

var (
	denials = wordSet(`not no never none nobody nothing neither dont doesnt didnt cant couldnt wont wouldnt isnt arent wasnt werent hardly
		nicht kein keine keinen nie niemand nichts pas jamais rien personne nunca nadie nada ningun`)
	affirmations = wordSet(`yes exactly absolutely definitely certainly always constantly every indeed totally hate love biggest worst best
		ja genau absolut immer standig jeden oui exactement toujours si exacto siempre`)
)

// frameWords are frequent words, and those that hypotheses are framed with ("we believe that customers …").
var frameWords = wordSet(`a an the and or but if then than that this these those there here it its is are was were be been being am do does did done
	have has had having i you he she we they me him her us them my your his our their of in on at to from by for with about as into over
	out up down off so very just also can could will would should may might must what which who whom how when where why
	believe think hypothesis assume customers customer users user people because
	der die das den dem des ein eine einen einem einer und oder aber wenn dann dass ist sind war waren sein haben hat hatte ich du er sie wir ihr es
	mich mir dich uns euch von in im an am auf zu zum zur aus bei mit nach uber fur als wie was wer wo warum auch
	le la les un une des et ou mais si que qui quoi est sont etait etre avoir ai as a avons avez ont je tu il elle nous vous ils elles de du au aux en
	dans sur pour par avec ce cette ces se sa son ses leur
	el los las una unos unas y o pero es son era ser estar esta estan he ha han yo ella nosotros ellos del al con por para su sus lo`)

// stemmer picks Snowball's stemmer by language; where there is none, a word is its own stem.
func stemmer(language string) func(string) string {
	name := map[string]string{"en": "english", "": "english", "fr": "french", "es": "spanish", "ru": "russian", "sv": "swedish", "no": "norwegian", "hu": "hungarian"}[language]
	if name == "" {
		return func(w string) string { return w }
	}
	cache := map[string]string{}
	return func(w string) string {
		if s, known := cache[w]; known {
			return s
		}
		s, err := snowball.Stem(w, name, true)
		if err != nil {
			s = w
		}
		cache[w] = s
		return s
	}
}
