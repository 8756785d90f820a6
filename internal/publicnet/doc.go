// Package publicnet connects to addresses that strangers choose: receivers of webhooks, and the documents
// that apps have about themselves. It connects to the public internet alone, uses no proxy, follows no
// redirects, and bounds time and sizes.
package publicnet
