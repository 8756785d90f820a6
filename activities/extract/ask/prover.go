package ask

import (
	"regexp"
	"slices"

	"research/activities/extract"
	"research/activities/extract/keyword"
	"research/activities/extract/quote"
	"research/transcript"
)

// Bounds on a line of a model.
const (
	maxText  = 2000 // bytes of a sentence
	maxQuote = 4000 // bytes of a quote
	maxCites = 20
)

// A Quote is a part of a transcript: Text is its Text[ByteStart:ByteEnd].
type Quote struct {
	Transcript         int // its index
	Text               string
	Speaker            string
	From, To           int // utterances; To is exclusive
	ByteStart, ByteEnd int
	Match              quote.Match
}

// A Sentence is a sentence of an answer, with the quotes that prove it.
type Sentence struct {
	Text     string
	Quotes   []Quote
	Rejected int // cites that were not proven
}

// A Prover proves the sentences of one answer. It is for one goroutine.
type Prover struct {
	transcripts  []*transcript.Transcript
	interviewers [][]string
	question     *reading
	aligners     []*quote.Aligner // nil until a quote of the transcript is looked for
	readers      map[string]*reader
	proven       map[string]bool // the words of sentences
}

// NewProver returns a Prover for an answer to a question. The interviewers are, for each transcript, the
// speakers whose words prove nothing.
func NewProver(question string, transcripts []*transcript.Transcript, interviewers [][]string) *Prover {
	p := &Prover{
		transcripts: transcripts, interviewers: interviewers,
		aligners: make([]*quote.Aligner, len(transcripts)), readers: map[string]*reader{},
		proven: map[string]bool{},
	}
	p.question = p.reader(keyword.LanguageOf(question)).read(question, nil)
	return p
}

// reader returns the reader of a language.
func (p *Prover) reader(language string) *reader {
	if p.readers[language] == nil {
		p.readers[language] = newReader(language)
	}
	return p.readers[language]
}

// Prove locates the quotes of a line in the sources that it cites, and compares the sentence with them. ok is
// false if the sentence must not be stored: it has no quotes, they do not carry its numbers, quantities or
// negations, or it was proven before. Rejected is set then too.
func (p *Prover) Prove(line extract.AnswerLine, sources []extract.AnswerSource) (s Sentence, ok bool) {
	s.Text = extract.CleanSentence(sourceLabels.ReplaceAllString(line.Text, ""))
	s.Rejected = max(len(line.Cites)-maxCites, 0)
	for _, cite := range line.Cites[:min(len(line.Cites), maxCites)] {
		q, proven := p.locate(cite, sources)
		switch {
		case !proven:
			s.Rejected++
		case !slices.Contains(s.Quotes, q):
			s.Quotes = append(s.Quotes, q)
		}
	}
	if s.Text == "" || len(line.Text) > maxText || len(s.Quotes) == 0 {
		return s, false
	}
	return s, p.supports(s)
}

// sourceLabels matches ids of sources that a model writes into a sentence: "[p12]".
var sourceLabels = regexp.MustCompile(`\s*[\[(]\s*p\d+(\s*[,;]\s*p\d+)*\s*[\])]`)

// supports reports whether the quotes of a sentence carry it, and it is the first of its words.
func (p *Prover) supports(s Sentence) bool {
	language := p.transcripts[s.Quotes[0].Transcript].Language
	evidence := &proof{question: p.question}
	var names []string
	for _, q := range s.Quotes {
		if q.Speaker != "" && !slices.Contains(names, q.Speaker) {
			names = append(names, q.Speaker)
		}
		evidence.quotes = append(evidence.quotes, p.reader(p.transcripts[q.Transcript].Language).read(q.Text, nil))
	}
	evidence.speakers = len(names)
	if known := keyword.LanguageOf(s.Text); known != "" {
		language = known
	}
	sentence := p.reader(language).read(s.Text, names)
	key := keyOf(s.Text)
	if key == "" || p.proven[key] || !evidence.saysEnough() || !evidence.supports(sentence) {
		return false
	}
	p.proven[key] = true
	return true
}

// locate proves a cite: its words must be those of a participant, within the source that it names.
func (p *Prover) locate(cite extract.Cite, sources []extract.AnswerSource) (Quote, bool) {
	i := slices.IndexFunc(sources, func(s extract.AnswerSource) bool { return s.ID == cite.ID })
	if i < 0 || len(cite.Quote) > maxQuote {
		return Quote{}, false
	}
	source := sources[i]
	cited := make([]int, 0, source.To-source.From)
	for u := source.From; u < source.To; u++ {
		cited = append(cited, u)
	}
	span, reason := p.aligner(source.Transcript).Align(cite.Quote, cited, source.From, source.To)
	if reason != "" || span.UtteranceFrom < source.From || span.UtteranceTo >= source.To {
		return Quote{}, false
	}
	t := p.transcripts[source.Transcript]
	if extract.IsSaidBy(t, span, p.interviewers[source.Transcript]) {
		return Quote{}, false
	}
	return Quote{
		Transcript: source.Transcript, Text: t.Text[span.ByteStart:span.ByteEnd],
		Speaker: t.Utterances[span.UtteranceFrom].Speaker,
		From:    span.UtteranceFrom, To: span.UtteranceTo + 1,
		ByteStart: span.ByteStart, ByteEnd: span.ByteEnd, Match: span.Match,
	}, true
}

func (p *Prover) aligner(i int) *quote.Aligner {
	if p.aligners[i] == nil {
		p.aligners[i] = quote.NewAligner(p.transcripts[i])
	}
	return p.aligners[i]
}

// ProveSpan returns the words of a participant in a passage: of what one says without a break, that with the
// best match, or else the longest. ok is false if only interviewers speak there.
func (p *Prover) ProveSpan(passage Passage) (q Quote, ok bool) {
	transcript, isBest := passage.Transcript, false
	t := p.transcripts[transcript]
	for first := passage.From; first < passage.To && !isBest; {
		last := first + 1
		for last < passage.To && t.Utterances[last].Speaker == t.Utterances[first].Speaker {
			last++
		}
		start, end := t.Utterances[first].ByteStart, t.Utterances[last-1].ByteEnd
		speaker := t.Utterances[first].Speaker
		longer := end-start > q.ByteEnd-q.ByteStart
		hasBest := first <= passage.Best && passage.Best < last
		if (longer || hasBest) && !slices.Contains(p.interviewers[transcript], speaker) {
			isBest = hasBest
			q = Quote{
				Transcript: transcript, Text: t.Text[start:end], Speaker: speaker, From: first, To: last,
				ByteStart: start, ByteEnd: end, Match: quote.MatchVerbatim,
			}
		}
		first = last
	}
	return q, q.ByteEnd > q.ByteStart
}

// PassageQuotes returns the words of participants in passages that are shown as they are.
func (p *Prover) PassageQuotes(passages []Passage) []Quote {
	quotes := make([]Quote, 0, len(passages))
	for _, passage := range passages {
		if q, ok := p.ProveSpan(passage); ok {
			quotes = append(quotes, q)
		}
	}
	return quotes
}
