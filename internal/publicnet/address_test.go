package publicnet

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "::ffff:8.8.8.8"} {
		require.True(t, IsPublic(netip.MustParseAddr(address)), address)
	}
	for _, address := range []string{
		"127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "10.1.2.3", "172.16.0.1", "192.168.1.1",
		"169.254.169.254", "100.100.100.200", "198.18.0.1", "224.0.0.1", "255.255.255.255", "fe80::1",
		"fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
		"64:ff9b:1::a00:1", "2002:7f00:1::1", "2001::1", "fec0::1",
	} {
		require.False(t, IsPublic(netip.MustParseAddr(address)), address)
	}
}
