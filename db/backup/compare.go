package backup

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Difference counts the rows of a table that differ between a restored database and the one in use.
type Difference struct {
	Table    string `json:"table"`
	Rows     int    `json:"rows"`     // in the backup
	Lost     int    `json:"lost"`     // added since the backup: a restore loses them
	Reverted int    `json:"reverted"` // changed since: a restore brings their earlier contents back
	Returned int    `json:"returned"` // deleted since: a restore brings them back
}

// comparedTables are what people would miss, each with its key, and the column of the workspace or the
// account that may be marked deleted. Other tables depend on these, or can be made again.
var comparedTables = []struct{ name, key, owner string }{
	{"auth.users", "id", "id"},
	{"public.workspaces", "id", "id"},
	{"public.workspace_members", "workspace_id, user_id", "workspace_id"},
	{"public.projects", "id", "workspace_id"},
	{"public.personas", "id", "workspace_id"},
	{"public.hypotheses", "id", "workspace_id"},
	{"public.questions", "id", "workspace_id"},
	{"public.imports", "id", "workspace_id"},
	{"public.evidence", "id", "workspace_id"},
	{"public.digest_preferences", "user_id", "user_id"},
	{"public.digest_deliveries", "id", "user_id"},
}

// Compare compares a restored database with the one in use, row by row. It reads each table of both once.
// What is marked deleted counts as absent.
func Compare(ctx context.Context, restoredURL, currentURL string) ([]Difference, error) {
	restored, _, err := connect(ctx, restoredURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = restored.Close(context.WithoutCancel(ctx)) }()
	current, _, err := connect(ctx, currentURL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = current.Close(context.WithoutCancel(ctx)) }()
	differences := make([]Difference, len(comparedTables))
	for i, table := range comparedTables {
		// A uuid sorts as its hexadecimal digits do, so that the key's index gives the order.
		query := fmt.Sprintf(`
			select concat(%[2]s)::bytea, coalesce(updated_at, 'epoch')
			from %[1]s
			where %[3]s not in (select d.id from private.deletions d)
			order by %[2]s`, table.name, table.key, table.owner)
		d := Difference{Table: table.name}
		err := merge(ctx, restored, current, query, query, func(restored, current *version) {
			switch {
			case restored == nil:
				d.Lost++
			case current == nil:
				d.Returned++
			case !restored.updatedAt.Equal(current.updatedAt):
				d.Reverted++
			}
			if restored != nil {
				d.Rows++
			}
		})
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", table.name, err)
		}
		differences[i] = d
	}
	return differences, nil
}

// Digests counts the digests that a restored database would send.
type Digests struct {
	Due  int `json:"due"`  // would be sent
	Sent int `json:"sent"` // of these, the database in use records as sent, or perhaps sent
}

// The digests that are open in the restored database, and those that the database in use has sent. The row of
// a digest is made again by planning it, with another id: its key is the member and the period.
const (
	digestKey = "user_id::text || ' ' || frequency::text || ' ' || period"

	openDigestsSQL = `
		select convert_to(` + digestKey + `, 'UTF8'), updated_at
		from public.digest_deliveries
		where status = 'planned' and expires_at > now()
		order by 1`
	sentDigestsSQL = `
		select convert_to(` + digestKey + `, 'UTF8'), updated_at
		from public.digest_deliveries
		where status in ('sending', 'sent', 'uncertain') and expires_at > now()
		order by 1`
)

// CompareDigests compares the digests that are planned in a restored database with those that the database in
// use has sent.
func CompareDigests(ctx context.Context, restoredURL, currentURL string) (Digests, error) {
	var d Digests
	restored, _, err := connect(ctx, restoredURL)
	if err != nil {
		return d, err
	}
	defer func() { _ = restored.Close(context.WithoutCancel(ctx)) }()
	current, _, err := connect(ctx, currentURL)
	if err != nil {
		return d, err
	}
	defer func() { _ = current.Close(context.WithoutCancel(ctx)) }()
	err = merge(ctx, restored, current, openDigestsSQL, sentDigestsSQL, func(open, sent *version) {
		if open != nil {
			d.Due++
			if sent != nil {
				d.Sent++
			}
		}
	})
	if err != nil {
		return d, fmt.Errorf("compare digests: %w", err)
	}
	return d, nil
}

// A version is a row's key, and when the row was last changed.
type version struct {
	key       []byte
	updatedAt time.Time
}

// merge reads rows of two databases, in the order of their keys, and calls visit for each key. The row of a
// database that lacks it is nil.
func merge(
	ctx context.Context, a, b *pgx.Conn, queryA, queryB string, visit func(a, b *version),
) error {
	rowsA, err := a.Query(ctx, queryA)
	if err != nil {
		return err
	}
	defer rowsA.Close()
	rowsB, err := b.Query(ctx, queryB)
	if err != nil {
		return err
	}
	defer rowsB.Close()
	nextA, err := next(rowsA)
	if err != nil {
		return err
	}
	nextB, err := next(rowsB)
	for err == nil && (nextA != nil || nextB != nil) {
		switch order(nextA, nextB) {
		case -1:
			visit(nextA, nil)
			nextA, err = next(rowsA)
		case 1:
			visit(nil, nextB)
			nextB, err = next(rowsB)
		default:
			visit(nextA, nextB)
			if nextA, err = next(rowsA); err == nil {
				nextB, err = next(rowsB)
			}
		}
	}
	return err
}

// order compares the keys of two rows; nil is behind every row.
func order(a, b *version) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return bytes.Compare(a.key, b.key)
}

// next returns the next row, or nil after the last.
func next(rows pgx.Rows) (*version, error) {
	if !rows.Next() {
		return nil, rows.Err()
	}
	var v version
	return &v, rows.Scan(&v.key, &v.updatedAt)
}
