package mail

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"sort"
	"strings"
	texttemplate "text/template"
	"unicode"
)

// A Digest is the news of one period for one recipient. Its texts are untrusted: the templates escape them.
type Digest struct {
	Weekly bool
	Period string // in words, such as "Friday, 20 November 2026"

	Workspaces []DigestWorkspace

	HomeURL, SettingsURL, UnsubscribeURL string
}

// A DigestWorkspace is the news of one workspace.
type DigestWorkspace struct {
	Name     string
	Also     []string // news that are only counted, such as "2 new members"
	Projects []DigestProject
}

// A DigestProject is the news of one project. Its lists have the first few items, and More… the number of
// others.
type DigestProject struct {
	Name, URL string

	Mentions      []DigestComment   // first, as what somebody wants of the recipient
	Comments      []DigestComment   // on what the recipient made or commented on
	Challenges    []DigestChallenge // what may be wrong
	Reopened      int               // how many of the challenges and those left out are open again
	Moved         []DigestHypothesis
	Verdicts      []DigestVerdict
	Loose         []DigestQuote // new evidence without a hypothesis
	Imports       []DigestImport
	Answers       []DigestAnswer
	Asked         []DigestAsked
	NewHypotheses []DigestItem
	Themes        []DigestTheme

	MoreChallenges, MoreMoved, MoreVerdicts, MoreLoose, MoreImports, MoreAnswers, MoreAsked int
	MoreNewHypotheses, MoreMentions, MoreComments, MoreThemes                               int

	URLs DigestURLs
	Also []string
}

// DigestURLs are the addresses of a project's lists.
type DigestURLs struct{ Hypotheses, Evidence, Interviews, Questions, Answers, Themes string }

// A DigestChallenge is a verdict against which people have spoken since it was given.
type DigestChallenge struct {
	Statement, URL string
	Status         string // validated or invalidated
	Against        int    // people
	ReopenAfter    int    // how many people open it again
	WrongIf        string // may be empty
	ByYou          bool   // the recipient decided
	By             string // who decided; may be empty
}

// Reopened reports whether enough people have spoken against the verdict.
func (c DigestChallenge) Reopened() bool { return c.Against >= c.ReopenAfter }

// A DigestHypothesis is a hypothesis for which evidence was found or withdrawn.
type DigestHypothesis struct {
	Statement, URL string
	Supports       int // new supporting evidence
	Contradicts    int // new contradicting evidence
	Neutral        int // new evidence without a stance
	Withdrawn      int // rejected by a person
	AllSupports    int // all current evidence
	AllContradicts int
	AllQuotes      int // all current evidence, with what is neutral
	Accepted       int // how much of it people have accepted
	Quotes         []DigestQuote
	MoreQuotes     int
}

// A DigestQuote is a piece of evidence.
type DigestQuote struct {
	Stance       string // supports, contradicts or neutral; empty without a hypothesis
	Quote        string
	Speaker      string // may be empty
	Unconfirmed  bool   // it is doubtful who says it, and nobody has confirmed it
	Asked        string // hypothetical or leading if it answers such a question; otherwise empty
	At           string // such as 12:34; may be empty
	Source       string // the import's title; may be empty
	URL          string
	KeywordMatch bool // found by keywords, not judged by a model or a person
}

// A DigestVerdict is a status that a person set on a hypothesis.
type DigestVerdict struct{ Statement, URL, Before, After, Reason, By string }

// A DigestImport is an interview that was parsed or failed.
type DigestImport struct {
	Title, URL string
	Parsed     bool
	Evidence   int
	Unread     int    // part of the transcript, in percent
	Problem    string // why it was not parsed
}

// A DigestAnswer is a question that was answered.
type DigestAnswer struct {
	Question, By, Quote, Speaker string
	Unconfirmed                  bool   // as that of a quote
	Asked                        string // as that of a quote
}

// A DigestAsked is a question that somebody asked over the interviews.
type DigestAsked struct {
	Question, URL string
	By            string // may be empty
	Outcome       string // such as "answered by 7 people"
}

// A DigestComment is a comment on a quote or on a theme.
type DigestComment struct {
	By           string // may be empty
	Quote, Theme string // what it is about; one of them is empty
	Text, URL    string
}

// A DigestTheme is a theme that is new, or got quotes.
type DigestTheme struct {
	Name, URL      string
	New, Proposed  bool   // Proposed by a model
	By             string // who added it; may be empty
	People, Quotes int    // of its new quotes
}

// A DigestItem is a text and its author.
type DigestItem struct{ Text, URL, By string }

// maxQuoteRunes is the length of a quote that is still readable on a phone.
const maxQuoteRunes = 260

var digestFuncs = template.FuncMap{
	"short":  shorten,
	"plural": Plural,
	"more":   func(n int, url string) moreLink { return moreLink{n, url} },
	"stance": stanceLabel,
}

// A moreLink is the data of the template "more".
type moreLink struct {
	N   int
	URL string
}

// stanceLabel returns the words for a stance, or "" without one.
func stanceLabel(stance string) string {
	switch stance {
	case "supports", "contradicts":
		return stance
	case "neutral":
		return "to judge"
	}
	return ""
}

var (
	digestHTML = template.Must(
		template.New("digest.html").Funcs(digestFuncs).ParseFS(templates, "templates/digest.html"))
	digestText = texttemplate.Must(
		texttemplate.New("digest.txt").Funcs(digestFuncs).ParseFS(templates, "templates/digest.txt"))
)

// maxDigestHTML is the size of a digest in bytes of HTML. Gmail hides what follows 102 KB behind a link
// (https://github.com/hteumeuleu/email-bugs/issues/41), the last paragraph among it.
const maxDigestHTML = 90_000

// digestData is what the templates of a digest render.
type digestData struct {
	Digest
	Subject, Summary string
	More             string // what the mail leaves out, such as "14 more projects"
}

// Message renders the mail. If it exceeds maxDigestHTML, each list has one item and the number of the others,
// and if that is too much as well, the last projects are only counted. The caller sets the recipient and the
// ID.
func (d Digest) Message() (Message, error) {
	data := digestData{Digest: d, Subject: d.subject(), Summary: d.summary()}
	var html, text bytes.Buffer
	fits := func(data digestData) (bool, error) {
		html.Reset()
		err := digestHTML.Execute(&html, data)
		return html.Len() <= maxDigestHTML, err
	}
	whole, err := fits(data)
	if !whole && err == nil {
		data.Workspaces = briefly(data.Workspaces)
		parts := sort.Search(d.parts(), func(n int) bool {
			fit, searchErr := fits(data.first(n + 1))
			err = errors.Join(err, searchErr)
			return !fit
		})
		data = data.first(parts)
		_, renderErr := fits(data)
		err = errors.Join(err, renderErr)
	}
	if err != nil {
		return Message{}, fmt.Errorf("render the digest as HTML: %w", err)
	}
	if err := digestText.Execute(&text, data); err != nil {
		return Message{}, fmt.Errorf("render the digest as text: %w", err)
	}
	return Message{Subject: data.Subject, Text: text.String(), HTML: html.String(), Headers: map[string]string{
		"List-Id":               "Research digests <digests." + hostOf(d.HomeURL) + ">", // RFC 2919
		"List-Unsubscribe":      "<" + d.UnsubscribeURL + ">",                           // RFC 2369
		"List-Unsubscribe-Post": "List-Unsubscribe=One-Click",                           // RFC 8058
	}}, nil
}

// briefly returns the workspaces with one item in each list of their projects.
func briefly(workspaces []DigestWorkspace) []DigestWorkspace {
	brief := slices.Clone(workspaces)
	for i := range brief {
		brief[i].Projects = slices.Clone(brief[i].Projects)
		for j := range brief[i].Projects {
			p := &brief[i].Projects[j]
			p.Mentions = one(p.Mentions, &p.MoreMentions)
			p.Comments = one(p.Comments, &p.MoreComments)
			p.Challenges = one(p.Challenges, &p.MoreChallenges)
			p.Moved = one(p.Moved, &p.MoreMoved)
			p.Verdicts = one(p.Verdicts, &p.MoreVerdicts)
			p.Loose = one(p.Loose, &p.MoreLoose)
			p.Imports = one(p.Imports, &p.MoreImports)
			p.Answers = one(p.Answers, &p.MoreAnswers)
			p.Asked = one(p.Asked, &p.MoreAsked)
			p.NewHypotheses = one(p.NewHypotheses, &p.MoreNewHypotheses)
			p.Themes = one(p.Themes, &p.MoreThemes)
		}
	}
	return brief
}

// one returns the first item of a list, and adds the others to those that are only counted.
func one[T any](list []T, more *int) []T {
	if len(list) < 2 {
		return list
	}
	*more += len(list) - 1
	return list[:1]
}

// parts is the number of projects with news, and of workspaces with news that belong to no project.
func (d Digest) parts() (n int) {
	for _, w := range d.Workspaces {
		n += len(w.Projects)
		if len(w.Also) > 0 {
			n++
		}
	}
	return n
}

// first returns the digest of the first n parts. The others are counted.
func (data digestData) first(n int) digestData {
	var kept []DigestWorkspace
	projects, workspaces := 0, 0
	for _, w := range data.Workspaces {
		some := min(n, len(w.Projects))
		n -= some
		projects += len(w.Projects) - some
		w.Projects = w.Projects[:some]
		if len(w.Also) > 0 {
			if n > 0 {
				n--
			} else {
				workspaces++
				w.Also = nil
			}
		}
		if len(w.Projects)+len(w.Also) > 0 {
			kept = append(kept, w)
		}
	}
	data.Workspaces = kept
	var left []string
	if projects > 0 {
		left = append(left, Plural(projects, "more project", "more projects"))
	}
	if workspaces > 0 {
		left = append(left, "news of "+Plural(workspaces, "workspace", "workspaces"))
	}
	data.More = strings.Join(left, ", and ")
	return data
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

// summary returns the most important news in a few words, which inboxes show beside the subject.
func (d Digest) summary() string {
	var c digestCounts
	for _, w := range d.Workspaces {
		for _, p := range w.Projects {
			c.add(p)
		}
	}
	var parts []string
	for _, part := range []struct {
		n         int
		one, many string
	}{
		{c.mentions, "mention of you", "mentions of you"},
		{c.reopened, "decision open again", "decisions open again"},
		{c.doubted, "decision in doubt", "decisions in doubt"},
		{c.moved, "hypothesis moved", "hypotheses moved"},
		{c.verdicts, "verdict", "verdicts"},
		{c.toJudge, "hypothesis with quotes to judge", "hypotheses with quotes to judge"},
		{c.failed, "interview failed", "interviews failed"},
		{c.read, "interview read", "interviews read"},
		{c.answers, "question answered", "questions answered"},
		{c.asked, "question asked of the interviews", "questions asked of the interviews"},
		{c.loose, "new quote", "new quotes"},
		{c.added, "new hypothesis", "new hypotheses"},
		{c.comments, "comment", "comments"},
		{c.themes, "theme with news", "themes with news"},
	} {
		if part.n > 0 && len(parts) < 3 {
			parts = append(parts, Plural(part.n, part.one, part.many))
		}
	}
	return strings.Join(parts, ", ")
}

// digestCounts counts the news for the summary.
type digestCounts struct {
	reopened, doubted, moved, toJudge, verdicts, loose, read, failed, answers, asked, added int

	mentions, comments, themes int
}

// add counts the news of a project. Hypotheses and interviews that are not listed count as the last listed
// one: the lists begin with hypotheses that moved, and with interviews that failed.
func (c *digestCounts) add(p DigestProject) {
	c.reopened += p.Reopened
	c.doubted += len(p.Challenges) + p.MoreChallenges - p.Reopened
	for i, h := range p.Moved {
		n := 1
		if i == len(p.Moved)-1 {
			n += p.MoreMoved
		}
		if h.Supports+h.Contradicts+h.Withdrawn > 0 {
			c.moved += n
		} else {
			c.toJudge += n
		}
	}
	for i, imported := range p.Imports {
		n := 1
		if i == len(p.Imports)-1 {
			n += p.MoreImports
		}
		if imported.Parsed {
			c.read += n
		} else {
			c.failed += n
		}
	}
	c.verdicts += len(p.Verdicts) + p.MoreVerdicts
	c.loose += len(p.Loose) + p.MoreLoose
	c.answers += len(p.Answers) + p.MoreAnswers
	c.asked += len(p.Asked) + p.MoreAsked
	c.added += len(p.NewHypotheses) + p.MoreNewHypotheses
	c.mentions += len(p.Mentions) + p.MoreMentions
	c.comments += len(p.Comments) + p.MoreComments
	c.themes += len(p.Themes) + p.MoreThemes
}

// Plural returns a number with its noun: "1 quote", "3 quotes".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shorten cuts a text between words. Line breaks become spaces, so that no text looks like a part of the
// mail.
func shorten(text string) string {
	isSeparator := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
	text = strings.Join(strings.FieldsFunc(text, isSeparator), " ")
	runes := []rune(text)
	if len(runes) <= maxQuoteRunes {
		return text
	}
	cut := string(runes[:maxQuoteRunes])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:–-") + " …"
}

// hostOf returns the host of a URL.
func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, ":")
	return host
}
