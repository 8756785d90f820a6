package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"research/db"
	"research/server"
)

// The versions of PostgreSQL that the service is tested with.
const (
	oldestPostgres = 14
	newestPostgres = 18
)

func (d *doctor) checkDatabase(ctx context.Context) {
	if d.cfg.Database.URL == "" {
		return
	}
	began := time.Now()
	is, err := db.Inspect(ctx, d.cfg.Database.URL)
	if err != nil {
		d.fail("postgresql", err.Error(), db.Advice(err))
		return
	}
	d.checkConnection(ctx, is)
	took := time.Since(began)
	d.namespaceID = is.NamespaceID
	supported := fmt.Sprintf("use PostgreSQL %d to %d", oldestPostgres, newestPostgres)
	switch major := is.Number / 10000; {
	case major < oldestPostgres:
		d.fail("postgresql", "version "+is.Version+" is too old", supported)
	case major > newestPostgres:
		d.warn("postgresql", "version "+is.Version+" is newer than the tested ones", supported)
	default:
		d.ok("postgresql", "%s answers in %s as %s", is.Version, took.Round(time.Millisecond), is.Login)
	}
	if is.IsSuper {
		d.warn("login", is.Login+" is a superuser",
			"let serve and worker log in as authenticator and research_worker: see docs/operations.md")
	}
	if is.Encoding != "UTF8" {
		d.fail("encoding", "the database is encoded in "+is.Encoding,
			"create it with: encoding 'UTF8' template template0")
	}
	if is.Occupied != "" {
		d.fail("database", is.Occupied, "set DATABASE_URL to a database of the service's own")
		return
	}
	switch {
	case len(is.Missing) == 0:
		d.ok("roles",
			"%s may become authenticator, which may become anon, authenticated and service_role", is.Login)
	case len(is.Migrations.Missing) > 0 && len(is.Migrations.Other) == 0:
		d.fail("roles", "not usable yet: "+strings.Join(is.Missing, ", "),
			"run: research migrate, as an owner with CREATEROLE")
	default:
		d.fail("roles", is.Login+" may not become "+strings.Join(is.Missing, ", "),
			"as an administrator: grant anon, authenticated, service_role to authenticator; "+
				"grant anon, authenticated, service_role, authenticator to "+db.QuoteName(is.Login)+" with admin option")
	}
	d.checkMigrations(is)
	// The database read its clock some time within the answer.
	d.checkClock(time.Until(is.Clock), took)
	usable := len(is.Migrations.Missing) == 0 && len(is.Migrations.Other) == 0
	isLent := is.Lent && d.cfg.Database.DirectURL == ""
	if !is.MigrationsHidden && usable && len(is.Missing) == 0 && !isLent {
		d.checkContents(ctx)
	}
}

// checkConnection reports what is between the programs and the database, and what the database refuses.
func (d *doctor) checkConnection(ctx context.Context, is db.Inspection) {
	direct := d.cfg.Database.DirectURL
	switch {
	case is.Lent && direct == "":
		d.fail("pooler", db.ErrLent.Error(), db.Advice(db.ErrLent))
	case direct != "":
		if err := db.CheckDirect(ctx, direct); err != nil {
			d.fail("pooler", err.Error(), db.Advice(err))
		}
	}
	if is.ReadOnly != "" {
		d.fail("writes", "the database is read-only: "+is.ReadOnly,
			db.Advice(db.ErrReadOnly))
	}
	if len(is.Ignored) > 0 {
		d.ok("connection string", "%s", ignoredParameters(is.Ignored))
	}
}

func ignoredParameters(names []string) string {
	return "parameters of other clients are ignored: " + strings.Join(names, ", ")
}

func (d *doctor) checkMigrations(is db.Inspection) {
	missing, unknown := is.Migrations.Missing, is.Migrations.Unknown
	switch {
	case is.MigrationsHidden:
		d.fail("migrations", is.Login+" may not see which are applied",
			"let DATABASE_URL log in as the owner of the database")
	case len(is.Migrations.Other) > 0:
		d.fail("migrations", "of a version before 1.0.0 or of a development build: "+
			db.FormatVersions(is.Migrations.Other),
			"restore a backup of a release, or start over with an empty database")
	case len(missing) > 0:
		d.fail("migrations", "missing: "+strings.Join(missing, ", "), "run: research migrate")
	case len(unknown) > 0:
		d.warn("migrations",
			"the database has migrations that this version does not know: "+db.FormatVersions(unknown)+
				"; a newer version applied them",
			"finish the upgrade; this version works meanwhile")
	default:
		d.ok("migrations", "all applied")
		d.checkSchema(is.Gone)
		d.checkPrivileges(is)
	}
}

// checkSchema reports objects that were dropped or disabled since the migrations. Running programs notice
// that only when they need them.
func (d *doctor) checkSchema(gone []string) {
	if len(gone) == 0 {
		d.ok("schema", "has everything that the migrations created")
		return
	}
	found := "missing, or disabled: " + db.Summarize(gone)
	d.fail("schema", found, "research migrate does not create it again: "+
		"see \"Something is missing in the schema\" in docs/operations.md")
}

// maxClockSkew is by how much clocks may differ: tokens are valid for an hour, and their times are whole
// seconds.
const maxClockSkew = 5 * time.Second

func (d *doctor) checkClock(skew, took time.Duration) {
	if skew.Abs() > maxClockSkew+took {
		d.fail("clock", fmt.Sprintf("this machine and the database differ by %s", skew.Abs().Round(time.Second)),
			"keep the time of both by NTP: tokens, digests and deadlines depend on it")
		return
	}
	d.ok("clock", "within %s of the database's", (maxClockSkew + took).Round(time.Second))
}

// checkContents checks what the database has.
func (d *doctor) checkContents(ctx context.Context) {
	store, err := openStore(ctx, d.cfg, "research doctor", nil)
	if err != nil {
		d.fail("tokens", err.Error(), "check what the programs may do in the database")
		return
	}
	defer store.Close()
	d.checkTokens(ctx, store)
	d.checkDigests(ctx, store)
	d.checkMails(ctx, store)
	d.checkImports(ctx, store)
	d.checkCapacity(ctx, store)
	d.checkUsage(ctx, store)
	d.checkBackup(ctx, store)
	d.checkIssuers(ctx, store)
}

// checkTokens opens the keys of tokens and the API keys, as serve does when it starts.
func (d *doctor) checkTokens(ctx context.Context, store *db.Store) {
	if _, _, err := server.OpenAuthenticator(ctx, d.cfg, store); err != nil {
		d.fail("tokens", err.Error(),
			"correct ANON_KEY, SERVICE_ROLE_KEY, JWT_SECRET, JWT_PRIVATE_KEY or EXTERNAL_ISSUERS")
		return
	}
	d.ok("tokens", "can be signed and verified")
}
