// Package extract finds, in a transcript, what speaks for or against hypotheses, and proves each quote against the source.
//
// An Extractor answers a Question about one chunk; there are two: the keyword extractor, which needs no network and is
// no AI, and the adapter for servers that speak OpenAI's Chat Completions. What they quote is only a claim: an Aligner locates it in the
// transcript, to the byte, or refuses it; Merge makes one piece of evidence of what was found twice. Speakers and times are looked up
// from the span, never taken from an answer.
//
// The transcript is hostile input: its text is fenced in the prompt, ids that come back are allow-listed, and the model has no
// tools. The package knows no database and no Temporal. Its errors never hold transcript text, prompts, keys or a
// server's own words.
package extract
