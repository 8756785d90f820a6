// Package docs has the guides that the service serves at /docs: what users of a deployment and their programs
// need. The others are for those who run or change the service.
package docs

import "embed"

// Guides are the guides in Markdown, and the programs of the quick starts.
//
//go:embed api.md ask.md assistants.md compat.md digests.md events.md formats.md refi.md sign-in.md
//go:embed webhooks.md
//go:embed quickstart/README.md quickstart/*.go quickstart/*.mjs quickstart/*.py quickstart/*.sh
//go:embed quickstart/webhook/webhook.go
var Guides embed.FS
