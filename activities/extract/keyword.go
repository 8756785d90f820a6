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

// Keyword finds passages that share words with a hypothesis. It is no AI and says so: BM25 over turns with stems, smoothed over neighbouring turns.
// docs/extraction.md says how good it is.
type Keyword struct{}

// NewKeyword makes a keyword extractor.
func NewKeyword() *Keyword { return &Keyword{} }

// Name is "keyword".
func (*Keyword) Name() string { return "keyword" }

// Model is empty: there is none.
func (*Keyword) Model() string { return "" }

// PromptVersion names the method.
func (*Keyword) PromptVersion() string { return "keyword-2" }

// Plan is one chunk of everything: how rare a word is shows only over the whole.
func (*Keyword) Plan(t *transcript.Transcript, _ []Hypothesis) []Chunk { return []Chunk{Whole(t)} }

// Estimate is 0.
func (*Keyword) Estimate(Question) int64 { return 0 }

// The parameters of the method, chosen on QMSum's validation split.
const (
	bm25K1       = 1.2
	bm25B        = 0.4
	rareness     = 1.3  // exponent of a word's inverse frequency
	smoothSigma  = 12.0 // turns
	ownWeight    = 0.1
	bigramWeight = 0.5
	speakerBoost = 3
)

// What counts as a match worth showing.
const (
	maxPerHypothesis = 10
	minShareOfBest   = 0.45
	maxQuoteWords    = 60
	minAnswerWords   = 4 // "Yes, every month." cannot be understood alone
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
	quoted := map[int]bool{}
	for _, r := range ranked {
		if len(findings) == maxPerHypothesis || r.score < minShareOfBest*ranked[0].score {
			break
		}
		if r.own == 0 || r.matched < min(2, len(query.terms)) {
			continue
		}
		turn, what := r.turn, "shares"
		quote := index.bestPassage(t.Utterances[turn].Text, query)
		if asks(quote) {
			turn, quote = answerTo(t, turn)
			what = "answers a question that shares"
		}
		if turn < 0 || quoted[turn] {
			continue
		}
		quoted[turn] = true
		share := float64(r.matched) / float64(len(query.terms))
		stance := Neutral
		if turn == r.turn {
			stance = cueStance(h.Statement, quote, share)
		}
		findings = append(findings, Finding{
			HypothesisID: h.ID, Stance: stance, Strength: Weak, Quote: quote, Utterances: []int{turn},
			Rationale: fmt.Sprintf("Keyword match, no AI: %s %d of the %d words that matter with the hypothesis.", what, r.matched, len(query.terms)),
			Score:     min(1, share*r.score/ranked[0].score),
		})
	}
	return findings
}

// asks tells a question: what an interviewer asks is no evidence.
func asks(passage string) bool {
	passage = strings.TrimRight(passage, " \"'”’»")
	return strings.HasSuffix(passage, "?") || strings.HasSuffix(passage, "？") || strings.HasSuffix(passage, "؟")
}

// answerTo is what somebody else says next, from its beginning; -1 where nobody answers.
func answerTo(t *transcript.Transcript, turn int) (int, string) {
	next := turn + 1
	if next == len(t.Utterances) || t.Utterances[next].Speaker == t.Utterances[turn].Speaker && t.Utterances[turn].Speaker != "" {
		return -1, ""
	}
	answer := passageFrom(splitSentences(t.Utterances[next].Text), 0)
	if asks(answer) || countWords(answer) < minAnswerWords {
		return -1, ""
	}
	return next, answer
}

// A turnIndex holds the statistics of one transcript's turns. Stems are numbered as they come.
type turnIndex struct {
	stem     func(string) string
	talk     map[string]bool // stems of talkWords
	ids      map[string]int32
	lengths  []float64 // of turns, in stems
	counts   [][]posting
	pairs    map[[2]int32][]posting
	average  float64
	speakers []string
}

type posting struct{ turn, count int }

func newTurnIndex(t *transcript.Transcript) *turnIndex {
	x := &turnIndex{stem: stemmer(t.Language), talk: map[string]bool{}, ids: map[string]int32{}, pairs: map[[2]int32][]posting{}}
	for w := range talkWords {
		x.talk[x.stem(w)] = true
	}
	total := 0.0
	for i, u := range t.Utterances {
		stems := x.stems(u.Text)
		last := int32(-1)
		for _, s := range stems {
			id, known := x.ids[s]
			if !known {
				id = int32(len(x.counts))
				x.ids[s] = id
				x.counts = append(x.counts, nil)
			}
			x.counts[id] = counted(x.counts[id], i)
			if last >= 0 {
				pair := [2]int32{last, id}
				x.pairs[pair] = counted(x.pairs[pair], i)
			}
			last = id
		}
		x.lengths = append(x.lengths, float64(len(stems)))
		x.speakers = append(x.speakers, strings.ToLower(u.Speaker))
		total += float64(len(stems))
	}
	x.average = max(total/float64(max(len(x.lengths), 1)), 1)
	return x
}

func counted(list []posting, turn int) []posting {
	if n := len(list); n > 0 && list[n-1].turn == turn {
		list[n-1].count++
		return list
	}
	return append(list, posting{turn, 1})
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

// of is where a stem stands.
func (x *turnIndex) of(stem string) []posting {
	if id, known := x.ids[stem]; known {
		return x.counts[id]
	}
	return nil
}

// ofPair is where two stems stand one after the other.
func (x *turnIndex) ofPair(first, second string) []posting {
	a, known := x.ids[first]
	b, alsoKnown := x.ids[second]
	if !known || !alsoKnown {
		return nil
	}
	return x.pairs[[2]int32{a, b}]
}

// A query is what is looked for: its distinct stems, pairs of neighbours, and the speakers it names.
type query struct {
	terms []string
	pairs [][2]string
	lower string
}

func (x *turnIndex) query(statement string) query {
	q := query{lower: strings.ToLower(statement)}
	stems := slices.DeleteFunc(x.stems(statement), func(s string) bool { return x.talk[s] })
	if len(stems) == 0 {
		stems = x.stems(statement)
	}
	for i, s := range stems {
		if !slices.Contains(q.terms, s) {
			q.terms = append(q.terms, s)
		}
		if i > 0 {
			q.pairs = append(q.pairs, [2]string{stems[i-1], s})
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
	n := len(x.lengths)
	own := make([]float64, n)
	matched := make([]int, n)
	score := func(list []posting, weight float64) {
		idf := math.Pow(math.Log(1+(float64(n)-float64(len(list))+0.5)/(float64(len(list))+0.5)), rareness)
		for _, p := range list {
			f := float64(p.count)
			length := x.lengths[p.turn] / x.average
			own[p.turn] += weight * idf * f * (bm25K1 + 1) / (f + bm25K1*(1-bm25B+bm25B*length))
		}
	}
	for _, term := range q.terms {
		list := x.of(term)
		score(list, 1)
		for _, p := range list {
			matched[p.turn]++
		}
	}
	for _, pair := range q.pairs {
		score(x.ofPair(pair[0], pair[1]), bigramWeight)
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
	return passageFrom(sentences, best)
}

// passageFrom is one sentence and as many of those after it as a quote may hold.
func passageFrom(sentences []string, from int) string {
	to := from + 1
	words := countWords(sentences[from])
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

// minShareForStance of the hypothesis' words must be in a passage whose cues are believed.
const minShareForStance = 0.75

// cueStance says neutral unless most of the hypothesis is in the passage and the cues are plain: stance by cue words is right in 62 % of cases,
// and in 73 % where it may abstain (measured on debates).
func cueStance(statement, quote string, share float64) string {
	if share < minShareForStance {
		return Neutral
	}
	has := func(text string, words map[string]bool) bool {
		return slices.ContainsFunc(tokenize(text), func(tok token) bool { return words[tok.norm] })
	}
	switch {
	case has(quote, denials) != has(statement, denials):
		return Contradicts
	case has(quote, affirmations):
		return Supports
	}
	return Neutral
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

// talkWords say that something was said, not what: a hypothesis is not looked for by them unless it has no others.
var talkWords = wordSet(`summarize summary discussion discuss meeting talk mention say said tell opinion attitude participant participants point view views agree
	according towards regarding concerning describe explain suggest give gave introduce consider reason reasons decide decision conclusion recommend
	come came make made find found want ask topic different kind use any some more other`)

// inflections are the endings that lightStem takes off, the longest first, where Snowball's Go port has no stemmer.
var inflections = map[string][]string{
	"de": {"ungen", "ern", "em", "en", "er", "es", "e", "s", "n"},
	"nl": {"heden", "eren", "en", "er", "s", "e"},
	"it": {"mente", "zioni", "zione", "are", "ere", "ire", "ato", "ata", "ati", "ate", "i", "e", "o", "a"},
	"pt": {"mente", "coes", "cao", "ar", "er", "ir", "os", "as", "es", "s", "o", "a", "e"},
	"da": {"erne", "ene", "er", "en", "et", "e", "s"},
}

// minStem is what must be left of a word in letters.
const minStem = 4

func lightStem(word string, endings []string) string {
	for _, ending := range endings {
		if stem, had := strings.CutSuffix(word, ending); had && len(stem) >= minStem {
			return stem
		}
	}
	return word
}

// stemmer picks Snowball's stemmer by language, or a light one; where there is neither, a word is its own stem.
func stemmer(language string) func(string) string {
	if endings, light := inflections[language]; light {
		return func(w string) string { return lightStem(w, endings) }
	}
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
