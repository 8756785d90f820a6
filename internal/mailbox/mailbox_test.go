package mailbox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/internal/mailbox"
)

func TestASCIIDomain(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"a@bücher.example":        "a@xn--bcher-kva.example",
		"a@BÜCHER.example":        "a@xn--bcher-kva.example",
		"a@bu\u0308cher.example":  "a@xn--bcher-kva.example",
		"a@straße.example":        "a@xn--strae-oqa.example", // not strasse.example, which is somebody else's
		"a@例え。テスト":                "a@xn--r8jz45g.xn--zckzah",
		"ü@bücher.example":        "ü@xn--bcher-kva.example",
		"a@xn--bcher-kva.example": "a@xn--bcher-kva.example",
		"a@with_underscore.test":  "a@with_underscore.test",
		"a@example.com":           "a@example.com",
		"a@-ü.example":            "a@-ü.example", // not in the DNS
		"bücher":                  "bücher",
		"":                        "",
	} {
		require.Equal(t, want, mailbox.ASCIIDomain(address), address)
	}
}
