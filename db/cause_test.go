package db_test

import (
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"research/db"
)

// newRefusingServer refuses every login with an error, as PostgreSQL and poolers do, and returns its address.
func newRefusingServer(t *testing.T, answer pgproto3.ErrorResponse) (address string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			backend := pgproto3.NewBackend(conn, conn)
			message, err := backend.ReceiveStartupMessage()
			if _, asksForTLS := message.(*pgproto3.SSLRequest); err == nil && asksForTLS {
				_, _ = conn.Write([]byte("N"))
				_, err = backend.ReceiveStartupMessage()
			}
			if err == nil {
				backend.Send(&answer)
				_ = backend.Flush()
			}
			_ = conn.Close()
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return listener.Addr().String()
}

// What servers and poolers of every kind answer to a login is a cause, with what to do, and without the user.
func TestCausesOfRefusedLogins(t *testing.T) {
	t.Parallel()
	for message, c := range map[string]struct{ code, says, do string }{
		`no pg_hba.conf entry for host "10.0.0.7", user "sekret", database "d", no encryption`: {
			"28000", "it requires TLS", "sslmode=require",
		},
		`no pg_hba.conf entry for host "10.0.0.7", user "sekret", database "d", SSL encryption`: {
			"28000", "does not admit the login", "pg_hba.conf",
		},
		`role "sekret" is not permitted to log in`:           {"28000", "does not admit the login", "may log in"},
		`Passwort-Authentifizierung für »sekret« fehlgeschl`: {"28P01", "password is wrong", "correct user"},
		`Datenbank »sekret« akzeptiert keine Verbindungen`:   {"55000", "Datenbank … akzeptiert", "logs"},
		`permission denied for database "sekret"`:            {"42501", "may not connect", "migrate"},
		`sorry, too many clients already`:                    {"53300", "no free connection", "max_connections"},
		`the database system is starting up`:                 {"57P03", "starts or stops", "wait"},
		`could not write init file`:                          {"53100", "its disk is full", "free or add"},
		`unrecognized configuration parameter "supabase_x"`:  {"42704", "know: supabase_x", "remove it"},
		`nicht erkannter Konfigurationsparameter »sup«`:      {"42704", "know: sup", "remove it"},
		`ungültiger Wert für Parameter »jit«: »sekret«`:      {"22023", "refuses: jit", "correct or remove"},
		`unsupported startup parameter: search_path`:         {"08P01", "parameter: search_path", "ignore_startup"},
		`server login has been failing, try again later (server_login_retry)`: {
			"08P01", "the pooler cannot log in at PostgreSQL", "userlist.txt",
		},
		`query_wait_timeout`:           {"08P01", "the pooler has no free connection", "default_pool_size"},
		`no such database: d`:          {"3D000", "there is no database of this name", "correct the name"},
		"Tenant or user\n  not found":  {"XX000", "the pooler knows no such user", "name.project"},
		`the compute node is disabled`: {"XX000", "compute node is disabled (SQLSTATE XX000)", "logs"},
	} {
		t.Run(message, func(t *testing.T) {
			t.Parallel()
			address := newRefusingServer(t, pgproto3.ErrorResponse{
				Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: c.code, Message: message,
			})
			_, err := db.Inspect(t.Context(), "postgres://sekret:sekret2@"+address+"/d")
			require.ErrorIs(t, err, db.ErrUnavailable)
			require.ErrorContains(t, err, c.says)
			for _, secret := range []string{"sekret", "10.0.0.7", address, "\n"} {
				require.NotContains(t, err.Error(), secret)
			}
			require.Contains(t, db.Advice(err), c.do)
		})
	}
}
