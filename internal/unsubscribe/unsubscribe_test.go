package unsubscribe_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/internal/unsubscribe"
)

var (
	key  = unsubscribe.Key("a key of this installation")
	ada  = uuid.MustParse("0f8a3c52-6d1e-4b7f-9a2c-5e4d3c2b1a09")
	omar = uuid.MustParse("7b1d9e40-22c5-4f83-8e6a-0c9b8a7f6e5d")
)

func TestToken(t *testing.T) {
	t.Parallel()

	t.Run("names the user for whom it was made", func(t *testing.T) {
		t.Parallel()
		user, err := key.User(unsubscribe.Digests, key.Token(unsubscribe.Digests, ada))
		require.NoError(t, err)
		require.Equal(t, ada, user)
	})

	t.Run("keeps its form, since mails that were sent have links with it", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "D4o8Um0eS3-aLF5NPCsaCdob-hKJGpQCANzjseinLbU", key.Token(unsubscribe.Digests, ada))
	})

	good := key.Token(unsubscribe.Digests, ada)
	for name, token := range map[string]string{
		"nothing":                  "",
		"something else":           "%%",
		"a token that was cut off": good[:len(good)-1],
		"a longer token":           good + "A",
		"a token for another list": key.Token("news", ada),
		"a token with another key": unsubscribe.Key("a guess").Token(unsubscribe.Digests, ada),
		"a token without a key":    unsubscribe.Key(nil).Token(unsubscribe.Digests, ada),
		"another user's id":        key.Token(unsubscribe.Digests, omar)[:22] + good[22:],
		"an id without signature":  ada.String(),
	} {
		t.Run("rejects "+name, func(t *testing.T) {
			t.Parallel()
			user, err := key.User(unsubscribe.Digests, token)
			require.ErrorIs(t, err, unsubscribe.ErrBadToken)
			require.Zero(t, user)
		})
	}
}
