// Package ask finds the passages of interviews that bear on a question, and proves the sentences of an answer
// by them.
//
// It is pure: it has no model, and knows no database. What it finds it finds by words in common, and what it
// proves is what the words of the quotes say.
package ask
