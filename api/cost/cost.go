// Package cost says what tokens of a model cost. It does not count them.
package cost

import "math"

// Prices are those of the model's provider for a million tokens. Zero prices mean that none are configured.
type Prices struct {
	Input, Output float64
	Currency      string // ISO 4217
}

// A Cost is the cost of tokens at the current prices.
type Cost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// configured reports whether there are prices. The currency is always set.
func (p Prices) configured() bool { return p.Input != 0 || p.Output != 0 }

// OfUse returns the cost of tokens that were used: nil without prices or tokens. Tokens from the server's
// cache, which may be cheaper, count in full.
func (p Prices) OfUse(inputTokens, outputTokens int64) *Cost {
	if inputTokens == 0 && outputTokens == 0 {
		return nil
	}
	return p.Of(inputTokens, outputTokens)
}

// Of returns the cost of tokens, which may be 0: nil without prices.
func (p Prices) Of(inputTokens, outputTokens int64) *Cost {
	if !p.configured() {
		return nil
	}
	amount := (float64(inputTokens)*p.Input + float64(outputTokens)*p.Output) / 1e6
	return &Cost{Amount: math.Round(amount*1e6) / 1e6, Currency: p.Currency}
}
