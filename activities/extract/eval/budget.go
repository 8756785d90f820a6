package eval

import (
	"sync"

	"research/activities/extract"
)

// A Budget bounds what calls to a model may take, over several runs. Zero limits mean none, and a nil Budget
// has no limits. The calls in progress can exceed it. It is safe for concurrent use.
type Budget struct {
	MaxTokens               int64
	MaxCost                 float64
	InputPrice, OutputPrice float64 // of a million tokens, for MaxCost

	mu   sync.Mutex
	used extract.Usage
}

func (b *Budget) spend(u extract.Usage) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used = b.used.Add(u)
}

// exhausted returns ErrTokenLimit or ErrCostLimit once a limit is reached, and nil before.
func (b *Budget) exhausted() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.MaxTokens > 0 && b.used.InputTokens+b.used.OutputTokens >= b.MaxTokens:
		return ErrTokenLimit
	case b.MaxCost > 0 &&
		costOf(b.used.InputTokens, b.used.OutputTokens, b.InputPrice, b.OutputPrice) >= b.MaxCost:
		return ErrCostLimit
	}
	return nil
}

// costOf returns the cost of tokens by the prices of a million.
func costOf(inputTokens, outputTokens int64, input, output float64) float64 {
	return (float64(inputTokens)*input + float64(outputTokens)*output) / 1e6
}
