package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/config"
)

func TestDoctorFindsClocksThatDiffer(t *testing.T) {
	t.Parallel()
	var d doctor
	d.checkClock(-time.Minute, time.Millisecond)
	require.Equal(t, stateFail, d.findings[0].State)
	require.Contains(t, d.findings[0].Found, "differ by 1m0s")
	d = doctor{}
	d.checkClock(time.Second, time.Millisecond)
	require.Equal(t, stateOK, d.findings[0].State)
}

func TestDoctorFindsProxiesThatAreNotTrusted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		publicURL string
		hops      int
		found     bool
	}{
		{"https://research.example", 0, true},
		{"https://research.example", 1, false},
		{"http://127.0.0.1:8080", 0, false},
	} {
		var d doctor
		d.cfg.HTTP.PublicURL, d.cfg.Identity.TrustedHops = tt.publicURL, tt.hops
		d.checkSettings(t.Context())
		found := slices.ContainsFunc(d.findings, func(f finding) bool {
			return f.State == stateWarn && strings.Contains(f.Found, "TRUSTED_PROXY_HOPS is 0")
		})
		require.Equal(t, tt.found, found, tt)
	}
}

func TestDoctorFindsAPublicAddressThatNobodyReaches(t *testing.T) {
	t.Parallel()
	for url, found := range map[string]bool{
		"http://:8080": true, "http://0.0.0.0:8080": true, "http://[::]:8080": true,
		"http://127.0.0.1:8080": false, "https://research.example": false,
	} {
		var d doctor
		d.cfg.HTTP.PublicURL = url
		d.checkSettings(t.Context())
		require.Equal(t, found, slices.ContainsFunc(d.findings, func(f finding) bool {
			return f.State == stateFail && strings.Contains(f.Found, "links in mails lead to "+url)
		}), url)
	}
}

func TestDoctorFindsSettingsThatLetEverybodyIn(t *testing.T) {
	t.Parallel()
	const public = "https://research.example"
	limits := config.Identity{
		SignUp: "on", AccountFailures: 1, AccountFailuresTotal: 1, AddressFailures: 1, AddressSignUps: 1,
		AddressClients: 1,
	}
	for name, tt := range map[string]struct {
		publicURL string
		change    func(*config.Identity)
		want      string // part of the finding; empty means none
	}{
		"open sign-up":          {public, func(*config.Identity) {}, "anybody who reaches"},
		"on this machine":       {"http://127.0.0.1:8080", func(*config.Identity) {}, ""},
		"confirmed addresses":   {public, func(i *config.Identity) { i.ConfirmEmail = true }, ""},
		"no sign-up":            {public, func(i *config.Identity) { i.SignUp = "off" }, ""},
		"no sign-in":            {public, func(i *config.Identity) { i.Off = true }, ""},
		"a domain":              {public, func(i *config.Identity) { i.SignUp = "corp.example" }, ""},
		"a domain of everybody": {public, func(i *config.Identity) { i.SignUp = "@GMail.com" }, "gmail.com"},
		"no limit": {public, func(i *config.Identity) {
			i.SignUp, i.AddressFailures = "off", 0
		}, "LIMIT_ADDRESS_FAILURES is 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var d doctor
			d.cfg.HTTP.PublicURL, d.cfg.Identity = tt.publicURL, limits
			tt.change(&d.cfg.Identity)
			d.checkSignUp()
			if tt.want == "" {
				require.Empty(t, d.findings)
				return
			}
			require.Len(t, d.findings, 1)
			require.Equal(t, stateWarn, d.findings[0].State)
			require.Contains(t, d.findings[0].Found, tt.want)
		})
	}
}

func TestDoctorNamesATemporalThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	var d doctor
	d.cfg.Temporal = config.Temporal{
		Address: "127.0.0.1:1", Namespace: "default", Timeout: 100 * time.Millisecond,
	}
	d.checkTemporal(t.Context())
	require.Equal(t, stateFail, d.findings[0].State)
	require.Equal(t, "unavailable: nothing listens at its address", d.findings[0].Found)
}

func TestDoctorNamesWhatIsMissingInTheSchema(t *testing.T) {
	t.Parallel()
	var d doctor
	d.checkSchema(nil)
	require.Equal(t, stateOK, d.findings[0].State)

	gone := []string{"function auth.uid()", "table public.projects"}
	d = doctor{}
	d.checkSchema(gone)
	require.Equal(t, stateFail, d.findings[0].State)
	require.Contains(t, d.findings[0].Found, "function auth.uid(), table public.projects")

	d = doctor{}
	d.checkSchema(slices.Repeat(gone, 20))
	require.Contains(t, d.findings[0].Found, " and 30 more")
}

func TestFindingsAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	var d doctor
	d.ok("one", "works")
	d.fail("two", "broken", "repair it")
	var out bytes.Buffer
	require.NoError(t, printFindings(&out, d.findings, false))
	require.Equal(t, "ok    one                works\n"+
		"FAIL  two                broken\n"+
		"                         → repair it\n", out.String())
}
