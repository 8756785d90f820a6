package auth_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// A phone is an app that shows the codes of a factor.
type phone struct {
	factor string
	secret string
}

// code returns what the phone shows so long from now.
func (p phone) code(t testing.TB, e *edge, later time.Duration) string {
	t.Helper()
	code, err := totp.GenerateCode(p.secret, e.clock.Now().Add(later))
	require.NoError(t, err)
	return code
}

// wrong returns a code that the phone shows neither now nor soon.
func (p phone) wrong(t testing.TB, e *edge) string {
	t.Helper()
	shown := []string{
		p.code(t, e, -30*time.Second), p.code(t, e, 0), p.code(t, e, 30*time.Second), p.code(t, e, time.Minute),
	}
	for i := 0; ; i++ {
		code := "00000" + strconv.Itoa(i)
		if !strings.Contains(strings.Join(shown, " "), code) {
			return code
		}
	}
}

const totpFactor = `{"factor_type":"totp"}`

// enroll requires that an enrollment succeeds.
func (e *edge) enroll(t testing.TB, access, body string) phone {
	t.Helper()
	a := e.do(t, "POST", "/factors", body, bearer(access))
	require.Equal(t, 200, a.status, a.raw)
	return phone{a.body["id"].(string), a.body["totp"].(map[string]any)["secret"].(string)}
}

// challenge requires that a challenge begins, and returns its id.
func (e *edge) challenge(t testing.TB, access, factor string) string {
	t.Helper()
	a := e.do(t, "POST", "/factors/"+factor+"/challenge", "", bearer(access))
	require.Equal(t, 200, a.status, a.raw)
	return a.body["id"].(string)
}

func (e *edge) answerChallenge(t testing.TB, access, factor, challenge, code string) answer {
	t.Helper()
	body := jsonOf(map[string]any{"challenge_id": challenge, "code": code})
	return e.do(t, "POST", "/factors/"+factor+"/verify", body, bearer(access))
}

// enter asks for a challenge and answers it with a code.
func (e *edge) enter(t testing.TB, access, factor, code string) answer {
	t.Helper()
	return e.answerChallenge(t, access, factor, e.challenge(t, access, factor), code)
}

// raise requires that a code raises a session, and returns the session.
func (e *edge) raise(t testing.TB, access, factor, code string) session {
	t.Helper()
	a := e.enter(t, access, factor, code)
	require.Equal(t, 200, a.status, a.raw)
	return session{a.body["access_token"].(string), a.body["refresh_token"].(string)}
}

// protected returns a user's phone and a session with the second factor.
func (e *edge) protected(t testing.TB, email string) (phone, session) {
	t.Helper()
	e.User(t, email)
	s := e.signIn(t, email, correct)
	p := e.enroll(t, s.access, totpFactor)
	raised := e.raise(t, s.access, p.factor, p.code(t, e, 0))
	e.clock.advance(time.Minute) // the next code is another one
	return p, raised
}

func TestEnrollFactor(t *testing.T) {
	t.Parallel()

	t.Run("answers with a secret, an image and no session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		a := e.do(t, "POST", "/factors", `{"factor_type":"totp","friendly_name":"Phone"}`, bearer(s.access))
		require.Equal(t, 200, a.status)
		require.Equal(t, "totp", a.body["type"])
		require.Equal(t, "Phone", a.body["friendly_name"])
		secret := a.body["totp"].(map[string]any)
		require.Len(t, secret["secret"], 32)
		require.Contains(t, secret["uri"], "otpauth://totp/research.example:ada@example.com?")
		require.Contains(t, secret["uri"], secret["secret"])
		require.Regexp(t, `^<svg [^#]*</svg>$`, secret["qr_code"])
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
		require.Equal(t, 1, e.audited(t, "factor_in_progress"))

		stored := dbtest.Value[string](t, e.DB, `select encode(secret, 'escape') from auth.mfa_factors`)
		require.NotContains(t, stored, secret["secret"])
		user := e.getUser(t, s.access).body
		require.Equal(t, "unverified", user["factors"].([]any)[0].(map[string]any)["status"])
		require.NotContains(t, jsonOf(user), secret["secret"])
	})

	t.Run("rejects what is not supported", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for body, want := range map[string]struct {
			status int
			code   string
		}{
			`{}`:                         {400, "validation_failed"},
			`{"factor_type":"phone"}`:    {422, "mfa_phone_enroll_not_enabled"},
			`{"factor_type":"webauthn"}`: {422, "mfa_webauthn_enroll_not_enabled"},
			`{"factor_type":"totp","friendly_name":"` + strings.Repeat("n", 201) + `"}`: {400, "validation_failed"},
			`{"factor_type":"totp","issuer":"a\u0000b"}`:                                {400, "validation_failed"},
		} {
			requireError(t, e.do(t, "POST", "/factors", body, bearer(s.access)), want.status, want.code)
		}
		requireError(t, e.do(t, "POST", "/factors", totpFactor), 401, "no_authorization")
	})

	t.Run("replaces an enrollment that was not completed, but no factor", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		const named = `{"factor_type":"totp","friendly_name":"Phone"}`
		first := e.enroll(t, s.access, named)
		second := e.enroll(t, s.access, named)
		a := e.do(t, "POST", "/factors/"+first.factor+"/challenge", "", bearer(s.access))
		requireError(t, a, 404, "mfa_factor_not_found")
		s = e.raise(t, s.access, second.factor, second.code(t, e, 0))
		requireError(t, e.do(t, "POST", "/factors", named, bearer(s.access)), 422, "mfa_factor_name_conflict")
	})

	t.Run("allows ten factors", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for i := range 10 {
			e.enroll(t, s.access, jsonOf(map[string]any{"factor_type": "totp", "friendly_name": strconv.Itoa(i)}))
		}
		a := e.do(t, "POST", "/factors", totpFactor, bearer(s.access))
		requireError(t, a, 422, "too_many_enrolled_mfa_factors")
	})
}

func TestVerifyFactor(t *testing.T) {
	t.Parallel()

	t.Run("raises the session, and ends those without the factor", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		e.User(t, "ada@example.com")
		elsewhere, s := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		require.Equal(t, "aal1", claim(t, s.access, "aal"))
		p := e.enroll(t, s.access, totpFactor)
		raised := e.raise(t, s.access, p.factor, p.code(t, e, 0))

		require.Equal(t, "aal2", claim(t, raised.access, "aal"))
		require.Equal(t, claim(t, s.access, "session_id"), claim(t, raised.access, "session_id"))
		methods := claim(t, raised.access, "amr").([]any)
		require.Equal(t, "totp", methods[0].(map[string]any)["method"])
		require.Equal(t, "password", methods[1].(map[string]any)["method"])
		requireError(t, e.getUser(t, elsewhere.access), 403, "session_not_found")
		factor := e.getUser(t, raised.access).body["factors"].([]any)[0].(map[string]any)
		require.Equal(t, "verified", factor["status"])

		a := e.refresh(t, raised.refresh)
		require.Equal(t, 200, a.status)
		require.Equal(t, "aal2", claim(t, a.body["access_token"].(string), "aal"))
	})

	t.Run("asks again at the next sign-in, and adds the code's session only", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, first := e.protected(t, "ada@example.com")
		second := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, "aal1", claim(t, second.access, "aal"))
		raised := e.raise(t, second.access, p.factor, p.code(t, e, 0))
		require.Equal(t, "aal2", claim(t, raised.access, "aal"))
		require.Equal(t, 200, e.getUser(t, first.access).status)
	})

	t.Run("invalidates the refresh token from before", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		stolen := e.signIn(t, "ada@example.com", correct)
		raised := e.raise(t, stolen.access, p.factor, p.code(t, e, 0))
		requireError(t, e.refresh(t, stolen.refresh), 400, "refresh_token_not_found")
		require.Equal(t, 200, e.refresh(t, raised.refresh).status)
	})

	t.Run("accepts the codes of clocks that are half a minute off", func(t *testing.T) {
		t.Parallel()
		for _, off := range []time.Duration{-30 * time.Second, 30 * time.Second} {
			e := setup(t)
			p, _ := e.protected(t, "ada@example.com")
			s := e.signIn(t, "ada@example.com", correct)
			require.Equal(t, 200, e.enter(t, s.access, p.factor, p.code(t, e, off)).status)
		}
	})

	t.Run("accepts a code once, also in another session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		code, earlier := p.code(t, e, 0), p.code(t, e, -30*time.Second)
		owner, thief := e.signIn(t, "ada@example.com", correct), e.signIn(t, "ada@example.com", correct)
		owner = e.raise(t, owner.access, p.factor, code)
		requireError(t, e.do(t, "POST", "/factors/"+p.factor+"/challenge", "", bearer(thief.access)),
			403, "session_not_found")
		thief = e.signIn(t, "ada@example.com", correct)
		requireError(t, e.enter(t, thief.access, p.factor, code), 422, "mfa_verification_failed")
		requireError(t, e.enter(t, thief.access, p.factor, earlier), 422, "mfa_verification_failed")
		requireError(t, e.enter(t, owner.access, p.factor, code), 422, "mfa_verification_failed")
	})

	t.Run("accepts one of concurrent answers with the same code", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		challenge, code := e.challenge(t, s.access, p.factor), p.code(t, e, 0)
		statuses := make([]int, 8)
		var answers sync.WaitGroup
		for i := range statuses {
			answers.Go(func() {
				statuses[i] = e.answerChallenge(t, s.access, p.factor, challenge, code).status
			})
		}
		answers.Wait()
		accepted := 0
		for _, status := range statuses {
			if status == http.StatusOK {
				accepted++
			}
		}
		require.Equal(t, 1, accepted, statuses)
	})

	t.Run("rejects a challenge of another session, factor or user, or an old one", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		other := e.enroll(t, s.access, `{"factor_type":"totp","friendly_name":"Tablet"}`)
		thief := e.signIn(t, "ada@example.com", correct)
		foreign, eve := e.protected(t, "eve@example.com")

		ofThief := e.challenge(t, thief.access, p.factor)
		a := e.answerChallenge(t, s.access, p.factor, ofThief, p.code(t, e, 0))
		requireError(t, a, 422, "mfa_factor_not_found")
		ofOther := e.challenge(t, s.access, other.factor)
		a = e.answerChallenge(t, s.access, p.factor, ofOther, p.code(t, e, 0))
		requireError(t, a, 422, "mfa_factor_not_found")
		a = e.answerChallenge(t, s.access, p.factor, uuid.NewString(), p.code(t, e, 0))
		requireError(t, a, 422, "mfa_factor_not_found")
		a = e.do(t, "POST", "/factors/"+foreign.factor+"/challenge", "", bearer(s.access))
		requireError(t, a, 404, "mfa_factor_not_found")
		ofEve := e.challenge(t, eve.access, foreign.factor)
		a = e.answerChallenge(t, s.access, foreign.factor, ofEve, foreign.code(t, e, 0))
		requireError(t, a, 404, "mfa_factor_not_found")

		old := e.challenge(t, s.access, p.factor)
		e.clock.advance(5 * time.Minute)
		a = e.answerChallenge(t, s.access, p.factor, old, p.code(t, e, 0))
		requireError(t, a, 422, "mfa_challenge_expired")
	})

	t.Run("keeps a challenge after a wrong code", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		challenge := e.challenge(t, s.access, p.factor)
		a := e.answerChallenge(t, s.access, p.factor, challenge, p.wrong(t, e))
		requireError(t, a, 422, "mfa_verification_failed")
		requireError(t, e.answerChallenge(t, s.access, p.factor, challenge, ""), 400, "validation_failed")
		require.Equal(t, 200, e.answerChallenge(t, s.access, p.factor, challenge, p.code(t, e, 0)).status)
	})
}

func TestGuessingCodes(t *testing.T) {
	t.Parallel()

	t.Run("waits longer after each wrong code, in every session", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		for range 5 {
			requireError(t, e.enter(t, s.access, p.factor, p.wrong(t, e)), 422, "mfa_verification_failed")
		}
		a := e.enter(t, s.access, p.factor, p.code(t, e, 0))
		requireError(t, a, 429, "over_request_rate_limit")
		require.Equal(t, "30", a.header.Get("Retry-After"))
		again := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.enter(t, again.access, p.factor, p.code(t, e, 0)), 429, "over_request_rate_limit")

		e.clock.advance(30 * time.Second)
		requireError(t, e.enter(t, again.access, p.factor, p.wrong(t, e)), 422, "mfa_verification_failed")
		a = e.enter(t, again.access, p.factor, p.wrong(t, e))
		require.Equal(t, "60", a.header.Get("Retry-After"))
		e.clock.advance(time.Minute)
		require.Equal(t, 200, e.enter(t, again.access, p.factor, p.code(t, e, 0)).status)
	})

	t.Run("counts concurrent guesses", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, _ := e.protected(t, "ada@example.com")
		s := e.signIn(t, "ada@example.com", correct)
		challenge, wrong := e.challenge(t, s.access, p.factor), p.wrong(t, e)
		statuses := make([]int, 20)
		var guesses sync.WaitGroup
		for i := range statuses {
			guesses.Go(func() { statuses[i] = e.answerChallenge(t, s.access, p.factor, challenge, wrong).status })
		}
		guesses.Wait()
		checked := 0
		for _, status := range statuses {
			if status == http.StatusUnprocessableEntity {
				checked++
			}
		}
		require.Equal(t, 5, checked, statuses)
	})

	t.Run("lets the owner in by a recovery code meanwhile", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		codes := e.recoveryCodes(t, s.access)
		thief := e.signIn(t, "ada@example.com", correct)
		for range 6 {
			e.enter(t, thief.access, p.factor, p.wrong(t, e))
		}
		owner := e.signIn(t, "ada@example.com", correct)
		require.Equal(t, 200, e.enter(t, owner.access, p.factor, codes[0]).status)
	})
}

// recoveryCodes requires that new codes are given.
func (e *edge) recoveryCodes(t testing.TB, access string) []string {
	t.Helper()
	a := e.do(t, "POST", "/factors/recovery-codes", "", bearer(access))
	require.Equal(t, 200, a.status, a.raw)
	var body struct{ Codes []string }
	require.NoError(t, json.Unmarshal([]byte(a.raw), &body))
	return body.Codes
}

// codesLeft returns how many recovery codes the user has.
func (e *edge) codesLeft(t testing.TB, access string) string {
	t.Helper()
	a := e.do(t, "GET", "/factors/recovery-codes", "", bearer(access))
	require.Equal(t, 200, a.status, a.raw)
	return a.body["remaining"].(json.Number).String()
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()

	t.Run("replace the code of a factor, each once", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		codes := e.recoveryCodes(t, s.access)
		require.Len(t, codes, 10)
		require.Regexp(t, `^([a-z2-7]{4}-){3}[a-z2-7]{4}$`, codes[0])

		lost := e.signIn(t, "ada@example.com", correct)
		typed := strings.ToUpper(strings.ReplaceAll(codes[0], "-", " "))
		raised := e.raise(t, lost.access, p.factor, typed)
		require.Equal(t, "aal2", claim(t, raised.access, "aal"))
		require.Equal(t, "9", e.codesLeft(t, raised.access))
		again := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.enter(t, again.access, p.factor, codes[0]), 422, "mfa_verification_failed")
		requireError(t, e.enter(t, again.access, p.factor, "aaaa-aaaa-aaaa-aaaa"), 422, "mfa_verification_failed")
	})

	t.Run("need a session with the factor, and replace earlier ones", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		old := e.recoveryCodes(t, s.access)
		e.recoveryCodes(t, s.access)
		thief := e.signIn(t, "ada@example.com", correct)
		a := e.do(t, "POST", "/factors/recovery-codes", "", bearer(thief.access))
		requireError(t, a, 403, "insufficient_aal")
		requireError(t, e.enter(t, thief.access, p.factor, old[0]), 422, "mfa_verification_failed")
		require.Equal(t, "10", e.codesLeft(t, s.access))
	})

	t.Run("do not complete an enrollment, and do not work for others", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		_, s := e.protected(t, "ada@example.com")
		codes := e.recoveryCodes(t, s.access)
		tablet := e.enroll(t, s.access, `{"factor_type":"totp","friendly_name":"Tablet"}`)
		requireError(t, e.enter(t, s.access, tablet.factor, codes[0]), 422, "mfa_verification_failed")
		foreign, _ := e.protected(t, "eve@example.com")
		eve := e.signIn(t, "eve@example.com", correct)
		requireError(t, e.enter(t, eve.access, foreign.factor, codes[0]), 422, "mfa_verification_failed")
		require.Equal(t, "10", e.codesLeft(t, s.access))
	})

	t.Run("are stored as hashes", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		_, s := e.protected(t, "ada@example.com")
		codes := e.recoveryCodes(t, s.access)
		stored := dbtest.Value[string](t, e.DB,
			`select string_agg(encode(code_hash, 'escape'), ' ') from auth.mfa_recovery_codes`)
		for _, code := range codes {
			require.NotContains(t, stored, strings.ReplaceAll(code, "-", ""))
		}
	})
}

func TestUnenrollFactor(t *testing.T) {
	t.Parallel()

	t.Run("takes the session back, ends the others, and deletes the recovery codes", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		e.recoveryCodes(t, s.access)
		stolen := e.signIn(t, "ada@example.com", correct)
		stolen = e.raise(t, stolen.access, p.factor, p.code(t, e, 0))

		a := e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(s.access))
		require.Equal(t, 200, a.status, a.raw)
		require.Equal(t, p.factor, a.body["id"])
		requireError(t, e.getUser(t, stolen.access), 403, "session_not_found")
		a = e.refresh(t, s.refresh)
		require.Equal(t, 200, a.status)
		require.Equal(t, "aal1", claim(t, a.body["access_token"].(string), "aal"))
		require.NotContains(t, a.body["user"], "factors")
		require.Equal(t, "0", e.codesLeft(t, s.access))
	})

	t.Run("keeps the session and the codes if another factor is left", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		e.recoveryCodes(t, s.access)
		tablet := e.enroll(t, s.access, `{"factor_type":"totp","friendly_name":"Tablet"}`)
		s = e.raise(t, s.access, tablet.factor, tablet.code(t, e, 0))
		require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(s.access)).status)
		a := e.refresh(t, s.refresh)
		require.Equal(t, "aal2", claim(t, a.body["access_token"].(string), "aal"))
		require.Equal(t, "10", e.codesLeft(t, s.access))
	})

	t.Run("needs the factor, unless the enrollment was not completed", func(t *testing.T) {
		t.Parallel()
		e := setup(t)
		p, s := e.protected(t, "ada@example.com")
		pending := e.enroll(t, s.access, `{"factor_type":"totp","friendly_name":"Tablet"}`)
		thief := e.signIn(t, "ada@example.com", correct)
		requireError(t, e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(thief.access)), 422, "insufficient_aal")
		require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+pending.factor, "", bearer(thief.access)).status)
		for _, id := range []string{uuid.NewString(), pending.factor} {
			a := e.do(t, "DELETE", "/factors/"+id, "", bearer(s.access))
			requireError(t, a, 404, "mfa_factor_not_found")
		}
		requireError(t, e.do(t, "DELETE", "/factors/7", "", bearer(s.access)), 404, "validation_failed")
	})
}

func TestPasswordWithoutTheSecondFactor(t *testing.T) {
	t.Parallel()
	e := setup(t)
	p, s := e.protected(t, "ada@example.com")
	thief := e.signIn(t, "ada@example.com", correct)

	for _, change := range []string{`{"password":"another long password"}`, `{"email":"eve@example.com"}`} {
		requireError(t, e.putUser(t, thief.access, change), 401, "insufficient_aal")
	}
	requireError(t, e.do(t, "POST", "/factors", totpFactor, bearer(thief.access)), 403, "insufficient_aal")
	require.Equal(t, 200, e.putUser(t, thief.access, `{"data":{"name":"Ada"}}`).status)

	// The link of a recovery proves the mailbox only.
	require.Equal(t, 200, e.do(t, "POST", "/recover", `{"email":"ada@example.com"}`).status)
	a := e.verify(t, "recovery", e.minted(t))
	require.Equal(t, 200, a.status, a.raw)
	recovered := a.body["access_token"].(string)
	require.Equal(t, "aal1", claim(t, recovered, "aal"))
	requireError(t, e.putUser(t, recovered, `{"password":"another long password"}`), 401, "insufficient_aal")
	raised := e.raise(t, recovered, p.factor, p.code(t, e, 0))
	require.Equal(t, 200, e.putUser(t, raised.access, `{"password":"another long password"}`).status)
	requireError(t, e.getUser(t, s.access), 403, "session_not_found")
}

func TestAdministratorsRemoveFactors(t *testing.T) {
	t.Parallel()
	e := setup(t)
	p, s := e.protected(t, "ada@example.com")
	foreign, _ := e.protected(t, "eve@example.com")
	path := "/admin/users/" + claim(t, s.access, "sub").(string) + "/factors"
	admin := []string{"apikey: " + serviceKey, bearer(serviceKey)}

	a := e.do(t, "GET", path, "", admin...)
	require.Equal(t, 200, a.status, a.raw)
	var factors []map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.raw), &factors))
	require.Len(t, factors, 1)
	require.Equal(t, p.factor, factors[0]["id"])
	require.NotContains(t, a.raw, "secret")

	requireError(t, e.do(t, "DELETE", path+"/"+p.factor, "", bearer(s.access)), 403, "not_admin")
	requireError(t, e.do(t, "DELETE", path+"/"+foreign.factor, "", admin...), 404, "mfa_factor_not_found")
	require.Equal(t, 200, e.do(t, "DELETE", path+"/"+p.factor, "", admin...).status)
	requireError(t, e.getUser(t, s.access), 403, "session_not_found")
	again := e.signIn(t, "ada@example.com", correct)
	require.Equal(t, 200, e.putUser(t, again.access, `{"password":"another long password"}`).status)
}

func TestUsersAreToldOfChangesOfFactors(t *testing.T) {
	t.Parallel()
	e := setup(t)
	told := func(kind string) {
		t.Helper()
		require.Equal(t, []string{kind + " ada@example.com"}, e.notices(t))
		e.Exec(t, "delete from auth.notices")
	}
	p, s := e.protected(t, "ada@example.com")
	told("factor_added")

	code := e.recoveryCodes(t, s.access)[0]
	told("recovery_codes_renewed")
	s = e.signIn(t, "ada@example.com", correct)
	require.Empty(t, e.notices(t))
	s = e.raise(t, s.access, p.factor, code)
	told("recovery_code_used")

	pending := e.enroll(t, s.access, `{"factor_type":"totp","friendly_name":"Tablet"}`)
	require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+pending.factor, "", bearer(s.access)).status)
	require.Empty(t, e.notices(t), "one that never counted")
	require.Equal(t, 200, e.do(t, "DELETE", "/factors/"+p.factor, "", bearer(s.access)).status)
	told("factor_removed")

	p = e.enroll(t, s.access, totpFactor)
	e.raise(t, s.access, p.factor, p.code(t, e, 0))
	told("factor_added")
	path := "/admin/users/" + claim(t, s.access, "sub").(string) + "/factors/" + p.factor
	require.Equal(t, 200, e.do(t, "DELETE", path, "", "apikey: "+serviceKey, bearer(serviceKey)).status)
	told("factor_removed")
}
