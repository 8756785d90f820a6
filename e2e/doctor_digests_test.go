package e2e

import "testing"

func TestDoctorChecksThatMailRateServesTheMembers(t *testing.T) {
	t.Parallel()
	s := startAPI(t, "MAIL_RATE=1")
	s.Exec(t, `insert into auth.users (email, email_confirmed_at)
		select 'member' || i || '@example.com', now() from generate_series(1, 3700) i`)
	s.Exec(t, `update private.digest_schedule set next_due_at = date_trunc('hour', now())`)
	s.waitForFinding(t, finding{
		Check: "digests", State: "warn", Found: "in the busiest hour, of which MAIL_RATE sends 3600",
	})

	// So many members take long to add, and the schedule alone counts.
	s.Exec(t, `set session_replication_role = replica;
		insert into private.digest_schedule (user_id, frequency)
		select gen_random_uuid(), 'daily' from generate_series(1, 90000)`)
	s.waitForFinding(t, finding{
		Check: "digests", State: "FAIL", Found: "of which MAIL_RATE sends 86400: the others expire",
	})
}
