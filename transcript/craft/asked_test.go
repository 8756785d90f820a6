package craft_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"research/transcript/craft"
)

func TestAsked(t *testing.T) {
	t.Parallel()
	planned := []string{"How do you handle returns from customers?", "When was a shipment last damaged?", "Why?"}
	asked := []string{
		"So what happens when a customer returns something, how is that handled?",
		"How long have you worked here?",
		"Have you ever had damaged shipments?",
	}
	require.Equal(t, [][]int{{0}, {2}, nil}, craft.Asked(planned, asked, "en"))
	require.Equal(t, [][]int{nil}, craft.Asked(planned[:1], asked, "fi"))
}
