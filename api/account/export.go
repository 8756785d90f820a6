package account

import (
	"archive/zip"
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"research/api/admission"
	"research/db"
)

// pageSize is the number of records that an export has in memory. A record has some KB at most.
const pageSize = 500

// A record is a line of an export.
type record struct {
	ID     uuid.UUID
	Record json.RawMessage
}

// A page selects records of a user, in the order of their ids.
type page struct {
	UserID uuid.UUID
	After  uuid.UUID
	Most   int32
}

// A section is a file of an export.
type section struct {
	file string
	// asUser applies row-level security: the records belong to workspaces, and only those that the user may see
	// now are exported. Other sections contain records of the user alone.
	asUser bool
	read   func(context.Context, *db.Queries, page) ([]record, error)
}

var sections = []section{
	{"account.jsonl", false, reads((*db.Queries).ExportAccount)},
	{"identities.jsonl", false, reads((*db.Queries).ExportIdentities)},
	{"sessions.jsonl", false, reads((*db.Queries).ExportSessions)},
	{"apps.jsonl", false, reads((*db.Queries).ExportConsents)},
	{"app_requests.jsonl", false, reads((*db.Queries).ExportAuthorizations)},
	{"personal_access_tokens.jsonl", false, reads((*db.Queries).ExportPersonalTokens)},
	{"second_factors.jsonl", false, reads((*db.Queries).ExportFactors)},
	{"memberships.jsonl", false, reads((*db.Queries).ExportMemberships)},
	{"parses.jsonl", false, reads((*db.Queries).ExportRuns)},
	{"sign_ins.jsonl", false, reads((*db.Queries).ExportSignInRecords)},
	{"audit.jsonl", false, reads((*db.Queries).ExportAuditRecords)},
	{"digest_preferences.jsonl", true, reads((*db.Queries).ExportDigestPreferences)},
	{"digest_deliveries.jsonl", true, reads((*db.Queries).ExportDigestDeliveries)},
	{"projects.jsonl", true, reads((*db.Queries).ExportProjects)},
	{"personas.jsonl", true, reads((*db.Queries).ExportPersonas)},
	{"hypotheses.jsonl", true, reads((*db.Queries).ExportHypotheses)},
	{"questions.jsonl", true, reads((*db.Queries).ExportQuestions)},
	{"answers.jsonl", true, reads((*db.Queries).ExportAnswers)},
	{"theme_runs.jsonl", true, reads((*db.Queries).ExportThemeRuns)},
	{"imports.jsonl", true, reads((*db.Queries).ExportImports)},
	{"evidence.jsonl", true, reads((*db.Queries).ExportEvidence)},
	{"decisions.jsonl", true, reads((*db.Queries).ExportDecisions)},
	{"reports.jsonl", true, reads((*db.Queries).ExportReports)},
	{"themes.jsonl", true, reads((*db.Queries).ExportThemes)},
	{"comments.jsonl", true, reads((*db.Queries).ExportComments)},
	{"finding_shares.jsonl", true, reads((*db.Queries).ExportFindingShares)},
	{"invitations.jsonl", true, reads((*db.Queries).ExportInvitations)},
	{"webhooks.jsonl", true, reads((*db.Queries).ExportWebhooks)},
	{"activity.jsonl", true, reads((*db.Queries).ExportActivity)},
}

// reads adapts a query of db/queries/account.sql. They all have the same parameters and the same rows.
func reads[
	P ~struct {
		UserID uuid.UUID
		After  uuid.UUID
		Most   int32
	}, R ~struct {
		ID     uuid.UUID
		Record json.RawMessage
	},
](
	query func(*db.Queries, context.Context, P) ([]R, error),
) func(context.Context, *db.Queries, page) ([]record, error) {
	return func(ctx context.Context, q *db.Queries, p page) ([]record, error) {
		rows, err := query(q, ctx, P(p))
		records := make([]record, len(rows))
		for i, row := range rows {
			records[i] = record(row)
		}
		return records, err
	}
}

// exportAccount handles GET /export.
func (s *server) exportAccount(w http.ResponseWriter, r *http.Request) error {
	p, err := s.user(r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodHead { // makes no archive, and is not recorded
		w.Header().Set("Content-Type", "application/zip")
		return nil
	}
	ticket, err := s.exports.Enter(r.Context(), admission.Caller{User: p.Subject.UserID})
	if err != nil {
		return err
	}
	defer ticket.Leave()
	user, err := s.current(r, p)
	if err != nil {
		return err
	}
	if err := s.Identity.AllowExport(r.Context(), s.client(r), user); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", `attachment; filename="account.zip"`)
	w.Header().Set("Cache-Control", "no-store")
	if err := s.export(r.Context(), w, p.Subject); err != nil {
		s.Log.WarnContext(r.Context(), "export of an account ended early", "user_id", user.ID, "error", err)
		panic(http.ErrAbortHandler) // the client sees that the archive is incomplete
	}
	return nil
}

// export writes the archive. Each page is a transaction of its own, so that a slow client does not occupy a
// database connection.
func (s *server) export(ctx context.Context, w http.ResponseWriter, user db.Subject) error {
	archive := zip.NewWriter(w)
	for _, section := range sections {
		file, err := archive.Create(section.file)
		if err != nil {
			return err
		}
		next := page{UserID: user.UserID, Most: pageSize}
		for more := true; more; {
			records, err := s.read(ctx, user, section, next)
			if err != nil {
				return err
			}
			for _, record := range records {
				if _, err := file.Write(append(record.Record, '\n')); err != nil {
					return err
				}
				next.After = record.ID
			}
			more = len(records) == pageSize
		}
	}
	return archive.Close()
}

// read reads a page when it is the user's turn.
func (s *server) read(
	ctx context.Context, user db.Subject, from section, p page,
) (records []record, err error) {
	read := func(q *db.Queries) ([]record, error) { return from.read(ctx, q, p) }
	err = s.Statements.Do(ctx, admission.Caller{User: user.UserID}, func() error {
		if from.asUser {
			records, err = db.AsUser(ctx, s.Store, user, read)
		} else {
			records, err = db.AsService(ctx, s.Store, read)
		}
		return err
	})
	return records, err
}
