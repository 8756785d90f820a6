package imports

import "math"

// Prices are those of the model's provider for a million tokens. Zero prices mean that none are configured.
type Prices struct {
	Input, Output float64
	Currency      string // ISO 4217
}

// A cost is the cost of an import's tokens at the current prices.
type cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// configured reports whether there are prices. The currency is always set.
func (p Prices) configured() bool { return p.Input != 0 || p.Output != 0 }

// cost returns nil without prices or tokens. Tokens from the server's cache, which may be cheaper, count in
// full.
func (p Prices) cost(inputTokens, outputTokens int64) *cost {
	if !p.configured() || inputTokens == 0 && outputTokens == 0 {
		return nil
	}
	return p.of(inputTokens, outputTokens)
}

// of returns the cost of tokens, which may be 0.
func (p Prices) of(inputTokens, outputTokens int64) *cost {
	amount := (float64(inputTokens)*p.Input + float64(outputTokens)*p.Output) / 1e6
	return &cost{Amount: math.Round(amount*1e6) / 1e6, Currency: p.Currency}
}
