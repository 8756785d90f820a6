// Package webhook sends signed events to the addresses that admins of workspaces register. It knows no
// database.
//
// It follows the Standard Webhooks specification (https://www.standardwebhooks.com): the headers webhook-id,
// webhook-timestamp and webhook-signature. Since anybody may register an address, it connects to public
// addresses alone, follows no redirects, and reads only the beginning of an answer.
package webhook
