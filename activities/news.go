package activities

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"research/activities/mail"
	"research/db"
)

const (
	// groupSize is how many of a group a digest lists; the rest is a number and a link.
	groupSize = 5
	// quotesPerHypothesis: the strongest of each side.
	quotesPerHypothesis = 2
)

// A newsreader reads what one recipient may be told, by queries that run as that recipient.
type newsreader struct {
	q            *db.Queries
	since, until time.Time
	base         string // PUBLIC_URL
}

// newsProject is a project of the digest that is being written.
type newsProject struct {
	mail.DigestProject
	worth bool
}

// read gathers the news of a window. It tells whether they are worth a mail: what is only counted under "also" may not be.
func (n newsreader) read(ctx context.Context) ([]mail.DigestWorkspace, bool, error) {
	counts, err := n.q.CountNews(ctx, db.CountNewsParams{Since: n.since, Until: n.until})
	if err != nil {
		return nil, false, fmt.Errorf("count the news: %w", err)
	}
	worth := false
	kinds := map[string]bool{}
	projects := map[uuid.UUID]*newsProject{}
	type workspace struct {
		mail.DigestWorkspace
		id       uuid.UUID
		projects []uuid.UUID
	}
	var workspaces []*workspace
	for _, c := range counts {
		if len(workspaces) == 0 || workspaces[len(workspaces)-1].id != c.WorkspaceID {
			workspaces = append(workspaces, &workspace{id: c.WorkspaceID, DigestWorkspace: mail.DigestWorkspace{Name: c.WorkspaceName}})
		}
		w := workspaces[len(workspaces)-1]
		kinds[c.EntityType+" "+c.Verb] = true
		also, isNews := alsoNews(c)
		if c.ProjectID == nil {
			if also != "" {
				w.Also = append(w.Also, also)
				worth = worth || isNews
			}
			continue
		}
		p := projects[*c.ProjectID]
		if p == nil {
			p = &newsProject{DigestProject: n.project(*c.ProjectID, c.ProjectName)}
			projects[*c.ProjectID] = p
			w.projects = append(w.projects, *c.ProjectID)
		}
		if also != "" {
			p.Also = append(p.Also, also)
			p.worth = p.worth || isNews
		}
	}
	if err := n.fill(ctx, kinds, projects); err != nil {
		return nil, false, err
	}
	var told []mail.DigestWorkspace
	for _, w := range workspaces {
		for _, id := range w.projects {
			p := projects[id]
			if p.worth || len(p.Also) > 0 {
				w.Projects = append(w.Projects, p.DigestProject)
				worth = worth || p.worth
			}
		}
		if len(w.Projects) > 0 || len(w.Also) > 0 {
			told = append(told, w.DigestWorkspace)
		}
	}
	return told, worth, nil
}

func (n newsreader) project(id uuid.UUID, name string) mail.DigestProject {
	url := n.base + "/projects/" + id.String()
	return mail.DigestProject{Name: name, URL: url,
		URLs: mail.DigestURLs{Hypotheses: url, Evidence: url + "/evidence", Interviews: url + "/interviews", Questions: url + "/questions"}}
}

// alsoNews says what is only counted, and whether it is worth a mail by itself.
func alsoNews(c db.CountNewsRow) (text string, isNews bool) {
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

// fill reads the lists of those kinds of news that there are.
func (n newsreader) fill(ctx context.Context, kinds map[string]bool, projects map[uuid.UUID]*newsProject) error {
	any := func(wanted ...string) bool {
		return slices.ContainsFunc(wanted, func(kind string) bool { return kinds[kind] })
	}
	steps := []struct {
		needed bool
		read   func(context.Context, map[uuid.UUID]*newsProject) error
	}{
		{any("evidence created", "evidence rejected"), n.moved},
		{any("evidence created"), n.loose},
		{any("hypothesis status_changed"), n.verdicts},
		{any("import parsed", "import failed", "import timed_out", "import terminated"), n.imports},
		{any("question status_changed", "question created"), n.answers},
		{any("hypothesis created"), n.newHypotheses},
	}
	for _, step := range steps {
		if !step.needed {
			continue
		}
		if err := step.read(ctx, projects); err != nil {
			return err
		}
	}
	return nil
}

func (n newsreader) hypothesisURL(project, hypothesis uuid.UUID) string {
	return n.base + "/projects/" + project.String() + "/evidence?h=" + hypothesis.String()
}

func (n newsreader) moved(ctx context.Context, projects map[uuid.UUID]*newsProject) error {
	rows, err := n.q.ListMovedHypotheses(ctx, db.ListMovedHypothesesParams{Since: n.since, Until: n.until, Size: groupSize})
	if err != nil {
		return fmt.Errorf("list moved hypotheses: %w", err)
	}
	if len(rows) == 0 {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, r := range rows {
		ids[i] = r.HypothesisID
	}
	found, err := n.q.ListNewQuotes(ctx, db.ListNewQuotesParams{Since: n.since, Until: n.until, Hypotheses: ids, Size: quotesPerHypothesis})
	if err != nil {
		return fmt.Errorf("list new quotes: %w", err)
	}
	quotes := map[uuid.UUID][]mail.DigestQuote{}
	for _, r := range found {
		quotes[r.HypothesisID] = append(quotes[r.HypothesisID], n.quote(r.Stance, r.ID, r.Quote, r.Speaker, r.StartMs, r.Origin, r.ImportID, r.ImportTitle))
	}
	for _, r := range rows {
		p := projects[r.ProjectID]
		if p == nil {
			continue
		}
		p.worth = true
		h := mail.DigestHypothesis{
			Statement: r.Statement, URL: n.hypothesisURL(r.ProjectID, r.HypothesisID), Supports: int(r.Supports), Contradicts: int(r.Contradicts), Neutral: int(r.Neutral),
			Withdrawn: int(r.Withdrawn), AllSupports: int(r.AllSupports), AllContradicts: int(r.AllContradicts), Quotes: quotes[r.HypothesisID],
		}
		h.MoreQuotes = h.Supports + h.Contradicts + h.Neutral - len(h.Quotes)
		p.Moved = append(p.Moved, h)
		p.MoreMoved = int(r.Total) - len(p.Moved)
	}
	return nil
}

func (n newsreader) quote(stance db.EvidenceStance, id uuid.UUID, quote, speaker string, startMs *int64, origin db.EvidenceOrigin, source *uuid.UUID, title string) mail.DigestQuote {
	q := mail.DigestQuote{Stance: string(stance), Quote: quote, Speaker: speaker, Source: title, KeywordMatch: origin == db.EvidenceOriginKeyword}
	if startMs != nil {
		q.At = timecode(time.Duration(*startMs) * time.Millisecond)
	}
	if source != nil {
		q.URL = n.base + "/imports/" + source.String() + "?e=" + id.String()
	}
	return q
}

// timecode is a place in a recording: 1:02:03, 2:03.
func timecode(at time.Duration) string {
	seconds := int(at.Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

func (n newsreader) loose(ctx context.Context, projects map[uuid.UUID]*newsProject) error {
	rows, err := n.q.ListLooseEvidence(ctx, db.ListLooseEvidenceParams{Since: n.since, Until: n.until, Size: groupSize})
	if err != nil {
		return fmt.Errorf("list evidence without a hypothesis: %w", err)
	}
	for _, r := range rows {
		if p := projects[r.ProjectID]; p != nil {
			p.worth = true
			p.Loose = append(p.Loose, n.quote("", r.ID, r.Quote, r.Speaker, r.StartMs, r.Origin, r.ImportID, r.ImportTitle))
			p.MoreLoose = int(r.Total) - len(p.Loose)
		}
	}
	return nil
}

func (n newsreader) verdicts(ctx context.Context, projects map[uuid.UUID]*newsProject) error {
	rows, err := n.q.ListVerdicts(ctx, db.ListVerdictsParams{Since: n.since, Until: n.until, Size: groupSize})
	if err != nil {
		return fmt.Errorf("list verdicts: %w", err)
	}
	for _, r := range rows {
		if p := projects[r.ProjectID]; p != nil {
			p.worth = true
			p.Verdicts = append(p.Verdicts, mail.DigestVerdict{Statement: r.Statement, URL: n.hypothesisURL(r.ProjectID, r.ID), Before: r.Before, After: r.After, Reason: r.DecisionReason, By: r.Actor})
			p.MoreVerdicts = int(r.Total) - len(p.Verdicts)
		}
	}
	return nil
}

func (n newsreader) imports(ctx context.Context, projects map[uuid.UUID]*newsProject) error {
	rows, err := n.q.ListEndedImports(ctx, db.ListEndedImportsParams{Since: n.since, Until: n.until, Size: groupSize})
	if err != nil {
		return fmt.Errorf("list ended imports: %w", err)
	}
	for _, r := range rows {
		p := projects[r.ProjectID]
		if p == nil {
			continue
		}
		p.worth = true
		one := mail.DigestImport{Title: r.Title, URL: n.base + "/imports/" + r.ID.String(), Parsed: r.Verb == "parsed", Evidence: int(r.EvidenceCount), Problem: r.ErrorMessage}
		if one.Parsed {
			one.Unread = int((1-r.Coverage)*100 + 0.5)
		} else if one.Problem == "" { // it was parsed again meanwhile
			one.Problem = map[string]string{"timed_out": "reading it took too long", "terminated": "an operator ended it"}[r.Verb]
			if one.Problem == "" {
				one.Problem = "reading it failed"
			}
		}
		p.Imports = append(p.Imports, one)
		p.MoreImports = int(r.Total) - len(p.Imports)
	}
	return nil
}

func (n newsreader) answers(ctx context.Context, projects map[uuid.UUID]*newsProject) error {
	rows, err := n.q.ListAnsweredQuestions(ctx, db.ListAnsweredQuestionsParams{Since: n.since, Until: n.until, Size: groupSize})
	if err != nil {
		return fmt.Errorf("list answered questions: %w", err)
	}
	for _, r := range rows {
		if p := projects[r.ProjectID]; p != nil {
			p.worth = true
			p.Answers = append(p.Answers, mail.DigestAnswer{Question: r.Text, By: r.Actor, Quote: r.Quote, Speaker: r.Speaker})
			p.MoreAnswers = int(r.Total) - len(p.Answers)
		}
	}
	return nil
}

func (n newsreader) newHypotheses(ctx context.Context, projects map[uuid.UUID]*newsProject) error {
	rows, err := n.q.ListNewHypotheses(ctx, db.ListNewHypothesesParams{Since: n.since, Until: n.until, Size: groupSize})
	if err != nil {
		return fmt.Errorf("list new hypotheses: %w", err)
	}
	for _, r := range rows {
		if p := projects[r.ProjectID]; p != nil {
			p.worth = true
			p.NewHypotheses = append(p.NewHypotheses, mail.DigestItem{Text: r.Statement, URL: n.hypothesisURL(r.ProjectID, r.ID), By: r.Actor})
			p.MoreNewHypotheses = int(r.Total) - len(p.NewHypotheses)
		}
	}
	return nil
}
