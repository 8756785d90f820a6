package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"research/activities/digest"
	"research/db"
	"research/outcome"
)

// readNews reads what happened in a window as the user, so that row-level security applies, in one
// transaction.
func readNews(
	ctx context.Context, store *db.Store, user uuid.UUID, since, until time.Time,
) (digest.News, error) {
	return db.AsUser(ctx, store, db.User(user), func(q *db.Queries) (digest.News, error) {
		counts, err := q.CountNews(ctx, db.CountNewsParams{Since: since, Until: until})
		if err != nil {
			return digest.News{}, fmt.Errorf("count the news: %w", err)
		}
		r := newsReader{q: q, window: newsWindow{Size: digest.ListSize, Since: since, Until: until}}
		for _, row := range counts {
			r.news.Counts = append(r.news.Counts, digest.Count(row))
		}
		err = r.readLists(ctx)
		return r.news, err
	})
}

// A newsReader reads the lists of one digest.
type newsReader struct {
	q      *db.Queries
	window newsWindow
	news   digest.News
}

// newsWindow has the parameters of every query for a list.
type newsWindow struct {
	Size         int32
	Since, Until time.Time
}

// readLists reads the lists for which something was counted. Not all that puts a verdict in doubt is
// activity, nor is a quote that a theme gets; and comments count for those whom they concern.
func (r *newsReader) readLists(ctx context.Context) error {
	for _, list := range []struct {
		needed bool
		what   string
		read   func(context.Context) error
	}{
		{true, "comments", r.readComments},
		{true, "challenged verdicts", r.readChallenges},
		{r.news.Has("evidence", "created", "rejected"), "moved hypotheses", r.readMoved},
		{r.news.Has("evidence", "created"), "evidence without a hypothesis", r.readUnlinked},
		{r.news.Has("hypothesis", "status_changed"), "verdicts", r.readVerdicts},
		{r.news.Has("import", "parsed", "failed", "timed_out", "terminated"), "ended imports", r.readImports},
		{r.news.Has("question", "status_changed", "created"), "answered questions", r.readAnswers},
		{r.news.Has("answer", "finished"), "finished answers", r.readAsked},
		{r.news.Has("hypothesis", "created"), "new hypotheses", r.readHypotheses},
		{true, "news of themes", r.readThemes},
	} {
		if !list.needed {
			continue
		}
		if err := list.read(ctx); err != nil {
			return fmt.Errorf("list %s: %w", list.what, err)
		}
	}
	return nil
}

func (r *newsReader) readComments(ctx context.Context) error {
	rows, err := r.q.ListNewComments(ctx, db.ListNewCommentsParams(r.window))
	for _, row := range rows {
		r.news.Comments = append(r.news.Comments, digest.Comment(row))
	}
	return err
}

func (r *newsReader) readThemes(ctx context.Context) error {
	rows, err := r.q.ListThemeNews(ctx, db.ListThemeNewsParams(r.window))
	for _, row := range rows {
		r.news.Themes = append(r.news.Themes, digest.Theme(row))
	}
	return err
}

func (r *newsReader) readChallenges(ctx context.Context) error {
	rows, err := r.q.ListChallenges(ctx, db.ListChallengesParams(r.window))
	for _, row := range rows {
		r.news.Challenges = append(r.news.Challenges, digest.Challenge(row))
	}
	return err
}

func (r *newsReader) readMoved(ctx context.Context) error {
	hypotheses, err := r.q.ListMovedHypotheses(ctx, db.ListMovedHypothesesParams(r.window))
	if err != nil || len(hypotheses) == 0 {
		return err
	}
	ids := make([]uuid.UUID, len(hypotheses))
	for i, row := range hypotheses {
		ids[i] = row.HypothesisID
		r.news.Moved = append(r.news.Moved, digest.MovedHypothesis(row))
	}
	quotes, err := r.q.ListNewQuotes(ctx, db.ListNewQuotesParams{
		Since: r.window.Since, Until: r.window.Until, Hypotheses: ids, Size: digest.QuotesPerHypothesis,
	})
	for _, row := range quotes {
		r.news.Quotes = append(r.news.Quotes, digest.HypothesisQuote{
			HypothesisID: row.HypothesisID,
			Stance:       outcome.Stance(row.Stance),
			Quote: digest.Quote{
				EvidenceID:   row.ID,
				Text:         row.Quote,
				Speaker:      row.Speaker,
				Unconfirmed:  !row.SpeakerConfirmed,
				Asked:        row.AskedKind,
				StartMs:      row.StartMs,
				KeywordMatch: row.Origin == db.EvidenceOriginKeyword,
				ImportID:     row.ImportID,
				ImportTitle:  row.ImportTitle,
			},
		})
	}
	return err
}

func (r *newsReader) readUnlinked(ctx context.Context) error {
	rows, err := r.q.ListUnlinkedEvidence(ctx, db.ListUnlinkedEvidenceParams(r.window))
	for _, row := range rows {
		r.news.Unlinked = append(r.news.Unlinked, digest.UnlinkedQuote{
			ProjectID: row.ProjectID,
			Quote: digest.Quote{
				EvidenceID:   row.ID,
				Text:         row.Quote,
				Speaker:      row.Speaker,
				Unconfirmed:  !row.SpeakerConfirmed,
				Asked:        row.AskedKind,
				StartMs:      row.StartMs,
				KeywordMatch: row.Origin == db.EvidenceOriginKeyword,
				ImportID:     row.ImportID,
				ImportTitle:  row.ImportTitle,
			},
			Total: row.Total,
		})
	}
	return err
}

func (r *newsReader) readVerdicts(ctx context.Context) error {
	rows, err := r.q.ListVerdicts(ctx, db.ListVerdictsParams(r.window))
	for _, row := range rows {
		r.news.Verdicts = append(r.news.Verdicts, digest.Verdict(row))
	}
	return err
}

func (r *newsReader) readImports(ctx context.Context) error {
	rows, err := r.q.ListEndedImports(ctx, db.ListEndedImportsParams(r.window))
	for _, row := range rows {
		r.news.Imports = append(r.news.Imports, digest.EndedImport(row))
	}
	return err
}

func (r *newsReader) readAnswers(ctx context.Context) error {
	rows, err := r.q.ListAnsweredQuestions(ctx, db.ListAnsweredQuestionsParams(r.window))
	for _, row := range rows {
		r.news.Answers = append(r.news.Answers, digest.AnsweredQuestion(row))
	}
	return err
}

func (r *newsReader) readAsked(ctx context.Context) error {
	rows, err := r.q.ListFinishedAnswers(ctx, db.ListFinishedAnswersParams(r.window))
	for _, row := range rows {
		r.news.Asked = append(r.news.Asked, digest.FinishedAnswer(row))
	}
	return err
}

func (r *newsReader) readHypotheses(ctx context.Context) error {
	rows, err := r.q.ListNewHypotheses(ctx, db.ListNewHypothesesParams(r.window))
	for _, row := range rows {
		r.news.Hypotheses = append(r.news.Hypotheses, digest.NewHypothesis(row))
	}
	return err
}
