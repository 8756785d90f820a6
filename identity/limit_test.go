package identity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	waitTime = time.Minute // until a test fails
	pollTime = 5 * time.Millisecond
)

func TestClientNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct{ limitKey, network string }{
		"":                       {"", ""},
		"192.0.2.7":              {"192.0.2.7", "192.0.2.0/24"},
		"2001:db8:1:1:ffff::9":   {"2001:db8:1:1::/64", "2001:db8:1:1::/64"},
		"2001:db8:1:1::1":        {"2001:db8:1:1::/64", "2001:db8:1:1::/64"},
		"what a proxy might add": {"what a proxy might add", ""},
	} {
		client := Client{Address: address}
		require.Equal(t, want.limitKey, client.limitKey())
		require.Equal(t, want.network, client.network())
	}
}
