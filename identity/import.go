package identity

import (
	"context"
	"fmt"
	"io"

	"research/db"
)

// Imported is the result of an import of users.
type Imported struct {
	Added   int      // new users
	Present int      // users whose id or address exists; they are unchanged
	Ignored []string // unknown columns
}

// Import adds users of another system with their password hashes: all of them in one transaction, or none.
// The file is CSV with a row of column names, or JSON. Its error lists the users that cannot be imported, by
// number.
func (o *Operator) Import(ctx context.Context, file io.Reader) (Imported, error) {
	users, ignored, err := parseUsers(file)
	if err != nil {
		return Imported{}, err
	}
	result, number := Imported{Ignored: ignored}, 0
	err = o.store.AsService(ctx, func(q *db.Queries) error {
		for i, u := range users {
			number = i + 1
			added, err := q.AddUser(ctx, o.importRow(u))
			if err != nil {
				return err
			}
			result.Added += int(added)
		}
		result.Present = len(users) - result.Added
		return o.audit(ctx, q, "users_imported", map[string]any{"added": result.Added, "present": result.Present})
	})
	if err != nil {
		return Imported{}, fmt.Errorf("nothing was imported: user %d: %w", number, err)
	}
	return result, nil
}

func (o *Operator) importRow(u importedUser) db.AddUserParams {
	now := o.now()
	row := db.AddUserParams{
		ID: u.id, Email: u.email, EncryptedPassword: u.hash,
		RawAppMetaData: u.appMetadata, RawUserMetaData: u.userMetadata,
		BannedUntil: u.bannedUntil, CreatedAt: &now,
	}
	if u.createdAt != nil {
		row.CreatedAt = u.createdAt
	}
	switch {
	case u.confirmed == nil: // the file does not say: the user may sign in
	case *u.confirmed:
		row.EmailConfirmedAt = row.CreatedAt
	case o.cfg.ConfirmsEmail():
		row.ConfirmationSentAt = &now // the user must ask for a link with `resend` or `recover`
	}
	return row
}
