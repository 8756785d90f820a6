package db

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// A cause says why the database cannot be used, and what an operator does about it. It names neither hosts
// nor users.
type cause struct{ why, do string }

// causeOf returns the cause of a failure of the driver.
func causeOf(err error) cause {
	err = telling(err)
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return causeOfState(pg)
	}
	if c := causeOfTLS(err); c.why != "" {
		return c
	}
	var dns *net.DNSError
	switch text := err.Error(); {
	case errors.As(err, &dns) && dns.IsNotFound:
		return cause{"the host of its address does not exist", "correct the host in DATABASE_URL"}
	case errors.As(err, &dns):
		return cause{"DNS does not answer", "check the resolver of this machine"}
	case slices.ContainsFunc(refusedAttributes, func(refused error) bool { return errors.Is(err, refused) }):
		return cause{"none of its hosts is what target_session_attrs demands",
			"correct hosts or target_session_attrs in DATABASE_URL; the service needs read-write"}
	case strings.Contains(text, "channel binding"):
		return cause{"it cannot bind the login to TLS, which channel_binding=require demands",
			"remove channel_binding, or use an sslmode with TLS"}
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return cause{"nothing listens at its address",
			"correct host and port in DATABASE_URL, and check that PostgreSQL runs there"}
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return cause{"there is no route to its address",
			"check the network; a host that has IPv6 only needs a pooler's or another address with IPv4"}
	case errors.Is(err, context.DeadlineExceeded), pgconn.Timeout(err), errors.Is(err, syscall.ETIMEDOUT):
		return cause{"it does not answer in time",
			"check the address, and that firewalls and the provider's list of networks admit this machine"}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return cause{"the connection was closed", "check that PostgreSQL runs, and proxies between here and there"}
	}
	if errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM) {
		return cause{"this machine does not let the program connect to its address",
			"check the rights of the socket's folder, and rules of the network for outgoing connections"}
	}
	return cause{"it answers with what the driver does not understand, such as a login by GSSAPI",
		"check host and port in DATABASE_URL, and that the server takes passwords (scram-sha-256) from here"}
}

// refusedAttributes are the driver's errors for hosts that target_session_attrs excludes.
var refusedAttributes = []error{
	pgconn.ErrReadOnlyConnection, pgconn.ErrReadWriteConnection, pgconn.ErrPrimaryConnection,
	pgconn.ErrStandbyConnection,
}

// refusedTLS is the driver's error for a server that does not offer TLS.
const refusedTLS = "server refused TLS connection"

// telling returns the failure that tells most of several attempts. Without sslmode, the driver tries TLS and
// then goes on without it, so that the first failure is none.
func telling(err error) error {
	var failed *pgconn.ConnectError
	if !errors.As(err, &failed) {
		return err
	}
	attempts, ok := failed.Unwrap().(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	for _, attempt := range attempts.Unwrap() {
		if !strings.Contains(attempt.Error(), refusedTLS) {
			return attempt
		}
	}
	return err
}

// causeOfTLS returns the cause of a failure of TLS; empty if it is none.
func causeOfTLS(err error) cause {
	const authority = "set sslrootcert in DATABASE_URL to the file of the provider's certificate authority"
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &unknown):
		return cause{"its certificate is of an authority that is not known here", authority}
	case errors.As(err, &name):
		return cause{"its certificate is for another host name",
			"connect to the name in the certificate, or use sslmode=verify-ca"}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return cause{"its certificate is not valid at this time",
			"renew the certificate, or set this machine's clock"}
	case errors.As(err, &invalid):
		return cause{"its certificate is not valid for a server", authority}
	case strings.Contains(err.Error(), refusedTLS):
		return cause{"it does not offer TLS, which sslmode demands",
			"turn TLS on at the server, or write sslmode=disable where the network is trusted"}
	case errors.As(err, &record):
		return cause{"what listens at its address does not speak PostgreSQL",
			"correct host and port in DATABASE_URL"}
	case strings.Contains(err.Error(), "tls: "):
		return cause{"TLS failed", "check sslmode, sslcert and sslkey in DATABASE_URL"}
	}
	return cause{}
}

// causesOfStates are by SQLSTATE.
var causesOfStates = map[string]cause{
	"28P01": {"the user or the password is wrong", "correct user and password in DATABASE_URL"},
	"3D000": {"there is no database of this name", "correct the name in DATABASE_URL, or create the database"},
	"42501": {"the login is neither its owner nor authenticator",
		"log in as its owner, authenticator or research_worker"},
	"53300": {"it has no free connection",
		"raise max_connections, lower DATABASE_MAX_CONNS, or use a pooler (docs/operations.md)"},
	"25006": {"it is read-only: a standby, or a provider's limit is reached",
		"connect to the primary (target_session_attrs=read-write chooses among several hosts), or free space and " +
			"lift the provider's limit"},
	"53100": {"its disk is full", "free or add disk space of the database"},
	"53200": {"it is out of memory", "give the database more memory"},
	"57P01": causeRestart, "57P02": causeRestart, "57P03": causeRestart,
	"42P05": causeLent, "26000": causeLent, "34000": causeLent,
}

var causeRestart = cause{"it starts or stops", "wait, or see what PostgreSQL logs if it lasts"}

// causeLent is of sessions in which somebody else prepared statements.
var causeLent = cause{"a pooler lends its connections for one transaction: set DATABASE_DIRECT_URL",
	"set DATABASE_DIRECT_URL to the same database without the pooler"}

// quoted matches names in a message, in the quotes of the languages that PostgreSQL speaks.
var quoted = regexp.MustCompile(`"([^"]*)"|»([^«]*)«|«([^»]*)»|“([^”]*)”|„([^“]*)“|「([^」]*)」`)

// firstQuoted returns the first name in quotes, or "".
func firstQuoted(message string) string {
	match := quoted.FindStringSubmatch(message)
	return strings.Join(match[min(1, len(match)):], "") // one of the groups matched
}

// plainMessage returns a message of the server or a pooler as one short line, without the names in quotes,
// such as the user's.
func plainMessage(message string) string {
	const most = 200 // characters
	line := []rune(strings.Join(strings.Fields(quoted.ReplaceAllString(message, "…")), " "))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

// causeOfState returns the cause of an error of the server or a pooler.
func causeOfState(pg *pgconn.PgError) cause {
	if known := causeOfLogin(pg); known.why != "" {
		return known
	}
	if known, ok := causesOfStates[pg.Code]; ok {
		return known
	}
	message := plainMessage(pg.Message)
	switch {
	case pg.Code == "08P01" && strings.Contains(message, "statement pooling"):
		return cause{"a pooler lends its connections for one statement, which leaves no transactions",
			"set the pooler's pool_mode to transaction or session"}
	case pg.Code == "08P01" && strings.Contains(message, "startup parameter"):
		return cause{"the pooler says: " + message,
			"remove the parameter from DATABASE_URL, or add it to the pooler's ignore_startup_parameters"}
	case pg.Code == "08P01" && strings.Contains(message, "bind message"):
		return causeLent
	case pg.Code == "08P01" && strings.Contains(message, "login has been failing"):
		return cause{"the pooler cannot log in at PostgreSQL: " + message,
			"check the passwords or verifiers of the pooler (userlist.txt), and what it logs"}
	case strings.HasPrefix(message, "query_wait_timeout"):
		return cause{"the pooler has no free connection: " + message,
			"raise the pooler's default_pool_size, or lower DATABASE_MAX_CONNS"}
	case strings.Contains(message, "Tenant or user not found"): // Supavisor
		return cause{"the pooler knows no such user: " + message,
			"write the user as the provider's console shows it for the pooler: name.project"}
	}
	return cause{message + " (SQLSTATE " + pg.Code + ")", "see what the server or the pooler logs at this time"}
}

// causeOfLogin returns the cause of an error that ends a connection before its first statement; empty if it
// is another.
func causeOfLogin(pg *pgconn.PgError) cause {
	switch {
	case pg.Code == "28000" && strings.Contains(pg.Message, "no encryption"):
		return cause{"it requires TLS, or admits neither this machine nor this login",
			"add sslmode=require to DATABASE_URL; else check pg_hba.conf"}
	case pg.Code == "28000":
		return cause{"it does not admit the login from here",
			"check that the login exists and may log in, and pg_hba.conf or the provider's list of networks"}
	case pg.Code == "42704" && isFatal(pg):
		return cause{"DATABASE_URL has a parameter that neither we nor PostgreSQL know: " + firstQuoted(pg.Message),
			"remove it"}
	case pg.Code == "22023" && isFatal(pg):
		return cause{
			"DATABASE_URL has a parameter with a value that PostgreSQL refuses: " + firstQuoted(pg.Message),
			"correct or remove it"}
	case pg.Code == "22023": // set role: role "authenticator" does not exist
		return cause{"it is not migrated", "run: research migrate"}
	case pg.Code == "42601" && isFatal(pg):
		return cause{"it refuses the parameter options of DATABASE_URL",
			"write options=-c%20name%3Dvalue, or remove it; options=endpoint is for the provider that gave it"}
	case pg.Code == "42501" && isFatal(pg):
		return cause{"the login may not connect to this database",
			"log in as its owner, or let the owner run: research migrate"}
	}
	return cause{}
}

// isFatal reports whether an error ended its connection. Some poolers send only one of the two.
func isFatal(pg *pgconn.PgError) bool {
	return pg.SeverityUnlocalized == "FATAL" || pg.Severity == "FATAL"
}
