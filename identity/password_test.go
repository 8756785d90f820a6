package identity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"
)

func TestCheckHash(t *testing.T) {
	t.Parallel()
	const argon2 = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	const blowfish = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
	require.NoError(t, CheckHash(argon2))
	require.NoError(t, CheckHash(strings.Replace(argon2, "argon2id", "argon2i", 1)))
	require.NoError(t, CheckHash(blowfish))
	for name, hash := range map[string]string{
		"nothing":                "",
		"a plain password":       "hunter2",
		"a truncated bcrypt":     blowfish[:59],
		"an extended bcrypt":     blowfish + "x",
		"an expensive bcrypt":    strings.Replace(blowfish, "$05$", "$16$", 1),
		"argon2d":                strings.Replace(argon2, "argon2id", "argon2d", 1),
		"an older argon2":        strings.Replace(argon2, "v=19", "v=16", 1),
		"leading zeros":          strings.Replace(argon2, "t=2", "t=02", 1),
		"no rounds":              strings.Replace(argon2, "t=2", "t=0", 1),
		"too many rounds":        strings.Replace(argon2, "t=2", "t=17", 1),
		"too many threads":       strings.Replace(argon2, "p=1", "p=17", 1),
		"too much memory":        strings.Replace(argon2, "m=256", "m=262145", 1),
		"a salt that is too big": strings.Replace(argon2, "c29tZXNhbHQ", strings.Repeat("A", 88), 1),
		"a hash that is short":   argon2[:len(argon2)-30],
	} {
		err := CheckHash(hash)
		var rejected *HashError
		require.ErrorAs(t, err, &rejected, name)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestHasher(t *testing.T) {
	t.Parallel()

	t.Run("takes a password however its letters and spaces are encoded", func(t *testing.T) {
		t.Parallel()
		h, err := newHasher(4, 1)
		require.NoError(t, err)
		share := hashShare{key: "ada"}
		// Composed and decomposed, with a no-break space, and with what RFC 8265 does not allow.
		const (
			composed, decomposed = "caf\u00e9 au lait", "cafe\u0301 au lait"
			spaced, tab          = "caf\u00e9\u00a0au lait", "caf\u00e9\tau lait"
		)
		for _, stored := range []string{composed, decomposed, spaced, tab} {
			hash, err := h.hash(t.Context(), share, stored)
			require.NoError(t, err)
			imported, err := bcrypt.GenerateFromPassword([]byte(stored), 4)
			require.NoError(t, err)
			for _, typed := range []string{composed, decomposed, spaced, tab} {
				matches, err := h.matches(t.Context(), share, hash, typed)
				require.NoError(t, err)
				require.Equal(t, (stored == tab) == (typed == tab), matches, "%q for %q", typed, stored)
				matches, err = h.matches(t.Context(), share, string(imported), typed)
				require.NoError(t, err)
				want := typed == stored || stored == composed && typed != tab
				require.Equal(t, want, matches, "%q for the imported hash of %q", typed, stored)
			}
		}
		long := strings.Repeat("e\u0301", 36) // 108 bytes, and 72 in the form that is hashed
		require.NotErrorIs(t, Config{}.checkPassword(long, "a@b.example"), ErrPasswordTooLong)
		require.ErrorIs(t, Config{}.checkPassword(long+"x", "a@b.example"), ErrPasswordTooLong)
	})

	t.Run("renews a hash of another cost, unless the queue is full", func(t *testing.T) {
		t.Parallel()
		old, err := newHasher(4, 1)
		require.NoError(t, err)
		h, err := newHasher(5, 1)
		require.NoError(t, err)
		share := hashShare{key: "ada"}
		stored, err := old.hash(t.Context(), share, "a fine passphrase")
		require.NoError(t, err)
		current, err := old.rehash(t.Context(), share, stored, "a fine passphrase")
		require.NoError(t, err)
		require.Empty(t, current)
		renewed, err := h.rehash(t.Context(), share, stored, "a fine passphrase")
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(renewed, "$2a$05$"))
		matches, err := h.matches(t.Context(), share, renewed, "a fine passphrase")
		require.NoError(t, err)
		require.True(t, matches)
		h.queue.free, h.queue.maxWaiting = 0, 0
		renewed, err = h.rehash(t.Context(), share, stored, "a fine passphrase")
		require.NoError(t, err)
		require.Empty(t, renewed)
	})
}

func TestRefreshTokenDeriver(t *testing.T) {
	t.Parallel()
	d := refreshTokenDeriver{key: []byte("a key")}
	first := newRefreshToken()
	second := d.successor(first)
	third := d.successor(second)
	require.NotEqual(t, first, newRefreshToken())
	require.Equal(t, second, d.successor(first), "the same successor each time")
	require.Equal(t, third, d.descendant(first, hashSecret(third)))
	require.Empty(t, d.descendant(third, hashSecret(first)), "an ancestor")
	require.NotEqual(t, second, refreshTokenDeriver{key: []byte("another key")}.successor(first))
}
