package digest_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/activities/digest"
	"research/activities/mail"
	"research/outcome"
)

const publicURL = "https://research.example.com"

var (
	workspaceID = uuid.MustParse("00000000-0000-4000-8000-000000000001")
	projectID   = uuid.MustParse("00000000-0000-4000-8000-000000000002")
	entityID    = uuid.MustParse("00000000-0000-4000-8000-000000000003")
)

// count is that of n things of a kind in the project.
func count(entityType, verb string, n int32) digest.Count {
	return digest.Count{
		WorkspaceID: workspaceID, WorkspaceName: "Acme", ProjectID: &projectID, ProjectName: "Receipts",
		EntityType: entityType, Verb: verb, Things: n,
	}
}

func compose(news digest.News) (mail.Digest, bool) {
	return digest.Compose(digest.Input{News: news, PublicURL: publicURL})
}

// composeProject composes news about the only project.
func composeProject(t *testing.T, news digest.News) mail.DigestProject {
	t.Helper()
	d, _ := compose(news)
	require.Len(t, d.Workspaces, 1)
	require.Len(t, d.Workspaces[0].Projects, 1)
	return d.Workspaces[0].Projects[0]
}

func TestCompose(t *testing.T) {
	t.Parallel()

	t.Run("describes the period and links to the page and to unsubscribing", func(t *testing.T) {
		t.Parallel()
		week := digest.Window{
			Start: time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), End: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC),
		}
		d, _ := digest.Compose(digest.Input{
			Weekly: true, Window: week, PublicURL: publicURL, UnsubscribeToken: "a+token",
		})
		require.Equal(t, mail.Digest{
			Weekly:         true,
			Period:         "16 to 22 November 2026",
			HomeURL:        publicURL + "/",
			SettingsURL:    publicURL + "/settings",
			UnsubscribeURL: publicURL + "/api/notifications/unsubscribe?token=a%2Btoken",
		}, d)
	})

	t.Run("groups by workspace and project", func(t *testing.T) {
		t.Parallel()
		first, second := uuid.New(), uuid.New()
		in := func(workspace uuid.UUID, project *uuid.UUID, projectName, entityType string) digest.Count {
			return digest.Count{
				WorkspaceID: workspace, WorkspaceName: "Acme", ProjectID: project, ProjectName: projectName,
				EntityType: entityType, Verb: "created", Things: 2,
			}
		}
		other := uuid.New()
		d, _ := compose(digest.News{Counts: []digest.Count{
			in(workspaceID, nil, "", "member"),
			in(workspaceID, &first, "Receipts", "persona"),
			in(workspaceID, &first, "Receipts", "question"),
			in(workspaceID, &second, "Travel", "question"),
			in(other, &projectID, "Receipts", "persona"), // with the same names
		}})
		require.Len(t, d.Workspaces, 2)
		require.Equal(t, []string{"2 new members"}, d.Workspaces[0].Also)
		require.Len(t, d.Workspaces[0].Projects, 2)
		require.Equal(t, []string{"2 new personas", "2 new questions"}, d.Workspaces[0].Projects[0].Also)
		require.Equal(t, "Travel", d.Workspaces[0].Projects[1].Name)
		require.Len(t, d.Workspaces[1].Projects, 1)
		require.Equal(t, publicURL+"/projects/"+projectID.String(), d.Workspaces[1].Projects[0].URL)
	})

	t.Run("leaves out a project with nothing to say, and its workspace", func(t *testing.T) {
		t.Parallel()
		d, worthMail := compose(digest.News{Counts: []digest.Count{count("import", "queued", 1)}})
		require.Empty(t, d.Workspaces)
		require.False(t, worthMail)
	})

	t.Run("leaves out items of a project that appeared after the counts were read", func(t *testing.T) {
		t.Parallel()
		d, worthMail := compose(digest.News{Verdicts: []digest.Verdict{{ProjectID: projectID, Total: 1}}})
		require.Empty(t, d.Workspaces)
		require.False(t, worthMail)
	})

	t.Run("begins with verdicts in doubt", func(t *testing.T) {
		t.Parallel()
		calm, doubted, elsewhere := uuid.New(), uuid.New(), uuid.New()
		in := func(workspace uuid.UUID, project *uuid.UUID) digest.Count {
			return digest.Count{
				WorkspaceID: workspace, ProjectID: project, EntityType: "project", Verb: "created", Things: 1,
			}
		}
		d, worthMail := compose(digest.News{
			Counts: []digest.Count{in(elsewhere, &projectID), in(workspaceID, &calm), in(workspaceID, &doubted)},
			Challenges: []digest.Challenge{{
				WorkspaceID: workspaceID, ProjectID: doubted, ID: entityID, Statement: "They pay", Status: "validated",
				Against: 3, ReopenAfter: 3, FalsifiedIf: "They do not", ByRecipient: true, Total: 1,
			}},
		})
		require.True(t, worthMail)
		require.Len(t, d.Workspaces, 2)
		require.Len(t, d.Workspaces[0].Projects, 2)
		require.Equal(t, []mail.DigestChallenge{{
			Statement: "They pay",
			URL:       publicURL + "/projects/" + doubted.String() + "/evidence?h=" + entityID.String(),
			Status:    "validated", Against: 3, ReopenAfter: 3, WrongIf: "They do not", ByYou: true,
		}}, d.Workspaces[0].Projects[0].Challenges)
	})

	t.Run("begins with what mentions the recipient", func(t *testing.T) {
		t.Parallel()
		doubted, mentioned, theme, imported := uuid.New(), uuid.New(), uuid.New(), uuid.New()
		of := digest.Comment{
			WorkspaceID: workspaceID, WorkspaceName: "Acme", ProjectID: mentioned, ProjectName: "Travel",
			Author: "Dana", Body: "One voice?", Total: 3,
		}
		onTheme, onQuote, onHandEntered := of, of, of
		onTheme.ThemeID, onTheme.Theme, onTheme.IsMention = &theme, "Waiting", true
		onQuote.EvidenceID, onQuote.ImportID, onQuote.Quote = &entityID, &imported, "It waits."
		onHandEntered.EvidenceID, onHandEntered.Quote = &entityID, "It waits."
		d, worthMail := compose(digest.News{
			Challenges: []digest.Challenge{{WorkspaceID: workspaceID, ProjectID: doubted, Total: 1}},
			Comments:   []digest.Comment{onTheme, onQuote, onHandEntered},
		})
		require.True(t, worthMail)
		p := d.Workspaces[0].Projects[0]
		require.Equal(t, "Travel", p.Name)
		project := publicURL + "/projects/" + mentioned.String()
		require.Equal(t, []mail.DigestComment{{
			By: "Dana", Theme: "Waiting", Text: "One voice?", URL: project + "/themes?theme=" + theme.String(),
		}}, p.Mentions)
		require.Equal(t, 2, p.MoreMentions)
		require.Equal(t, []mail.DigestComment{
			{
				By: "Dana", Quote: "It waits.", Text: "One voice?",
				URL: publicURL + "/imports/" + imported.String() + "?e=" + entityID.String(),
			},
			{By: "Dana", Quote: "It waits.", Text: "One voice?", URL: project + "/evidence"},
		}, p.Comments)
		require.Equal(t, 1, p.MoreComments)
	})

	t.Run("has themes of a project without a count", func(t *testing.T) {
		t.Parallel()
		d, worthMail := compose(digest.News{Themes: []digest.Theme{{
			WorkspaceID: workspaceID, ProjectID: projectID, ID: entityID, Name: "Waiting", IsNew: true,
			Actor: "Dana", People: 2, Quotes: 3, Total: 7,
		}}})
		require.True(t, worthMail)
		require.Equal(t, []mail.DigestTheme{{
			Name: "Waiting", URL: publicURL + "/projects/" + projectID.String() + "/themes?theme=" + entityID.String(),
			New: true, By: "Dana", People: 2, Quotes: 3,
		}}, d.Workspaces[0].Projects[0].Themes)
		require.Equal(t, 6, d.Workspaces[0].Projects[0].MoreThemes)
	})

	t.Run("has a verdict in doubt of a project without a count", func(t *testing.T) {
		t.Parallel()
		other := uuid.New()
		doubt := func(workspace, project uuid.UUID, name string) digest.Challenge {
			return digest.Challenge{
				WorkspaceID: workspace, WorkspaceName: "Of " + name, ProjectID: project, ProjectName: name, Total: 1,
			}
		}
		d, worthMail := compose(digest.News{
			Counts: []digest.Count{count("hypothesis", "updated", 1)},
			Challenges: []digest.Challenge{
				doubt(workspaceID, other, "Roles"), doubt(uuid.New(), uuid.New(), "Elsewhere"),
			},
		})
		require.True(t, worthMail)
		require.Len(t, d.Workspaces, 2)
		require.Equal(t, "Acme", d.Workspaces[0].Name)
		require.Equal(t, "Roles", d.Workspaces[0].Projects[0].Name)
		require.Equal(t, "Receipts", d.Workspaces[0].Projects[1].Name)
		require.Equal(t, "Of Elsewhere", d.Workspaces[1].Name)
		require.Equal(t, publicURL+"/projects/"+other.String(), d.Workspaces[0].Projects[0].URL)
	})

	t.Run("says how many items of a list it leaves out", func(t *testing.T) {
		t.Parallel()
		p := composeProject(t, digest.News{
			Counts:     []digest.Count{count("hypothesis", "created", 7)},
			Challenges: []digest.Challenge{{ProjectID: projectID, WorkspaceID: workspaceID, Reopened: 3, Total: 8}},
			Moved:      []digest.MovedHypothesis{{ProjectID: projectID, Total: 2}},
			Verdicts:   []digest.Verdict{{ProjectID: projectID, Total: 3}},
			Imports:    []digest.EndedImport{{ProjectID: projectID, Total: 4}},
			Answers:    []digest.AnsweredQuestion{{ProjectID: projectID, Total: 5}},
			Asked:      []digest.FinishedAnswer{{ProjectID: projectID, Total: 9}},
			Unlinked:   []digest.UnlinkedQuote{{ProjectID: projectID, Total: 6}},
			Hypotheses: []digest.NewHypothesis{{ProjectID: projectID, Total: 7}, {ProjectID: projectID, Total: 7}},
		})
		require.Equal(t, []int{7, 3, 1, 2, 3, 4, 8, 5, 5}, []int{
			p.MoreChallenges, p.Reopened, p.MoreMoved, p.MoreVerdicts, p.MoreImports, p.MoreAnswers, p.MoreAsked,
			p.MoreLoose, p.MoreNewHypotheses,
		})
	})
}

func TestComposeSaysHowAQuestionWasAnswered(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]digest.FinishedAnswer{
		"answered by 7 people":           {Result: "answered", People: 7},
		"answered in part by 1 person":   {Result: "partly", People: 1},
		"answered":                       {Result: "answered"}, // by people who are not confirmed
		"answered in part":               {Result: "partly"},
		"not answered by the interviews": {Result: "not_answered"},
		"no answer found":                {Result: "not_found"},
		"passages with its words found":  {},
	} {
		answer.ProjectID, answer.Total = projectID, 1
		p := composeProject(t, digest.News{
			Counts: []digest.Count{count("answer", "finished", 1)}, Asked: []digest.FinishedAnswer{answer},
		})
		require.Equal(t, want, p.Asked[0].Outcome)
		require.Zero(t, p.MoreAsked)
	}
}

func TestComposeReportsWhatIsWorthAMail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		entityType, verb, text string
		worthMail              bool
	}{
		{"project", "created", "the project is new", true},
		{"question", "created", "1 new question", true},
		{"persona", "created", "1 new persona", true},
		{"member", "created", "1 new member", true},
		{"evidence", "rejected", "1 quote rejected", true},
		{"evidence", "accepted", "1 quote accepted", false},
		{"hypothesis", "updated", "1 hypothesis reworded", false},
	} {
		t.Run(c.entityType+" "+c.verb, func(t *testing.T) {
			t.Parallel()
			d, worthMail := compose(digest.News{Counts: []digest.Count{count(c.entityType, c.verb, 1)}})
			require.Equal(t, c.worthMail, worthMail)
			require.Equal(t, []string{c.text}, d.Workspaces[0].Projects[0].Also)
		})
	}

	t.Run("an item of a list", func(t *testing.T) {
		t.Parallel()
		_, worthMail := compose(digest.News{
			Counts:  []digest.Count{count("import", "parsed", 1)},
			Imports: []digest.EndedImport{{ProjectID: projectID, Verb: "parsed", Total: 1}},
		})
		require.True(t, worthMail)
	})
}

func TestComposeHypothesis(t *testing.T) {
	t.Parallel()
	importID, start := uuid.New(), int64(3_723_000)
	h := digest.MovedHypothesis{
		ProjectID: projectID, HypothesisID: entityID, Statement: "It matters", Total: 1,
		Supports: 3, Contradicts: 1, Neutral: 1, Withdrawn: 2, AllSupports: 8, AllContradicts: 4,
		AllQuotes: 13, Accepted: 6,
	}
	p := composeProject(t, digest.News{
		Counts: []digest.Count{count("evidence", "created", 5)},
		Moved:  []digest.MovedHypothesis{h},
		Quotes: []digest.HypothesisQuote{
			{HypothesisID: uuid.New(), Quote: digest.Quote{Text: "of another hypothesis"}},
			{HypothesisID: entityID, Stance: outcome.StanceSupports, Quote: digest.Quote{
				EvidenceID: projectID, Text: "Every month", Speaker: "Maya", StartMs: &start, KeywordMatch: true,
				ImportID: &importID, ImportTitle: "Call with Maya", Unconfirmed: true,
			}},
			{HypothesisID: entityID, Stance: outcome.StanceContradicts, Quote: digest.Quote{
				Text: "Entered by hand", Asked: "leading",
			}},
		},
	})
	require.Equal(t, []mail.DigestHypothesis{{
		Statement: "It matters",
		URL:       publicURL + "/projects/" + projectID.String() + "/evidence?h=" + entityID.String(),
		Supports:  3, Contradicts: 1, Neutral: 1, Withdrawn: 2, AllSupports: 8, AllContradicts: 4,
		AllQuotes: 13, Accepted: 6,
		Quotes: []mail.DigestQuote{
			{
				Stance: "supports", Quote: "Every month", Speaker: "Maya", At: "1:02:03", Source: "Call with Maya",
				URL: publicURL + "/imports/" + importID.String() + "?e=" + projectID.String(), KeywordMatch: true,
				Unconfirmed: true,
			},
			{Stance: "contradicts", Quote: "Entered by hand", Asked: "leading"},
		},
		MoreQuotes: 3,
	}}, p.Moved)
}

func TestComposeInterview(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ended digest.EndedImport
		want  mail.DigestImport
	}{
		"read": {
			digest.EndedImport{Verb: "parsed", EvidenceCount: 3, Coverage: 1},
			mail.DigestImport{Parsed: true, Evidence: 3},
		},
		"read in part": {
			digest.EndedImport{Verb: "parsed", Coverage: 0.896},
			mail.DigestImport{Parsed: true, Unread: 10},
		},
		"failed, with its reason": {
			digest.EndedImport{Verb: "failed", ErrorMessage: "The model did not answer."},
			mail.DigestImport{Problem: "The model did not answer."},
		},
		"failed, and parsed again since": {
			digest.EndedImport{Verb: "failed"}, mail.DigestImport{Problem: "reading it failed"},
		},
		"timed out, and parsed again since": {
			digest.EndedImport{Verb: "timed_out"}, mail.DigestImport{Problem: "reading it took too long"},
		},
		"terminated, and parsed again since": {
			digest.EndedImport{Verb: "terminated"}, mail.DigestImport{Problem: "an operator ended it"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.ended.ProjectID, c.ended.ID, c.ended.Title, c.ended.Total = projectID, entityID, "Call with Maya", 1
			c.want.Title, c.want.URL = "Call with Maya", publicURL+"/imports/"+entityID.String()
			p := composeProject(t, digest.News{
				Counts:  []digest.Count{count("import", c.ended.Verb, 1)},
				Imports: []digest.EndedImport{c.ended},
			})
			require.Equal(t, []mail.DigestImport{c.want}, p.Imports)
		})
	}
}

func TestNewPreview(t *testing.T) {
	t.Parallel()
	period := digest.Period{Name: "2026-11-20"}

	t.Run("has the mail, with a link that does not unsubscribe", func(t *testing.T) {
		t.Parallel()
		news := digest.News{Counts: []digest.Count{count("persona", "created", 2)}}
		p, err := digest.NewPreview(false, period, digest.Window{}, news, publicURL, "")
		require.NoError(t, err)
		require.False(t, p.Empty)
		require.Equal(t, period, p.Period)
		require.Contains(t, p.Message.Text, "2 new personas")
		require.Equal(t, "<"+publicURL+"/api/notifications/unsubscribe?token=>",
			p.Message.Headers["List-Unsubscribe"])
	})

	t.Run("is empty without news", func(t *testing.T) {
		t.Parallel()
		p, err := digest.NewPreview(false, period, digest.Window{}, digest.News{}, publicURL, "")
		require.NoError(t, err)
		require.True(t, p.Empty)
	})
}
