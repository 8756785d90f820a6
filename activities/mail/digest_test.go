package mail_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/mail"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sample has one item of each kind.
func sample() mail.Digest {
	project := func(id string) (string, mail.DigestURLs) {
		url := "https://research.example.com/projects/" + id
		return url, mail.DigestURLs{
			Hypotheses: url,
			Evidence:   url + "/evidence",
			Interviews: url + "/interviews",
			Questions:  url + "/questions",
			Themes:     url + "/themes",
		}
	}
	books, bookURLs := project("5a0e7a1c-33a5-4a0e-9d5c-1f5f0a3f6c01")
	fleet, fleetURLs := project("77e0a0b1-5a35-4d0c-8f1e-e1f6d5a3b002")
	quote := func(stance, text, speaker, at, source string) mail.DigestQuote {
		return mail.DigestQuote{
			Stance:  stance,
			Quote:   text,
			Speaker: speaker,
			At:      at,
			Source:  source,
			URL:     "https://research.example.com/imports/0c1d?e=9f3a",
		}
	}
	return mail.Digest{
		Weekly: true, Period: "16 to 22 November 2026",
		HomeURL: "https://research.example.com/", SettingsURL: "https://research.example.com/settings",
		UnsubscribeURL: "https://research.example.com/api/notifications/unsubscribe" +
			"?token=Zbrmn1M5SSudYy9r7RDXyQS9MehHRltamq2xSoJaDEg",
		Workspaces: []mail.DigestWorkspace{
			{Name: "Ledgerly", Also: []string{"1 new member"}, Projects: []mail.DigestProject{{
				Name: "Month-end closing", URL: books, URLs: bookURLs,
				Reopened: 1,
				Challenges: []mail.DigestChallenge{
					{
						Statement:   "Founders answer their accountant within a day",
						URL:         books + "/evidence?h=5",
						Status:      "validated",
						Against:     3,
						ReopenAfter: 3,
						WrongIf:     "Three founders say that they answer once a week",
						ByYou:       true,
					},
					{
						Statement:   "Nobody prints receipts any more",
						URL:         books + "/evidence?h=6",
						Status:      "invalidated",
						Against:     1,
						ReopenAfter: 3,
						By:          "Dana Ng",
					},
				},
				Moved: []mail.DigestHypothesis{
					{
						Statement: "Closing the books takes small companies more than three days " +
							"because receipts are missing",
						URL:            books + "/evidence?h=1",
						Supports:       3,
						Contradicts:    1,
						AllSupports:    9,
						AllContradicts: 2,
						AllQuotes:      12,
						Accepted:       7,
						MoreQuotes:     2,
						Quotes: []mail.DigestQuote{
							quote(
								"contradicts",
								"Honestly, it is one afternoon. The bank feed does most of it, "+
									"and what it does not know my assistant asks for by chat.",
								"Jonas Weber",
								"12:40",
								"Jonas, bakery with two shops",
							),
							quote(
								"supports",
								"We closed October on the ninth. Four of those days I was writing to people "+
									"for receipts they swore they had sent.",
								"Maya Lindqvist",
								"3:07",
								"Maya, agency of twelve",
							),
						},
					},
					{
						Statement:      "Owners would let a tool write to their suppliers in their name",
						URL:            books + "/evidence?h=2",
						Contradicts:    2,
						Withdrawn:      1,
						AllSupports:    1,
						AllContradicts: 4,
						AllQuotes:      5,
						Accepted:       5,
						Quotes: []mail.DigestQuote{
							{
								Stance: "contradicts", Quote: "Nobody writes to my suppliers but me.", Speaker: "Priya",
								Unconfirmed: true, Asked: "leading", Source: "Priya, second call",
								URL: "https://research.example.com/imports/0c1d?e=9f3b",
							},
						},
						MoreQuotes: 1,
					},
					{
						Statement: "Accountants, not owners, choose the software",
						URL:       books + "/evidence?h=3",
						Neutral:   1,
						Quotes: []mail.DigestQuote{
							{
								Stance:       "neutral",
								Quote:        "My accountant told me what to buy",
								Source:       "notes.txt",
								URL:          "https://research.example.com/imports/0c1d?e=9f3b",
								KeywordMatch: true,
							}},
					},
				},
				MoreMoved: 4,
				Verdicts: []mail.DigestVerdict{
					{
						Statement: "Founders do their own books until the tenth employee",
						URL:       books + "/evidence?h=4",
						Before:    "testing",
						After:     "validated",
						Reason:    "Seven of eight, and the eighth is an accountant.",
						By:        "Dana Ng",
					},
				},
				Imports: []mail.DigestImport{
					{
						Title:   "Tomás, import-export",
						URL:     "https://research.example.com/imports/1",
						Problem: "The model's server did not answer. Try again later.",
					},
					{
						Title:    "Maya, agency of twelve",
						URL:      "https://research.example.com/imports/2",
						Parsed:   true,
						Evidence: 6,
					},
					{
						Title:    "Jonas, bakery with two shops",
						URL:      "https://research.example.com/imports/3",
						Parsed:   true,
						Evidence: 1,
						Unread:   12,
					},
				},
				Answers: []mail.DigestAnswer{
					{
						Question: "Who in the company notices first that a receipt is missing?",
						By:       "Omar Haddad",
						Quote:    "The card company's mail comes to me, so me.",
						Speaker:  "Maya Lindqvist",
						Asked:    "hypothetical",
					},
				},
				Asked: []mail.DigestAsked{
					{
						Question: "Why do receipts get lost?",
						URL:      "https://research.example.com/projects/1/ask?a=2",
						By:       "Ada Nkemelu",
						Outcome:  "answered by 7 people",
					},
				},
				Loose: []mail.DigestQuote{
					quote("", "We print the invoices just to scan them again.", "Priya", "41:22", "Priya, second call"),
				},
				Mentions: []mail.DigestComment{
					{
						By: "Omar Haddad", Quote: "Nobody writes to my suppliers but me.", Text: "Is that <b>one</b>\nvoice?",
						URL: "https://research.example.com/imports/3?e=7",
					},
				},
				MoreMentions: 1,
				Comments: []mail.DigestComment{
					{
						By: "Dana Ng", Theme: "Waiting for approval", Text: "Merge it with deadlines.",
						URL: books + "/themes?theme=1",
					},
				},
				Themes: []mail.DigestTheme{
					{
						Name: "Waiting for approval", URL: books + "/themes?theme=1", New: true, By: "Omar Haddad",
						People: 3, Quotes: 5,
					},
					{Name: "Printers", URL: books + "/themes?theme=2", New: true, Proposed: true},
					{Name: "Deadlines", URL: books + "/themes?theme=3", Quotes: 1},
				},
				MoreThemes: 2,
				Also:       []string{"2 new questions", "5 quotes accepted"},
			}}},
			{Name: "שיתוף <b>& Söhne</b>", Projects: []mail.DigestProject{{
				Name: "Fleet", URL: fleet, URLs: fleetURLs,
				NewHypotheses: []mail.DigestItem{
					{
						Text: `Drivers <script>alert("x")</script> skip the checklist when it rains`,
						URL:  fleet + "/evidence?h=9",
						By:   "نور",
					},
				},
			}}},
		},
	}
}

// active matches HTML that loads or executes something.
var active = regexp.MustCompile(
	`(?i)<(img|link|script|iframe|object|video|audio|form)\b|url\(|@import|@font-face|\bon[a-z]+=|src=`)

func TestDigest(t *testing.T) {
	t.Parallel()
	m, err := sample().Message()
	require.NoError(t, err)
	const subject = "Weekly digest: 2 mentions of you, 1 decision open again, 1 decision in doubt"
	require.Equal(t, subject, m.Subject)

	for name, got := range map[string]string{"digest.html": m.HTML, "digest.txt": m.Text} {
		t.Run("is "+name, func(t *testing.T) {
			t.Parallel()
			golden := filepath.Join("testdata", name)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}

	t.Run("loads and executes nothing", func(t *testing.T) {
		t.Parallel()
		require.NotRegexp(t, active, m.HTML)
	})

	t.Run("escapes what people typed", func(t *testing.T) {
		t.Parallel()
		require.Contains(t, m.HTML, "Drivers &lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt; skip")
		require.NotContains(t, m.HTML, "<b>&")
	})

	t.Run("has a one-click link to unsubscribe", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "<"+sample().UnsubscribeURL+">", m.Headers["List-Unsubscribe"])
		require.Equal(t, "List-Unsubscribe=One-Click", m.Headers["List-Unsubscribe-Post"])
		require.Contains(t, m.Text, sample().UnsubscribeURL)
		require.Contains(t, m.HTML, sample().UnsubscribeURL)
	})

	t.Run("cuts a long quote between words and replaces line breaks", func(t *testing.T) {
		t.Parallel()
		d := sample()
		d.Workspaces[0].Projects[0].Moved[0].Quotes[0].Quote = strings.Repeat("word\nand ", 200)
		m, err := d.Message()
		require.NoError(t, err)
		require.Contains(t, m.Text, "word and word …\"\n")
		require.Less(t, len(m.Text), 6000)
	})
}

func TestDigestSubjectCountsDecisionsThatAreNotListed(t *testing.T) {
	t.Parallel()
	p := mail.DigestProject{Name: "Receipts", MoreChallenges: 3, Reopened: 5}
	for range 5 {
		p.Challenges = append(p.Challenges, mail.DigestChallenge{Statement: "They pay", Against: 3, ReopenAfter: 3})
	}
	m, err := mail.Digest{Workspaces: []mail.DigestWorkspace{{Projects: []mail.DigestProject{p}}}}.Message()
	require.NoError(t, err)
	require.Contains(t, m.Subject, "5 decisions open again, 3 decisions in doubt")
}

// busy is a digest of projects whose lists are full, with texts that are as long as the digest has them.
func busy(projects int, text string) mail.Digest {
	text = strings.Repeat(text, 300)
	d := sample()
	full := mail.DigestProject{Name: text, URL: d.HomeURL + "projects/5a0e7a1c-33a5-4a0e-9d5c-1f5f0a3f6c01"}
	quote := mail.DigestQuote{Quote: text, Speaker: text, Source: text, URL: d.HomeURL + "imports/0c1d?e=9f3a"}
	for range 5 {
		full.Moved = append(full.Moved, mail.DigestHypothesis{
			Statement: text, URL: full.URL, Supports: 2, Quotes: []mail.DigestQuote{quote, quote},
		})
		full.Challenges = append(full.Challenges, mail.DigestChallenge{
			Statement: text, URL: full.URL, Status: "validated", Against: 9, ReopenAfter: 3, WrongIf: text, By: text,
		})
		full.Verdicts = append(full.Verdicts, mail.DigestVerdict{
			Statement: text, URL: full.URL, Before: "open", After: "validated", Reason: text, By: text,
		})
		full.Loose = append(full.Loose, quote)
		full.Imports = append(full.Imports, mail.DigestImport{Title: text, URL: full.URL, Problem: text})
		full.Answers = append(full.Answers, mail.DigestAnswer{Question: text, By: text, Quote: text, Speaker: text})
		full.Asked = append(full.Asked, mail.DigestAsked{
			Question: text, URL: full.URL, By: text, Outcome: "answered",
		})
		comment := mail.DigestComment{By: text, Quote: text, Text: text, URL: full.URL}
		full.Mentions, full.Comments = append(full.Mentions, comment), append(full.Comments, comment)
		theme := mail.DigestTheme{Name: text, URL: full.URL, New: true, By: text, Quotes: 1}
		full.Themes = append(full.Themes, theme)
		full.NewHypotheses = append(full.NewHypotheses, mail.DigestItem{Text: text, URL: full.URL, By: text})
	}
	d.Workspaces = append(d.Workspaces, mail.DigestWorkspace{Name: "Full", Also: []string{"1 new member"}})
	for range projects {
		d.Workspaces[len(d.Workspaces)-1].Projects = append(d.Workspaces[len(d.Workspaces)-1].Projects, full)
	}
	return d
}

// Gmail hides what follows 102 KB of HTML.
func TestDigestHasABudget(t *testing.T) {
	t.Parallel()
	const budget = 90_000
	for name, text := range map[string]string{"Latin": "word ", "Japanese": "請求書", "escaped": `"&<`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := busy(100, text).Message()
			require.NoError(t, err)
			require.LessOrEqual(t, len(m.HTML), budget)
			require.Greater(t, len(m.HTML), budget/2, "it is not shorter than it has to be")
			require.Contains(t, m.HTML, "Month-end closing", "the first projects are in it")
			more := regexp.MustCompile(`And (\d+) more projects, and news of 1 workspace: `)
			require.Regexp(t, more, m.HTML)
			require.Regexp(t, more.String()+regexp.QuoteMeta(sample().HomeURL), m.Text)
			require.Equal(t, more.FindString(m.HTML), more.FindString(m.Text))
			shown := strings.Count(m.HTML, "<h2")
			left, err := strconv.Atoi(more.FindStringSubmatch(m.HTML)[1])
			require.NoError(t, err)
			require.Equal(t, len(sample().Workspaces[0].Projects)+len(sample().Workspaces[1].Projects)+100, shown+left)
		})
	}
	t.Run("of which one project alone may have too much", func(t *testing.T) {
		t.Parallel()
		d := busy(1, "😀😀😀")
		d.Workspaces = d.Workspaces[len(d.Workspaces)-1:]
		m, err := d.Message()
		require.NoError(t, err)
		require.LessOrEqual(t, len(m.HTML), budget)
		require.Equal(t, 1, strings.Count(m.HTML, "<h2"))
		for _, more := range []string{"and 4 more hypotheses", "and 4 more", "1 new member"} {
			require.Contains(t, m.HTML, more)
		}
		require.NotContains(t, m.HTML, "see all of them")
	})
	t.Run("and the link to unsubscribe is near its top, too", func(t *testing.T) {
		t.Parallel()
		m, err := busy(100, "word ").Message()
		require.NoError(t, err)
		require.Equal(t, 2, strings.Count(m.HTML, `href="`+sample().UnsubscribeURL+`"`))
		require.Less(t, strings.Index(m.HTML, sample().UnsubscribeURL), strings.Index(m.HTML, "<h1"))
	})
	t.Run("which a digest that fits does not mention", func(t *testing.T) {
		t.Parallel()
		m, err := sample().Message()
		require.NoError(t, err)
		require.NotContains(t, m.HTML+m.Text, "see all of them")
	})
}
