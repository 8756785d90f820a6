package extract

import "time"

// AwaitFirstCall lets concurrent calls wait for the end of the first one, however slow the machine is.
func (o *OpenAI) AwaitFirstCall() { o.dialect.wait = time.Minute }
