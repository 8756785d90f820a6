// Package mask replaces personal data in a transcript by placeholders before it is sent to a model, and puts
// it back into what the model answers.
package mask
