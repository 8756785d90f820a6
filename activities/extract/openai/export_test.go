package openai

import "time"

// AwaitFirstCall lets concurrent calls wait for the end of the first one, however slow the machine is.
func (o *Extractor) AwaitFirstCall() { o.dialect.wait = time.Minute }

// SetClock replaces the clock by which the forms of requests are remembered.
func (o *Extractor) SetClock(now func() time.Time) { o.dialect.now = now }
