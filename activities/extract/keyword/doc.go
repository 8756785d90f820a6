// Package keyword finds evidence by the words that a passage shares with a hypothesis, without a model.
package keyword
