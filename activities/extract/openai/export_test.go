package openai

import "time"

// AwaitFirstCall lets concurrent calls wait for the end of the first one, however slow the machine is.
func (o *Extractor) AwaitFirstCall() { o.dialect.wait = time.Minute }
