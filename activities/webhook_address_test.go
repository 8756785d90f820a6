package activities_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
	"research/internal/publicnet"
)

// The database, which checks the addresses in URLs, has the same ranges as the sender, which checks those
// that names resolve to.
func TestAddressesOfWebhooksAreTheSameInSQL(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	addresses := dbtest.Value[[]string](t, d, `
		with ranges as (
			select r::cidr as r from unnest(array[
				'0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12',
				'192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15',
				'198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '8.8.8.0/24',
				'::/128', '::1/128', '::/96', '::ffff:0.0.0.0/96', '::ffff:10.0.0.0/104', '::ffff:8.8.8.0/120',
				'64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32', '2002::/16',
				'2606:4700::/32', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'
			]) r
		),
		ends as (
			select host(r)::inet as a from ranges
			union select host(broadcast(r))::inet from ranges
		)
		select array_agg(host(a)) from (
			select a from ends
			union select a - 1 from ends where a not in ('0.0.0.0', '::')
			union select a + 1 from ends
			where a not in ('255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')
		) n`)
	require.Greater(t, len(addresses), 90)
	for _, address := range addresses {
		require.Equal(t, publicnet.IsPublic(netip.MustParseAddr(address)),
			dbtest.Value[bool](t, d, `select private.is_public_address($1::text::inet)`, address), address)
	}
}
