package mail

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"
	texttemplate "text/template"
	"unicode"
)

// A Digest is what one recipient is told about one period. Its texts are what people typed and said: the templates escape them.
type Digest struct {
	Weekly bool
	Period string // in words, as "Friday, 20 November 2026"

	Workspaces []DigestWorkspace

	HomeURL, SettingsURL, UnsubscribeURL string
}

// A DigestWorkspace is what changed in one workspace.
type DigestWorkspace struct {
	Name     string
	Also     []string // what is only counted, as "2 new members"
	Projects []DigestProject
}

// A DigestProject is what changed in one project; its lists hold the first few, and More… how many others there are.
type DigestProject struct {
	Name, URL string

	Moved         []DigestHypothesis
	Verdicts      []DigestVerdict
	Loose         []DigestQuote // new evidence that speaks to no hypothesis yet
	Imports       []DigestImport
	Answers       []DigestAnswer
	NewHypotheses []DigestItem

	MoreMoved, MoreVerdicts, MoreLoose, MoreImports, MoreAnswers, MoreNewHypotheses int

	URLs DigestURLs
	Also []string
}

// DigestURLs lead to the lists of a project.
type DigestURLs struct{ Hypotheses, Evidence, Interviews, Questions string }

// A DigestHypothesis is one for which evidence was found, or from which it was withdrawn.
type DigestHypothesis struct {
	Statement, URL string
	Supports       int // new evidence for it
	Contradicts    int
	Neutral        int // not judged yet
	Withdrawn      int // rejected by a person
	AllSupports    int // all evidence that stands
	AllContradicts int
	Quotes         []DigestQuote
	MoreQuotes     int
}

// A DigestQuote is a piece of evidence.
type DigestQuote struct {
	Stance       string // supports, contradicts, neutral; empty where it speaks to no hypothesis
	Quote        string
	Speaker      string // may be empty
	At           string // as 12:34; may be empty
	Source       string // the import's title; may be empty
	URL          string
	KeywordMatch bool // found by a keyword match, which is no judgement
}

// A DigestVerdict is a status that somebody gave to a hypothesis.
type DigestVerdict struct{ Statement, URL, Before, After, Reason, By string }

// A DigestImport is an interview that was read, or could not be.
type DigestImport struct {
	Title, URL string
	Parsed     bool
	Evidence   int
	Unread     int    // percent of the transcript
	Problem    string // in plain words, where it was not parsed
}

// A DigestAnswer is a question that was answered.
type DigestAnswer struct{ Question, By, Quote, Speaker string }

// A DigestItem is a text of somebody's.
type DigestItem struct{ Text, URL, By string }

// quoteRunes is what a phone shows of a quote without the reader losing the thread.
const quoteRunes = 260

var digestFuncs = map[string]any{
	"short":  shorten,
	"plural": Plural,
	"more": func(n int, url string) any {
		return struct {
			N   int
			URL string
		}{n, url}
	},
	"stance": func(s string) string {
		return map[string]string{"supports": "supports", "contradicts": "contradicts", "neutral": "to judge"}[s]
	},
}

var (
	digestHTML = template.Must(template.New("digest.html").Funcs(digestFuncs).ParseFS(templates, "templates/digest.html"))
	digestText = texttemplate.Must(texttemplate.New("digest.txt").Funcs(digestFuncs).ParseFS(templates, "templates/digest.txt"))
)

// Message writes the mail. The caller says to whom it goes, and gives it an ID.
func (d Digest) Message() (Message, error) {
	data := struct {
		Digest
		Subject, Summary string
	}{d, d.subject(), d.summary()}
	var html, text bytes.Buffer
	if err := digestHTML.Execute(&html, data); err != nil {
		return Message{}, fmt.Errorf("write the digest: %w", err)
	}
	if err := digestText.Execute(&text, data); err != nil {
		return Message{}, fmt.Errorf("write the digest as text: %w", err)
	}
	return Message{Subject: data.Subject, Text: text.String(), HTML: html.String(), Headers: map[string]string{
		"List-Id":               "Research digests <digests." + hostOf(d.HomeURL) + ">", // RFC 2919
		"List-Unsubscribe":      "<" + d.UnsubscribeURL + ">",                           // RFC 2369
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",                           // RFC 8058
	}}, nil
}

func (d Digest) subject() string {
	kind := "Daily digest"
	if d.Weekly {
		kind = "Weekly digest"
	}
	if summary := d.summary(); summary != "" {
		return kind + ": " + summary
	}
	return kind + ": what changed"
}

// summary is the most important in a few words: what an inbox shows beside the subject.
func (d Digest) summary() string {
	var moved, judge, verdicts, loose, read, failed, answers, added int
	for _, w := range d.Workspaces {
		for _, p := range w.Projects {
			// What is not listed is like the last that is: what moved comes first, and so do failures.
			for i, h := range p.Moved {
				n := 1
				if i == len(p.Moved)-1 {
					n += p.MoreMoved
				}
				if h.Supports+h.Contradicts+h.Withdrawn > 0 {
					moved += n
				} else {
					judge += n
				}
			}
			for i, one := range p.Imports {
				n := 1
				if i == len(p.Imports)-1 {
					n += p.MoreImports
				}
				if one.Parsed {
					read += n
				} else {
					failed += n
				}
			}
			verdicts += len(p.Verdicts) + p.MoreVerdicts
			loose += len(p.Loose) + p.MoreLoose
			answers += len(p.Answers) + p.MoreAnswers
			added += len(p.NewHypotheses) + p.MoreNewHypotheses
		}
	}
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{moved, "hypothesis moved", "hypotheses moved"}, {verdicts, "verdict", "verdicts"}, {judge, "hypothesis with quotes to judge", "hypotheses with quotes to judge"},
		{failed, "interview failed", "interviews failed"}, {read, "interview read", "interviews read"}, {answers, "question answered", "questions answered"},
		{loose, "new quote", "new quotes"}, {added, "new hypothesis", "new hypotheses"},
	} {
		if part.n > 0 && len(parts) < 3 {
			parts = append(parts, Plural(part.n, part.one, part.many))
		}
	}
	return strings.Join(parts, ", ")
}

// Plural counts in words: "1 quote", "3 quotes".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shorten cuts a text between words. Line breaks become blanks, so that nothing that people typed looks like a part of the mail.
func shorten(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	runes := []rune(text)
	if len(runes) <= quoteRunes {
		return text
	}
	cut := string(runes[:quoteRunes])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:–-") + " …"
}

// hostOf is the name of the machine in a URL, for List-Id.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	return host
}
