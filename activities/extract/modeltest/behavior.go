package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Behavior answers one call, correctly or not.
type Behavior func(w http.ResponseWriter, x *Exchange)

// An Exchange is the call that a Behavior answers.
type Exchange struct {
	Call
	Gone <-chan struct{} // closed when the client has disconnected

	closing <-chan struct{}
}

// wait returns early if the client disconnects or the server closes.
func (x *Exchange) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.Gone:
	case <-x.closing:
	}
}

// A Completion is a chat completion. A zero field has the usual value.
type Completion struct {
	Content      string
	Refusal      string
	Reasoning    string // thoughts beside the content, as reasoning_content
	FinishReason string // "stop"
	InputTokens  int    // Tokens of the prompt
	OutputTokens int    // Tokens of the content
}

// Complete answers with the completion that build returns for the call.
func Complete(build func(Call) Completion) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		c := build(x.Call)
		if c.FinishReason == "" {
			c.FinishReason = "stop"
		}
		if c.InputTokens == 0 {
			c.InputTokens = Tokens(x.System + x.User)
		}
		if c.OutputTokens == 0 {
			c.OutputTokens = Tokens(c.Content)
		}
		message := map[string]any{"role": "assistant", "content": c.Content, "refusal": nil}
		if c.Reasoning != "" {
			message["reasoning_content"] = c.Reasoning
		}
		if c.Refusal != "" {
			message["refusal"], message["content"] = c.Refusal, nil
		}
		choice := map[string]any{"index": 0, "finish_reason": c.FinishReason, "message": message, "logprobs": nil}
		writeJSON(w, http.StatusOK, map[string]any{
			"id": "chatcmpl-test", "object": "chat.completion", "created": 1, "model": x.Model,
			"choices": []any{choice},
			"usage": map[string]any{
				"prompt_tokens":     c.InputTokens,
				"completion_tokens": c.OutputTokens,
				"total_tokens":      c.InputTokens + c.OutputTokens,
			},
		})
	}
}

// Say answers with a text.
func Say(content string) Behavior {
	return Complete(func(Call) Completion { return Completion{Content: content} })
}

// Change answers honestly, after a change of the reply about hypotheses or a question.
func Change(change func(*Reply)) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		text := honestText(x.Call)
		if !asksOtherwise(x.Call) {
			reply := Answer(x.Call)
			change(&reply)
			text = reply.JSON()
		}
		if AsksToCompose(x.Call) {
			write(w, x, text)
			return
		}
		Say(text)(w, x)
	}
}

// Honest quotes the prompt, see Answer.
func Honest() Behavior { return Change(func(*Reply) {}) }

// Nothing finds nothing.
func Nothing() Behavior { return Say(`{"findings":[],"questions":[]}`) }

// Invented quotes what nobody said.
func Invented() Behavior {
	return Change(func(r *Reply) {
		for i := range r.Findings {
			r.Findings[i].Quote = "Purple giraffes reconcile our quarterly spreadsheets underneath the lighthouse."
		}
	})
}

// WrongIDs names a hypothesis and utterances that the prompt does not have.
func WrongIDs() Behavior {
	return Change(func(r *Reply) {
		for i := range r.Findings {
			r.Findings[i].Hypothesis, r.Findings[i].Utterances = "h9999", []string{"u999999"}
		}
	})
}

// WrongUtterances quotes correctly and cites another utterance.
func WrongUtterances() Behavior {
	return Change(func(r *Reply) {
		for i := range r.Findings {
			r.Findings[i].Utterances = []string{"u999999"}
		}
	})
}

// Negated turns each quote into its opposite.
func Negated() Behavior {
	return Change(func(r *Reply) {
		for i, f := range r.Findings {
			first, rest, _ := strings.Cut(f.Quote, " ")
			r.Findings[i].Quote = first + " never " + rest
		}
	})
}

// Fenced puts an honest reply into a Markdown code fence, with prose around it.
func Fenced() Behavior {
	return Complete(func(c Call) Completion {
		return Completion{Content: "Sure! Here is {what} I found:\n\n```json\n" + honestText(c) +
			"\n```\n\nLet me know {if} you need more."}
	})
}

// Thinking writes thoughts, braces included, before an honest reply.
func Thinking() Behavior {
	return Complete(func(c Call) Completion {
		thoughts := "<think>\nThe schema is {\"findings\": [...]}, so…\n</think>\n"
		return Completion{Content: thoughts + honestText(c)}
	})
}

// Broken replies honestly in JSON with a comment and a trailing comma, as small models do.
func Broken() Behavior {
	return Complete(func(c Call) Completion {
		text := honestText(c)
		return Completion{Content: strings.TrimSuffix(text, "}") + ", // done\n}"}
	})
}

// Garbage answers without JSON.
func Garbage() Behavior { return Say("I could not find the transcript, sorry.") }

// Blank answers with an empty text.
func Blank() Behavior { return Say("") }

// Length cuts an honest reply for its length, in the middle of the JSON.
func Length() Behavior {
	return Complete(func(c Call) Completion {
		text := honestText(c)
		return Completion{Content: text[:len(text)/2], FinishReason: "length"}
	})
}

// Unfinished cuts an honest reply within its last finding, and names another reason than the length.
func Unfinished(finishReason string) Behavior {
	return Complete(func(c Call) Completion {
		text := honestText(c)
		return Completion{Content: text[:max(strings.LastIndex(text, `"stance"`), 0)], FinishReason: finishReason}
	})
}

// BareList answers with the list of findings alone.
func BareList() Behavior {
	return Complete(func(c Call) Completion {
		if asksOtherwise(c) {
			return Completion{Content: honestText(c)}
		}
		return Completion{Content: mustJSON(Answer(c).Findings)}
	})
}

// EmptyObject answers with {}, as models do that a grammar restrains without a schema.
func EmptyObject() Behavior { return Say("{}") }

// InReasoning puts an honest reply into reasoning_content and leaves the content empty.
func InReasoning() Behavior {
	return Complete(func(c Call) Completion { return Completion{Reasoning: honestText(c)} })
}

// Looping repeats itself until the limit of the response. Without a limit it never ends.
func Looping() Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		limit := max(x.MaxTokens, x.MaxCompletionTokens)
		if limit == 0 {
			Hang()(w, x)
			return
		}
		Complete(func(Call) Completion {
			return Completion{
				Content: `{"findings":[` + strings.Repeat(" ", 64), FinishReason: "length", OutputTokens: limit,
			}
		})(w, x)
	}
}

// Refuse declines with the field that OpenAI has for refusals.
func Refuse() Behavior {
	return Complete(func(Call) Completion { return Completion{Refusal: "I can't help with that."} })
}

// Filtered ends with the content filter's finish reason.
func Filtered() Behavior {
	return Complete(func(Call) Completion { return Completion{FinishReason: "content_filter"} })
}

// Silently reports in its usage that it read at most a number of tokens of the prompt, as Ollama does.
func Silently(tokens int) Behavior {
	return Complete(func(c Call) Completion {
		return Completion{Content: honestText(c), InputTokens: min(tokens, Tokens(c.System+c.User))}
	})
}

// EmptyChoices answers 200 without a choice.
func EmptyChoices() Behavior {
	return Status(http.StatusOK, `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":0,"total_tokens":10}}`)
}

// Status answers with a status, a body and headers (name, value, name, value …).
func Status(status int, body string, headers ...string) Behavior {
	return func(w http.ResponseWriter, _ *Exchange) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client may have disconnected
	}
}

// BadKey is OpenAI's 401.
func BadKey() Behavior {
	return Status(http.StatusUnauthorized, `{"error":{"message":"Incorrect API key provided: sk-test****.",`+
		`"type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`)
}

// NoCredit is OpenAI's 429 for an account without credit.
func NoCredit() Behavior {
	return Status(http.StatusTooManyRequests, `{"error":{"message":"You exceeded your current quota, please `+
		`check your `+
		`plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
		"Retry-After", "5")
}

// RateLimited is a 429. With a delay of 0 it has no Retry-After.
func RateLimited(after time.Duration) Behavior {
	const body = `{"error":{"message":"Rate limit reached for requests","type":"requests","param":null,` +
		`"code":"rate_limit_exceeded"}}`
	if after == 0 {
		return Status(http.StatusTooManyRequests, body)
	}
	delay := strconv.FormatFloat(after.Seconds(), 'f', -1, 64)
	return Status(http.StatusTooManyRequests, body, "Retry-After", delay)
}

// NoModel is a 404 for the model.
func NoModel() Behavior {
	return Status(http.StatusNotFound, `{"error":{"message":"The model does not exist or you do not have `+
		`access to it.",`+
		`"type":"invalid_request_error","param":null,"code":"model_not_found"}}`)
}

// ContextTooLong rejects prompts of more than maxBytes, as OpenAI does, and answers others honestly.
func ContextTooLong(maxBytes int) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if len(x.System)+len(x.User) <= maxBytes {
			Honest()(w, x)
			return
		}
		Status(http.StatusBadRequest, `{"error":{"message":"This model's maximum context length is 4096 tokens. `+
			`However, your messages resulted in more.","type":"invalid_request_error","param":"messages",`+
			`"code":"context_length_exceeded"}}`)(w, x)
	}
}

// NoSchema rejects json_schema and, if noObject is set, json_object; then answers other calls.
func NoSchema(noObject bool, then Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if x.Format == "json_schema" || noObject && x.Format == "json_object" {
			Status(http.StatusBadRequest, `{"error":{"message":"Invalid parameter: 'response_format' of this type is `+
				`not supported with this model.","type":"invalid_request_error","param":"response_format",`+
				`"code":null}}`)(w, x)
			return
		}
		then(w, x)
	}
}

// AlternatingRoles rejects two messages of a role in a row, and a system message if noSystem is set, as the
// chat templates of Mistral and Gemma do in vLLM; then answers other calls.
func AlternatingRoles(noSystem bool, then Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		for i, role := range x.Roles {
			if noSystem && role == "system" {
				Status(http.StatusBadRequest, `{"object":"error","message":"System role not supported",`+
					`"type":"BadRequestError","param":null,"code":400}`)(w, x)
				return
			}
			if i > 0 && role == x.Roles[i-1] {
				Status(http.StatusBadRequest, `{"object":"error","message":"Conversation roles must alternate `+
					`user/assistant/user/assistant/...","type":"BadRequestError","param":null,"code":400}`)(w, x)
				return
			}
		}
		then(w, x)
	}
}

// NoLimitField rejects a member that limits the response, and names the other one; then answers other calls.
func NoLimitField(field string, then Behavior) Behavior {
	remedy := map[string]string{
		"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens",
	}[field]
	return func(w http.ResponseWriter, x *Exchange) {
		if field == "max_tokens" && x.MaxTokens > 0 ||
			field == "max_completion_tokens" && x.MaxCompletionTokens > 0 {
			Status(http.StatusBadRequest, `{"error":{"message":"Unsupported parameter: '`+field+`' is not supported `+
				`with this model. Use '`+remedy+`' instead.","type":"invalid_request_error","param":"`+field+`",`+
				`"code":"unsupported_parameter"}}`)(w, x)
			return
		}
		then(w, x)
	}
}

// PromptsOver misbehaves for prompts of more than a number of bytes and is honest for others.
func PromptsOver(bytes int, misbehave Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		if len(x.System)+len(x.User) > bytes {
			misbehave(w, x)
			return
		}
		Honest()(w, x)
	}
}

// Delay waits, then behaves.
func Delay(d time.Duration, then Behavior) Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		x.wait(d)
		then(w, x)
	}
}

// Hang never answers. It ends when the client disconnects or the server closes.
func Hang() Behavior {
	return func(_ http.ResponseWriter, x *Exchange) { x.wait(24 * time.Hour) }
}

// Drop closes the connection without a response.
func Drop() Behavior {
	return func(http.ResponseWriter, *Exchange) { panic(http.ErrAbortHandler) }
}

// CutOff closes the connection in the middle of the body of an honest completion.
func CutOff() Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "5000")
		_, _ = fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":`+
			`{"role":"assistant","content":%q`, honestText(x.Call)[:10])
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

// Endless sends white space without end.
func Endless() Behavior {
	return func(w http.ResponseWriter, x *Exchange) {
		w.Header().Set("Content-Type", "application/json")
		blank := []byte(strings.Repeat(" ", 64<<10))
		for {
			select {
			case <-x.Gone:
				return
			case <-x.closing:
				return
			default:
			}
			if _, err := w.Write(blank); err != nil {
				return
			}
		}
	}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}
