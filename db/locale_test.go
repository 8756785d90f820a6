package db_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"research/db"
	"research/db/dbtest"
)

// locales are options of databases in which lower() does as many different things. Those of ICU are
// PostgreSQL's from version 15.
var locales = map[string]string{
	"C":         "lc_collate 'C' lc_ctype 'C'",
	"C.UTF-8":   "lc_collate 'C.UTF-8' lc_ctype 'C.UTF-8'",
	"Turkish":   "locale_provider icu icu_locale 'tr-TR' lc_collate 'C' lc_ctype 'C'",
	"Azeri":     "locale_provider icu icu_locale 'az' lc_collate 'C' lc_ctype 'C'",
	"Lithuania": "locale_provider icu icu_locale 'lt' lc_collate 'C' lc_ctype 'C'",
	"German":    "locale_provider icu icu_locale 'de-DE' lc_collate 'C' lc_ctype 'C'",
}

// Addresses, slugs, names and searches compare the same, whatever the locale of the database is.
func TestTextFollowsNoLocale(t *testing.T) {
	t.Parallel()
	version := dbtest.Value[int](t, dbtest.New(t), `select current_setting('server_version_num')::int`)
	for name, options := range locales {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if version < 150000 && options[:9] == "locale_pr" {
				t.Skip("databases have locales of ICU from PostgreSQL 15")
			}
			d := dbtest.Localized(t, options)
			f := fill(t, d)

			owner := asUser(t, d, f.Owner)
			owner.mustExec(t, `insert into workspace_invitations (workspace_id, email) values ($1, $2)`,
				f.Workspace, "IRIS.IVES@INFO.EXAMPLE")
			iris := d.User(t, "iris.ives@info.example")
			require.Equal(t, 1, value[int](t, asUser(t, d, iris), `select count(*) from my_invitations()`))

			found, err := db.AsService(t.Context(), d.Store, func(q *db.Queries) (db.GetUserByEmailRow, error) {
				return q.GetUserByEmail(t.Context(), "IRIS.IVES@INFO.EXAMPLE")
			})
			require.NoError(t, err)
			require.Equal(t, iris, found.AuthUser.ID)

			workspace := uuid.New()
			owner.mustExec(t, `insert into workspaces (id, name) values ($1, 'INSIDE INFO')`, workspace)
			require.Regexp(t, "^inside-info-", dbtest.Value[string](t, d,
				`select slug from workspaces where id = $1`, workspace))
			require.Equal(t, "Europe/Istanbul", dbtest.Value[string](t, d,
				`select private.find_time_zone('EUROPE/ISTANBUL')`))

			d.Exec(t, `insert into participants (project_id, workspace_id, name) values ($1, $2, 'Irina ÄÖ')`,
				f.Project, f.Workspace)
			require.Equal(t, 1, dbtest.Value[int](t, d,
				`select count(*) from participants where private.fold(name) = private.fold('IRINA äö')`))
			for _, query := range []string{"MONAT", "monat", "Monat"} {
				require.Equal(t, 1, value[int](t, asUser(t, d, f.Viewer),
					`select count(*) from search_project($1, $2) where kind = 'utterance'`, f.Project, query), query)
			}
			const fold = `select private.search_fold($1)`
			require.Equal(t, value[string](t, asUser(t, d, f.Viewer), fold, "title i ärger иван οδος"),
				value[string](t, asUser(t, d, f.Viewer), fold, "TITLE İ ÄRGER ИВАН ΟΔΟΣ"))

			requireGoFolds(t, d)
			requireLabelsAndBlanks(t, newConversationIn(t, d))
		})
	}
}

// requireGoFolds requires that private.fold is strings.ToLower: the address that a link was mailed to is
// the one that it proves. Letters that are newer than the collation of the server may stay as they are.
func requireGoFolds(t *testing.T, d *dbtest.DB) {
	t.Helper()
	var letters []rune
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Cn, unicode.Cs, unicode.Co) {
			letters = append(letters, r)
		}
	}
	folded := []rune(dbtest.Value[string](t, d, `select private.fold($1)`, string(letters)))
	require.Len(t, folded, len(letters))
	const unicode11 = 0x1c90 // ICU and C libraries of 2018 know the letters before it, and many after it
	changed := 0
	for i, r := range letters {
		switch lower := unicode.ToLower(r); folded[i] {
		case lower:
			if lower != r {
				changed++
			}
		default:
			require.Truef(t, r >= unicode11 && folded[i] == r, "%U is %U, and %U in Go", r, folded[i], lower)
		}
	}
	require.Greater(t, changed, 1250)
	for _, text := range []string{"ΟΔΟΣ οδος Σ ΑΣ. ΑΣΑ", "I\u0307i\u0307J\u0307 Ì Í Į\u0301 İı", "DŽ ǅ ẞß ﬀ K"} {
		require.Equal(t, strings.ToLower(text), dbtest.Value[string](t, d, `select private.fold($1)`, text))
	}
}

// requireLabelsAndBlanks requires what follows from labels of speakers and from white space.
func requireLabelsAndBlanks(t *testing.T, c conversation) {
	t.Helper()
	id := c.upload(t, "INTERVIEWER\u00a0IRIS: One\u00a0two\u3000three four.",
		"dilara (İzmir): Five.", "DILARA: Six.",
		"Dilara\u2003(Guest): Seven.")
	require.Equal(t, []string{
		"DILARA|DILARA|participant|DILARA", "Dilara\u2003(Guest)|Dilara\u2003(Guest)|participant|DILARA",
		"INTERVIEWER\u00a0IRIS|INTERVIEWER\u00a0IRIS|interviewer",
		"dilara (İzmir)|dilara (İzmir)|participant|DILARA",
	}, c.speakers(t, id))

	owner := asUser(t, c.d, c.Owner)
	require.Equal(t, "23514", state(owner.exec(t,
		`insert into workspace_invitations (workspace_id, email) values ($1, $2)`, c.Workspace,
		"a\u00a0b@example.com")))
	err := owner.exec(t, `insert into workspace_invitations (workspace_id, email) values ($1, $2)`, c.Workspace,
		"dana@b\u00fccher.example")
	require.ErrorContains(t, err, "The domain of this address has letters beyond ASCII.")
	owner.mustExec(t, `insert into workspace_invitations (workspace_id, email) values ($1, $2)`, c.Workspace,
		"d\u00e4na@xn--bcher-kva.example")
	for url, code := range map[string]string{
		"HTTPS://RECEIVER.EXAMPLE/INBOX":  "",
		"https://re\u3000ceiver.example/": "23514", "https://a/\u00a0": "23514",
	} {
		c.d.AsOwner(t, func(conn *pgx.Conn) {
			_, err := conn.Exec(t.Context(),
				`insert into webhook_endpoints (workspace_id, url) values ($1, $2)`, c.Workspace, url)
			require.Equal(t, code, state(err), url)
		})
	}
}

// Functions and operators that follow the locale have no place in our SQL, unless a collation is named.
func TestSQLNamesCollations(t *testing.T) {
	t.Parallel()
	follows := regexp.MustCompile(
		`\b(lower|upper|initcap|to_tsvector|to_tsquery)\(|\bilike\b|~~?\*|\\[swdSWD]|\[\[:`)
	isRange := regexp.MustCompile(`\b(lower|upper)\(part\)`)
	for _, pattern := range []string{"migrations/*.sql", "queries/*.sql"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for i, line := range strings.Split(string(text), "\n") {
				code, _, _ := strings.Cut(line, "--")
				if follows.MatchString(isRange.ReplaceAllString(code, "")) && !strings.Contains(code, "collate ") {
					t.Errorf("%s:%d follows the locale of the database: use private.fold or private.white_space, "+
						"or name a collation: %s", path, i+1, strings.TrimSpace(line))
				}
			}
		}
	}
}
