// Package openai finds evidence with a model, on a server that implements OpenAI's Chat Completions API.
package openai
