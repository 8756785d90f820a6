package publicnet

import (
	"errors"
	"net/netip"
	"syscall"
)

// ErrPrivate means that the name of a host resolves to an address that is not public.
var ErrPrivate = errors.New("the address is not public")

// special are the ranges beyond those that package netip knows which lead into private networks, or nowhere
// (IANA's registries of special-purpose addresses).
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // between providers and their customers
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), // relays from IPv6 to IPv4
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("64:ff9b::/96"),   // stands for any address of IPv4
	netip.MustParsePrefix("64:ff9b:1::/48"), // the same, in a private network
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // stands for any address of IPv4
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("5f00::/16"), // within a network (RFC 9602)
	netip.MustParsePrefix("fec0::/10"),
}

// IsPublic reports whether an address belongs to the public internet. private.is_public_address of the
// database says the same of the addresses in URLs when they are registered.
func IsPublic(address netip.Addr) bool {
	address = address.Unmap()
	if !address.IsGlobalUnicast() || address.IsPrivate() || address.Zone() != "" {
		return false // the former excludes loopback, link-local, multicast and unspecified addresses
	}
	for _, prefix := range special {
		if prefix.Contains(address) {
			return false
		}
	}
	return true
}

// requirePublic is the Control of a net.Dialer. It sees the address that a name was resolved to, which a
// check of the name before could not: the next answer of a name server may be another one.
func requirePublic(_, address string, _ syscall.RawConn) error {
	resolved, err := netip.ParseAddrPort(address)
	if err != nil || !IsPublic(resolved.Addr()) {
		return ErrPrivate
	}
	return nil
}
