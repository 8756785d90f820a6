package db

import (
	"context"
	"fmt"
	"io/fs"
)

// rolesMigration creates the roles, the schemas auth and private, and the default privileges. As SQL, its
// directives for goose are comments.
const rolesMigration = "0001_roles.sql"

// CreateRoles prepares an empty database for a restore: it does what the first migration does, records
// nothing, and closes the default privileges. The URL must be an owner's, as for Migrate.
func CreateRoles(ctx context.Context, url string) error {
	script, err := fs.ReadFile(Migrations(), rolesMigration)
	if err != nil {
		return err
	}
	conn, err := Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := conn.PgConn().Exec(ctx, string(script)).Close(); err != nil {
		return fmt.Errorf("create the roles: %w", err)
	}
	return catalog{conn, lockTimeout}.closeDefaults(ctx)
}
