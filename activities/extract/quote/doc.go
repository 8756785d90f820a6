// Package quote proves that a transcript contains a quote: it locates the quote to the byte, or rejects it.
package quote
