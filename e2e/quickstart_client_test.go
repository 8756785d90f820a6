//go:build clients

package e2e

import "testing"

// The quick start in JavaScript, run as it is. Needs Node (20 or newer).
func TestClientQuickStart(t *testing.T) {
	t.Parallel()
	quickStart{[]string{"node"}, []string{"node", "quickstart.mjs"}}.test(t)
}
