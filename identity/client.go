package identity

import (
	"net/netip"

	"research/internal/ratelimit"
)

// A Client is the program or browser that sent a request.
type Client struct {
	Address   string // its IP address, for limits, the audit log and the list of sessions; empty means unknown
	UserAgent string
}

// limitKey returns the network that counts as one address.
func (c Client) limitKey() string { return ratelimit.Network(c.Address) }

// network returns the network of the client: the /24 of an IPv4 address, or the /64 of an IPv6 address. The
// addresses of one line change within it. It is "" if the address is unknown.
func (c Client) network() string {
	ip, err := netip.ParseAddr(c.Address)
	switch {
	case err != nil:
		return ""
	case ip.Is4():
		return prefix(ip, 24)
	}
	return prefix(ip, 64)
}

func prefix(ip netip.Addr, bits int) string {
	p, err := ip.WithZone("").Prefix(bits)
	if err != nil {
		return ip.String()
	}
	return p.String()
}

// accountKey identifies an account on the client's network.
func (c Client) accountKey(email string) string { return email + " " + c.network() }
