package db

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A SharedLoginError means that a login belongs to another database of the server as well, whose programs a
// new password would lock out.
type SharedLoginError struct {
	Login     string
	Databases []string // not all, if there are many
}

func (e *SharedLoginError) Error() string {
	return fmt.Sprintf("the role %s logs in to another database of this server, too (%s), and has one password",
		e.Login, strings.Join(e.Databases, ", "))
}

// CheckLogin returns an error if EnsureLogin would change the password of a role that logs in to another
// database of the server: a *SharedLoginError.
func CheckLogin(ctx context.Context, url, role, password string) error {
	l, err := openLogin(ctx, url, role)
	if err != nil {
		return err
	}
	defer l.close(ctx)
	if matches, err := l.matches(ctx, password); err != nil || matches {
		return err
	}
	others, err := l.otherDatabases(ctx)
	if err == nil && len(others) > 0 {
		return &SharedLoginError{role, others}
	}
	return err
}

// EnsureLogin lets a role log in to the database with a password. A role that does not exist is created, and
// may do what authenticator may. A role that has the password already keeps what the server stores of it,
// which poolers may have copied. The URL must be an owner's with CREATEROLE.
func EnsureLogin(ctx context.Context, url, role, password string) error {
	verifier, err := scramVerifier(password)
	if err != nil {
		return fmt.Errorf("set the password of %s: %w", role, err)
	}
	l, err := openLogin(ctx, url, role)
	if err != nil {
		return err
	}
	defer l.close(ctx)
	// It does not inherit, so that it may not connect where authenticator may.
	_, err = l.conn.Exec(ctx, "create role "+l.name+" login noinherit")
	if err != nil && !isState(err, "42710") { // it exists
		return l.explain(ctx, "create the role "+role, err)
	}
	if role != LoginServe {
		if err := l.join(ctx); err != nil {
			return l.explain(ctx, "grant "+LoginServe+" to "+role, err)
		}
	}
	matches, err := l.matches(ctx, password)
	if err != nil {
		return err
	}
	if !matches {
		// The verifier has no quotes, and does not reveal the password to the server's log.
		if _, err := l.conn.Exec(ctx, "alter role "+l.name+" login password '"+verifier+"'"); err != nil {
			return l.explain(ctx, "set the password of "+role, err)
		}
	}
	return l.admit(ctx)
}

// AdmitLogins lets nobody connect to the database but its owner, the logins, and those to whom somebody
// granted it: a login of another database of the server may become the same roles. Logins that do not exist,
// and those of other databases, are left out. It returns whether everybody may connect still, because the
// login of the URL may not change it.
func AdmitLogins(ctx context.Context, url string, logins ...string) (open bool, err error) {
	for _, role := range logins {
		if err := admitLogin(ctx, url, role); err != nil {
			return false, err
		}
	}
	conn, err := Connect(ctx, url)
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, closeDatabase); err != nil && !isRefused(err) {
		return false, fmt.Errorf("close the database: %w", translate(err))
	}
	err = conn.QueryRow(ctx, `select exists (
		select from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
		where d.datname = current_database() and a.grantee = 0 and a.privilege_type = 'CONNECT')`).Scan(&open)
	return open, translate(err)
}

// closeDatabase takes from PUBLIC the right to connect.
const closeDatabase = `do $$ begin
	execute format('revoke connect on database %I from public', current_database());
end $$`

func admitLogin(ctx context.Context, url, role string) error {
	l, err := openLogin(ctx, url, role)
	if err != nil {
		return err
	}
	defer l.close(ctx)
	var granted bool
	err = l.conn.QueryRow(ctx, `select exists (
		select from pg_database d, aclexplode(d.datacl) a
		where d.datname = current_database() and a.grantee = to_regrole($1) and a.privilege_type = 'CONNECT')
			or to_regrole($1) is null`, l.name).Scan(&granted)
	if err != nil || granted {
		return translate(err)
	}
	others, err := l.otherDatabases(ctx)
	if err != nil || len(others) > 0 {
		return err
	}
	_, err = l.conn.Exec(ctx, l.onDatabase("grant connect on database %I to %I"))
	if isRefused(err) {
		return nil
	}
	return err
}

// A login is a role, and a connection of the database's owner.
type login struct {
	conn       *pgx.Conn
	role, name string // and as SQL writes it
}

func openLogin(ctx context.Context, url, role string) (login, error) {
	conn, err := Connect(ctx, url)
	return login{conn, role, pgx.Identifier{role}.Sanitize()}, err
}

func (l login) close(ctx context.Context) { _ = l.conn.Close(context.WithoutCancel(ctx)) }

// onDatabase returns a statement about the database and the role.
func (l login) onDatabase(format string) string {
	literal := "'" + strings.ReplaceAll(l.role, "'", "''") + "'"
	return "do $$ begin execute format('" + format + "', current_database(), " + literal + "); end $$"
}

// admit lets the role connect, if it may not yet.
func (l login) admit(ctx context.Context) error {
	var may bool
	err := l.conn.QueryRow(ctx, "select has_database_privilege($1, current_database(), 'connect')",
		l.role).Scan(&may)
	if err != nil || may {
		return translate(err)
	}
	_, err = l.conn.Exec(ctx, l.onDatabase("grant connect on database %I to %I"))
	return l.explain(ctx, "let "+l.role+" connect to the database", err)
}

// join makes the role a member of authenticator that inherits nothing from it: neither what it may do, nor
// to which databases it may connect.
func (l login) join(ctx context.Context) error {
	var isMember, inherits, isNew bool
	err := l.conn.QueryRow(ctx, `select pg_has_role($1, 'authenticator', 'member'),
		pg_has_role($1, 'authenticator', 'usage'), current_setting('server_version_num')::int >= 160000`, l.role,
	).Scan(&isMember, &inherits, &isNew)
	if err != nil {
		return err
	}
	if inherits && !isNew {
		if _, err := l.conn.Exec(ctx, "alter role "+l.name+" noinherit"); err != nil {
			return err
		}
	}
	grant := "grant " + LoginServe + " to " + l.name
	if isNew {
		grant += " with inherit false, set true"
	}
	if !isMember || inherits && isNew {
		_, err = l.conn.Exec(ctx, grant)
	}
	return err
}

const otherDatabasesSQL = `
	select d.datname::text
	from pg_database d
	join pg_roles r on r.rolname = $1
	where d.datallowconn
		and d.datname not in (current_database(), regexp_replace(current_database(), '_drill$', '') || '_drill')
		and has_database_privilege(r.oid, d.oid, 'connect')
		and (
			exists (
				select from aclexplode(d.datacl) a where a.grantee = r.oid and a.privilege_type = 'CONNECT')
			or exists (
				select from pg_shdepend s
				where s.dbid = d.oid and s.refclassid = 'pg_authid'::regclass and s.refobjid = r.oid))
	order by 1
	limit 10`

// otherDatabases returns databases of the server in which the role is used: it may connect to them, and was
// granted that, or has something in them. The database of a drill is not among them.
func (l login) otherDatabases(ctx context.Context) ([]string, error) {
	rows, err := l.conn.Query(ctx, otherDatabasesSQL, l.role)
	if err != nil {
		return nil, translate(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return names, translate(err)
}

// matches reports whether the role logs in with the password, by SCRAM.
func (l login) matches(ctx context.Context, password string) (bool, error) {
	var verifier string
	err := l.conn.QueryRow(ctx,
		"select coalesce(rolpassword, '') from pg_authid where rolname = $1 and rolcanlogin", l.role,
	).Scan(&verifier)
	switch {
	case err == nil:
		return matchesVerifier(password, verifier), nil
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case !isState(err, "42501"):
		return false, translate(err)
	}
	// Providers let nobody read what the server stores, but everybody may log in.
	cfg := l.conn.Config().Copy()
	cfg.User, cfg.Password = l.role, password
	cfg.RequireAuth = "scram-sha-256" // a server that trusts this machine proves nothing
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return isState(err, "42501"), nil // the password is right, and the role may not connect to this database
	}
	return true, conn.Close(ctx)
}

// explain says what an administrator has to run if the owner may not change the role. Since PostgreSQL 16,
// the owner needs ADMIN OPTION on a role that somebody else created.
func (l login) explain(ctx context.Context, doing string, err error) error {
	if !isState(err, "42501") {
		if err != nil {
			err = fmt.Errorf("%s: %w", doing, translate(err))
		}
		return err
	}
	var commands string
	scanErr := l.conn.QueryRow(ctx, `
		select format('alter role %I createrole; grant %s to %1$I with admin option', current_user,
			 string_agg(quote_ident(rolname), ', ' order by rolname))
		from pg_roles where rolname in ('authenticator', $1)`, l.role).Scan(&commands)
	if scanErr != nil {
		return fmt.Errorf("%s: %w", doing, translate(err))
	}
	return fmt.Errorf("%s: the login of DATABASE_URL may not; have an administrator run: %s: %w", doing,
		commands, ErrDenied)
}

// scramIterations are PostgreSQL's default.
const scramIterations = 4096

// scramVerifier is what PostgreSQL stores of a password: SCRAM-SHA-256 of RFC 7677. Passwords are printable
// ASCII, which needs no preparation.
func scramVerifier(password string) (string, error) {
	notPrintable := func(r rune) bool { return r < ' ' || r > '~' }
	if password == "" || strings.ContainsFunc(password, notPrintable) {
		return "", errors.New("a password of a database role must be printable ASCII")
	}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails, see crypto/rand
	return saltedVerifier(password, salt, scramIterations)
}

func saltedVerifier(password string, salt []byte, iterations int) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	keyed := func(message string) []byte {
		mac := hmac.New(sha256.New, salted)
		mac.Write([]byte(message))
		return mac.Sum(nil)
	}
	storedKey := sha256.Sum256(keyed("Client Key"))
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s",
		iterations, text(salt), text(storedKey[:]), text(keyed("Server Key"))), nil
}

// verifierParts are the iterations and the salt of a verifier.
var verifierParts = regexp.MustCompile(`^SCRAM-SHA-256\$([0-9]{1,7}):([A-Za-z0-9+/=]+)\$`)

// matchesVerifier reports whether a verifier is one of the password. That of MD5, which PostgreSQL 18 warns
// about, never is.
func matchesVerifier(password, verifier string) bool {
	parts := verifierParts.FindStringSubmatch(verifier)
	if parts == nil {
		return false
	}
	iterations, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	salt, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	same, err := saltedVerifier(password, salt, iterations)
	return err == nil && hmac.Equal([]byte(same), []byte(verifier))
}
