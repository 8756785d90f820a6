package cli_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

func TestKeysCommand(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	settings := databaseSettings(d)
	keys := func(args ...string) string {
		t.Helper()
		r := run(t, settings, "", append([]string{"keys"}, args...)...)
		require.Zero(t, r.code, r.stderr)
		return r.stdout
	}
	first := strings.TrimSpace(strings.TrimPrefix(keys("rotate"), "new key:"))
	keys("rotate")
	list := keys("list")
	require.Regexp(t, `(?m)^`+first+` .* signs$`, list, "a new key is only published at first")
	require.Regexp(t, `(?m) published$`, list)
	keys("rotate", "--revoke")
	require.Equal(t, 1, dbtest.Value[int](t, d, `select count(*)::int from auth.signing_keys`))
}

func TestKeysThatASettingReplaces(t *testing.T) {
	t.Parallel()
	secret := "JWT_SECRET=" + strings.Repeat("s", 32)
	minted := run(t, []string{secret}, "", "keys", "mint", "anon")
	require.Zero(t, minted.code, minted.stderr)
	require.Equal(t, 2, strings.Count(minted.stdout, "."), "a JWT")

	without := run(t, nil, "", "keys", "mint", "anon")
	require.Equal(t, 1, without.code)

	rotated := run(t, []string{secret}, "", "keys", "rotate")
	require.Equal(t, 1, rotated.code)
	require.Contains(t, rotated.stderr, "JWT_SECRET")
}
