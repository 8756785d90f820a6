package digest

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/activities/mail"
	"research/outcome"
)

// Input is what Compose needs for one digest of one member.
type Input struct {
	Weekly           bool
	Window           Window
	News             News
	PublicURL        string // links begin with it; without a slash at the end
	UnsubscribeToken string
}

// Compose returns the digest, and whether it is worth a mail: corrected wording and accepted quotes are part
// of a digest but no reason to send one.
func Compose(in Input) (digest mail.Digest, worthMail bool) {
	links := site(in.PublicURL)
	b := builder{links: links, projects: map[uuid.UUID]*project{}}
	b.addCounts(in.News.Counts)
	b.addComments(in.News.Comments)
	b.addChallenges(in.News.Challenges)
	b.addMoved(in.News.Moved, in.News.Quotes)
	b.addVerdicts(in.News.Verdicts)
	b.addImports(in.News.Imports)
	b.addAnswers(in.News.Answers)
	b.addAsked(in.News.Asked)
	b.addUnlinked(in.News.Unlinked)
	b.addHypotheses(in.News.Hypotheses)
	b.addThemes(in.News.Themes)
	return mail.Digest{
		Weekly:         in.Weekly,
		Period:         in.Window.Describe(),
		Workspaces:     b.build(),
		HomeURL:        links.home(),
		SettingsURL:    links.settings(),
		UnsubscribeURL: links.unsubscribe(in.UnsubscribeToken),
	}, b.worthMail
}

// A builder groups news by workspace and project.
type builder struct {
	links      site
	workspaces []*workspace
	projects   map[uuid.UUID]*project
	worthMail  bool
}

type workspace struct {
	mail.DigestWorkspace
	id       uuid.UUID
	projects []*project
}

type project struct {
	mail.DigestProject
	listed bool // at least one of its lists has an item
}

// build returns the workspaces and projects about which there is something to say, those that mention the
// recipient first, and then those with a verdict in doubt.
func (b *builder) build() []mail.DigestWorkspace {
	slices.SortStableFunc(b.workspaces, func(v, w *workspace) int { return w.urgency() - v.urgency() })
	var all []mail.DigestWorkspace
	for _, w := range b.workspaces {
		slices.SortStableFunc(w.projects, func(p, q *project) int { return q.urgency() - p.urgency() })
		for _, p := range w.projects {
			if p.listed || len(p.Also) > 0 {
				w.Projects = append(w.Projects, p.DigestProject)
			}
		}
		if len(w.Projects) > 0 || len(w.Also) > 0 {
			all = append(all, w.DigestWorkspace)
		}
	}
	return all
}

// urgency is 2 if the recipient is mentioned, 1 if a verdict is in doubt, and 0 otherwise.
func (p *project) urgency() int {
	if len(p.Mentions) > 0 {
		return 2
	}
	return min(1, len(p.Challenges))
}

func (w *workspace) urgency() (n int) {
	for _, p := range w.projects {
		n = max(n, p.urgency())
	}
	return n
}

// addCounts adds the workspaces and projects with activity, and the counts. It must run first: other methods
// ignore projects without a count.
func (b *builder) addCounts(counts []Count) {
	for _, c := range counts {
		w := b.ensureWorkspace(c.WorkspaceID, c.WorkspaceName)
		also := &w.Also
		if c.ProjectID != nil {
			also = &b.ensureProject(w, *c.ProjectID, c.ProjectName).Also
		}
		if text, isNews := describeCount(c); text != "" {
			*also = append(*also, text)
			b.worthMail = b.worthMail || isNews
		}
	}
}

func (b *builder) ensureWorkspace(id uuid.UUID, name string) *workspace {
	i := slices.IndexFunc(b.workspaces, func(w *workspace) bool { return w.id == id })
	if i >= 0 {
		return b.workspaces[i]
	}
	w := &workspace{id: id, DigestWorkspace: mail.DigestWorkspace{Name: name}}
	b.workspaces = append(b.workspaces, w)
	return w
}

func (b *builder) ensureProject(w *workspace, id uuid.UUID, name string) *project {
	if p := b.projects[id]; p != nil {
		return p
	}
	p := &project{DigestProject: mail.DigestProject{
		Name: name, URL: b.links.project(id), URLs: b.links.lists(id),
	}}
	b.projects[id] = p
	w.projects = append(w.projects, p)
	return p
}

// describeCount describes a count, and reports whether it justifies a mail by itself. It returns "" for items
// that the lists show in detail.
func describeCount(c Count) (text string, isNews bool) {
	n := int(c.Things)
	switch c.EntityType + " " + c.Verb {
	case "project created":
		return "the project is new", true
	case "question created":
		return mail.Plural(n, "new question", "new questions"), true
	case "persona created":
		return mail.Plural(n, "new persona", "new personas"), true
	case "member created":
		return mail.Plural(n, "new member", "new members"), true
	case "evidence rejected":
		return mail.Plural(n, "quote rejected", "quotes rejected"), true
	case "evidence accepted":
		return mail.Plural(n, "quote accepted", "quotes accepted"), false
	case "hypothesis updated":
		return mail.Plural(n, "hypothesis reworded", "hypotheses reworded"), false
	}
	return "", false
}

// listedProject returns the project of an item of a list, or nil if it has no count. Such an item is worth a
// mail.
func (b *builder) listedProject(projectID uuid.UUID) *project {
	p := b.projects[projectID]
	if p != nil {
		p.listed, b.worthMail = true, true
	}
	return p
}

// addChallenges adds verdicts in doubt, also of projects without a count: a role that is corrected is no
// activity.
func (b *builder) addChallenges(challenges []Challenge) {
	for _, c := range challenges {
		b.ensureProject(b.ensureWorkspace(c.WorkspaceID, c.WorkspaceName), c.ProjectID, c.ProjectName)
		p := b.listedProject(c.ProjectID)
		p.Challenges = append(p.Challenges, mail.DigestChallenge{
			Statement:   c.Statement,
			URL:         b.links.hypothesis(c.ProjectID, c.ID),
			Status:      c.Status,
			Against:     int(c.Against),
			ReopenAfter: int(c.ReopenAfter),
			WrongIf:     c.FalsifiedIf,
			ByYou:       c.ByRecipient,
			By:          c.DecidedBy,
		})
		p.Reopened = int(c.Reopened)
		p.MoreChallenges = int(c.Total) - len(p.Challenges)
	}
}

// addComments adds comments, also of projects without a count: who follows what they are about depends on the
// recipient.
func (b *builder) addComments(comments []Comment) {
	for _, c := range comments {
		b.ensureProject(b.ensureWorkspace(c.WorkspaceID, c.WorkspaceName), c.ProjectID, c.ProjectName)
		p := b.listedProject(c.ProjectID)
		comment := mail.DigestComment{By: c.Author, Text: c.Body, Quote: c.Quote, Theme: c.Theme}
		switch {
		case c.ThemeID != nil:
			comment.URL = b.links.theme(c.ProjectID, *c.ThemeID)
		case c.ImportID != nil && c.EvidenceID != nil:
			comment.URL = b.links.evidence(*c.ImportID, *c.EvidenceID)
		default:
			comment.URL = p.URLs.Evidence
		}
		list, more := &p.Comments, &p.MoreComments
		if c.IsMention {
			list, more = &p.Mentions, &p.MoreMentions
		}
		*list = append(*list, comment)
		*more = int(c.Total) - len(*list)
	}
}

// addThemes adds themes, also of projects without a count: that a theme gets a quote is no activity.
func (b *builder) addThemes(themes []Theme) {
	for _, t := range themes {
		b.ensureProject(b.ensureWorkspace(t.WorkspaceID, t.WorkspaceName), t.ProjectID, t.ProjectName)
		p := b.listedProject(t.ProjectID)
		p.Themes = append(p.Themes, mail.DigestTheme{
			Name: t.Name, URL: b.links.theme(t.ProjectID, t.ID), New: t.IsNew, Proposed: t.IsProposed,
			By: t.Actor, People: int(t.People), Quotes: int(t.Quotes),
		})
		p.MoreThemes = int(t.Total) - len(p.Themes)
	}
}

func (b *builder) addMoved(hypotheses []MovedHypothesis, quotes []HypothesisQuote) {
	of := map[uuid.UUID][]mail.DigestQuote{}
	for _, q := range quotes {
		quote := b.quote(q.Quote)
		quote.Stance = string(q.Stance)
		of[q.HypothesisID] = append(of[q.HypothesisID], quote)
	}
	for _, h := range hypotheses {
		p := b.listedProject(h.ProjectID)
		if p == nil {
			continue
		}
		moved := mail.DigestHypothesis{
			Statement:      h.Statement,
			URL:            b.links.hypothesis(h.ProjectID, h.HypothesisID),
			Supports:       int(h.Supports),
			Contradicts:    int(h.Contradicts),
			Neutral:        int(h.Neutral),
			Withdrawn:      int(h.Withdrawn),
			AllSupports:    int(h.AllSupports),
			AllContradicts: int(h.AllContradicts),
			AllQuotes:      int(h.AllQuotes),
			Accepted:       int(h.Accepted),
			Quotes:         of[h.HypothesisID],
		}
		moved.MoreQuotes = moved.Supports + moved.Contradicts + moved.Neutral - len(moved.Quotes)
		p.Moved = append(p.Moved, moved)
		p.MoreMoved = int(h.Total) - len(p.Moved)
	}
}

func (b *builder) addVerdicts(verdicts []Verdict) {
	for _, v := range verdicts {
		if p := b.listedProject(v.ProjectID); p != nil {
			p.Verdicts = append(p.Verdicts, mail.DigestVerdict{
				Statement: v.Statement,
				URL:       b.links.hypothesis(v.ProjectID, v.ID),
				Before:    v.Before,
				After:     v.After,
				Reason:    v.DecisionReason,
				By:        v.Actor,
			})
			p.MoreVerdicts = int(v.Total) - len(p.Verdicts)
		}
	}
}

func (b *builder) addImports(imports []EndedImport) {
	for _, i := range imports {
		if p := b.listedProject(i.ProjectID); p != nil {
			p.Imports = append(p.Imports, b.interview(i))
			p.MoreImports = int(i.Total) - len(p.Imports)
		}
	}
}

func (b *builder) interview(i EndedImport) mail.DigestImport {
	interview := mail.DigestImport{
		Title:    i.Title,
		URL:      b.links.interview(i.ID),
		Parsed:   outcome.Status(i.Verb) == outcome.StatusParsed,
		Evidence: int(i.EvidenceCount),
		Problem:  i.ErrorMessage,
	}
	if interview.Parsed {
		interview.Unread = int((1-i.Coverage)*100 + 0.5)
	} else if interview.Problem == "" { // it has been parsed again since
		interview.Problem = describeEnd(outcome.Status(i.Verb))
	}
	return interview
}

func describeEnd(status outcome.Status) string {
	switch status {
	case outcome.StatusTimedOut:
		return "reading it took too long"
	case outcome.StatusTerminated:
		return "an operator ended it"
	}
	return "reading it failed"
}

func (b *builder) addAnswers(questions []AnsweredQuestion) {
	for _, q := range questions {
		if p := b.listedProject(q.ProjectID); p != nil {
			p.Answers = append(p.Answers, mail.DigestAnswer{
				Question: q.Text, By: q.Actor, Quote: q.Quote, Speaker: q.Speaker, Unconfirmed: q.Unconfirmed,
				Asked: q.Asked,
			})
			p.MoreAnswers = int(q.Total) - len(p.Answers)
		}
	}
}

func (b *builder) addAsked(answers []FinishedAnswer) {
	for _, a := range answers {
		if p := b.listedProject(a.ProjectID); p != nil {
			p.Asked = append(p.Asked, mail.DigestAsked{
				Question: a.Question, URL: b.links.answer(a.ProjectID, a.ID), By: a.Actor,
				Outcome: describeAnswer(a),
			})
			p.MoreAsked = int(a.Total) - len(p.Asked)
		}
	}
}

func describeAnswer(a FinishedAnswer) string {
	by := ""
	if a.People > 0 {
		by = " by " + mail.Plural(int(a.People), "person", "people")
	}
	switch a.Result {
	case "answered":
		return "answered" + by
	case "partly":
		return "answered in part" + by
	case "not_answered":
		return "not answered by the interviews"
	case "not_found":
		return "no answer found"
	}
	return "passages with its words found"
}

func (b *builder) addUnlinked(quotes []UnlinkedQuote) {
	for _, q := range quotes {
		if p := b.listedProject(q.ProjectID); p != nil {
			p.Loose = append(p.Loose, b.quote(q.Quote))
			p.MoreLoose = int(q.Total) - len(p.Loose)
		}
	}
}

func (b *builder) addHypotheses(hypotheses []NewHypothesis) {
	for _, h := range hypotheses {
		if p := b.listedProject(h.ProjectID); p != nil {
			p.NewHypotheses = append(p.NewHypotheses, mail.DigestItem{
				Text: h.Statement, URL: b.links.hypothesis(h.ProjectID, h.ID), By: h.Actor,
			})
			p.MoreNewHypotheses = int(h.Total) - len(p.NewHypotheses)
		}
	}
}

func (b *builder) quote(q Quote) mail.DigestQuote {
	quote := mail.DigestQuote{
		Quote: q.Text, Speaker: q.Speaker, Unconfirmed: q.Unconfirmed, Source: q.ImportTitle,
		KeywordMatch: q.KeywordMatch, Asked: q.Asked,
	}
	if q.StartMs != nil {
		quote.At = timecode(time.Duration(*q.StartMs) * time.Millisecond)
	}
	if q.ImportID != nil {
		quote.URL = b.links.evidence(*q.ImportID, q.EvidenceID)
	}
	return quote
}

// timecode writes a position in a recording as 1:02:03 or 2:03.
func timecode(at time.Duration) string {
	seconds := int(at.Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}
