// Package findings serves /api/findings: editors create links to the findings of a hypothesis, or to the
// report of a project, and anybody with a link can read them without an account.
//
// The token of a link has 256 random bits. Only its hash is stored, so a link is shown once, to its creator.
// Links are listed and revoked through the data API (finding_shares). The database decides what a link shows,
// and until when (private.shared_findings).
package findings
