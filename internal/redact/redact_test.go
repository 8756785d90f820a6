package redact_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/internal/redact"
)

func TestReply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, reply, want string }{
		{"a reply without an address", "5.2.2 mailbox full", "5.2.2 mailbox full"},
		{"the address", "5.1.1 <ada.l@example.com>: unknown user", "5.1.1 <[address]>: unknown user"},
		{"the address in other case", "unknown ADA.L@Example.COM", "unknown [address]"},
		{"the local part alone", "5.1.1 ada.l... User unknown", "5.1.1 [address]... User unknown"},
		{"the local part as a word", `user "ada.l" unknown, ada.l ada.l`,
			`user "[address]" unknown, [address] [address]`},
		{"the local part at the end", "unknown: ada.l.", "unknown: [address]."},
		{"not a longer word", "see ada.london and xada.l", "see ada.london and xada.l"},
		{"another address", "ask postmaster@example.org, or <help@example.net>", "ask [address], or <[address]>"},
		{"a link", "see https://example.org/why?who=ada.l%40example.com", "see https:[address]"},
		{"a return path", "bounces-17-ada.l=example.com was rejected", "bounces-17-[address] was rejected"},
		{"several lines", "5.7.1 first\r\n\tsecond\x00", "5.7.1 first second"},
		{"bytes that are not UTF-8", "5.7.1 caf\xe9", "5.7.1 caf�"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, redact.Reply(c.reply, "ada.l@example.com"))
		})
	}

	t.Run("cuts a long reply", func(t *testing.T) {
		t.Parallel()
		got := redact.Reply(strings.Repeat("word ", 1000), "ada@example.com")
		require.Len(t, []rune(got), 300)
		require.True(t, strings.HasSuffix(got, "word…"))
	})

	t.Run("keeps words that are a short local part", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "no such user", redact.Reply("no such user", "no@example.com"))
	})

	t.Run("works without a recipient", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "<[address]> is unknown", redact.Reply("<ada@example.com> is unknown", ""))
	})
}
