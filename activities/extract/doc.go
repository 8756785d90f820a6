// Package extract finds evidence about hypotheses in a transcript, and verifies each quote against the
// source.
//
// An Extractor answers a Request about one chunk of a transcript. There are two: Keyword matches words and
// needs no network; OpenAI calls a server that implements OpenAI's Chat Completions API. What they return are
// unverified claims. An Aligner locates each quote in the transcript, to the byte, or rejects it, and Merge
// combines findings of the same words into one piece of evidence. Speaker and time come from the located
// span, never from a response.
//
// The transcript is untrusted input: the prompt fences its text, the ids in a response are checked against
// those of the request, and the model has no tools. The package uses neither a database nor Temporal. Its
// errors never contain transcript text, prompts, keys or a server's own words.
package extract
