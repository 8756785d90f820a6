package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"research/db"
	"research/db/dbtest"
)

// A member reads an import of a workspace. Another user gets the same error as for an import that does not
// exist.
func ExampleStore_AsUser() {
	ctx := context.Background()
	store, member, stranger, importID := exampleDatabase()
	defer store.done()

	for _, user := range []uuid.UUID{member, stranger} {
		// In a handler the subject is token.From(ctx).
		err := store.AsUser(ctx, db.User(user), func(q *db.Queries) error {
			found, err := q.GetImport(ctx, importID)
			if err != nil {
				return err
			}
			fmt.Println(found.Title, "is", found.Status)
			return nil
		})
		if errors.Is(err, db.ErrNotFound) {
			fmt.Println("no such import")
		}
	}
	// Output:
	// Interview is uploaded
	// no such import
}

// An exampleTB lets an example use the helpers of tests.
type exampleTB struct {
	testing.TB
	cleanups []func()
}

func (*exampleTB) Helper()                        {}
func (*exampleTB) Errorf(format string, a ...any) { fmt.Printf(format, a...) }
func (*exampleTB) FailNow()                       { panic("the example cannot be set up") }
func (e *exampleTB) Fatal(a ...any)               { fmt.Println(a...); e.FailNow() }
func (*exampleTB) Context() context.Context       { return context.Background() }
func (e *exampleTB) Cleanup(fn func())            { e.cleanups = append(e.cleanups, fn) }

type exampleStore struct {
	*db.Store
	done func()
}

func exampleDatabase() (store exampleStore, member, stranger, importID uuid.UUID) {
	t := &exampleTB{}
	d := dbtest.New(t)
	n := d.Tenant(t)
	importID = storeImport(t, d, n.Project, nil, strings.Repeat("Yes.\n", 3)+"No.")
	return exampleStore{d.Store, func() {
		for i := len(t.cleanups) - 1; i >= 0; i-- {
			t.cleanups[i]()
		}
	}}, n.Viewer, d.User(t, "stranger@example.com"), importID
}
