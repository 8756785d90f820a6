// Package words divides text into words that can be compared, and knows the words that matter to more than
// one part of an extractor: numbers, negations, quantifiers, conjunctions and other frequent words.
//
// Words are normalized, so that typography, case and accents do not matter. The package knows the scripts of
// many languages, among them those without spaces between words, and neither transcripts nor extractors.
package words
