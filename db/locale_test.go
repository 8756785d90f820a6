package db_test

import (
	"testing"

	"github.com/google/uuid"
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
			for raw, folded := range map[string]string{
				"IRIS.IVES@INFO.EXAMPLE": "iris.ives@info.example",
				"ÄÖÜ ẞ ÇŞĞ ÌJĮ":          "äöü ß çşğ ìjį",
				"İstanbul ILIK ılık":     "istanbul ilik ılık",
				"ΟΔΟΣ οδος ИВАН":         "οδοσ οδοσ иван",
			} {
				require.Equal(t, folded, dbtest.Value[string](t, d, `select private.fold($1)`, raw))
			}
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
			require.Equal(t, value[string](t, asUser(t, d, f.Viewer), fold, "title i ärger иван"),
				value[string](t, asUser(t, d, f.Viewer), fold, "TITLE İ ÄRGER ИВАН"))
		})
	}
}
