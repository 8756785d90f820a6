package openai

import (
	"net/http"
	"regexp"

	"research/outcome"
)

// A rule names the error that a server reports with certain words.
type rule struct {
	code  outcome.Code
	words *regexp.Regexp
}

// The rules for codes and names of parameters, which decide before messages do: those of OpenAI, Azure,
// Gemini, Groq, DashScope, LiteLLM, watsonx, Databricks, llama.cpp and TGI.
var codeRules = []rule{
	{outcome.CodeModelNoCredit, regexp.MustCompile(`insufficient_quota|billing_hard_limit|billing_not_active|` +
		`budget_exceeded|arrearage|insufficient_balance|freetieronly|token_quota_reached`)},
	{outcome.CodeModelTooLong, regexp.MustCompile(`context_length_exceeded|context_window|` +
		`contextwindowexceeded|exceed_context_size|request_too_large|string_above_max_length`)},
	{outcome.CodeModelRefused, regexp.MustCompile(`content_filter|content_policy|responsibleaipolicyviolation|` +
		`data_?inspection_?failed|prohibited_content|moderation`)},
	{outcome.CodeModelBadAnswer, regexp.MustCompile(`json_validate_failed`)},
	{outcome.CodeModelNotFound, regexp.MustCompile(`model_not_found|deploymentnotfound|model_not_available|` +
		`model_not_supported|resource_does_not_exist`)},
	{outcome.CodeModelForbidden, regexp.MustCompile(`unsupported_country|model\.access|access_denied|` +
		`accessdenied|permission_error|permission_denied`)},
	{outcome.CodeModelKeyRejected, regexp.MustCompile(`invalid_api_key|api_key_invalid|invalidapikey|` +
		`authentication_error|unauthenticated|authentication_token`)},
}

// The rules for messages.
var (
	noCreditWords = regexp.MustCompile(`insufficient (credit|balance|fund|quota)|credit balance|more credits|` +
		`(available|any|purchase) credits|out of credits?|spending limit|budget has been exceeded|exceeded ` +
		`budget|good standing|free tier.{0,40}exhausted|exceeded.{0,20} quota|` +
		`quota.{0,30} (exceeded|exhausted|reached|used up)`)
	// A rate limit may speak of quotas and of billing, too.
	noCreditOfRateLimit = regexp.MustCompile(`credits|spending limit|insufficient balance|budget`)

	refusalWords = regexp.MustCompile(`content management policy|content[ _]policy|content filter|` +
		`requires moderation|flagged|inappropriate content|content exists risk|` +
		`violat\w+ .{0,30}(guideline|polic|terms)|safety (filter|system|setting|polic)|prohibited content`)
	badAnswerWords = regexp.MustCompile(`failed to generate json|json does not match`)
	badKeyWords    = regexp.MustCompile(`(incorrect|invalid|missing|no|expired) (api[- _]?key|access token)|` +
		`api key (is )?(not valid|invalid|expired)|authentication (fail|error)|unauthorized`)
	forbiddenWords = regexp.MustCompile(`` +
		`(country|region|territory|location).{0,40}(not |un)(supported|available)|` +
		`not (supported|available) in (your|this) (country|region|location)|` +
		`(denied|not|without|no) .{0,30}access.{0,30}model|model.{0,40} access|access to .{0,40}denied|` +
		`not (authorized|permitted|allowed) to (use|access)|not have (the )?(permission|access)`)

	lengthWords = regexp.MustCompile(`context[ _](length|window|limit|size)|context the overflow|` +
		`maximum (context|prompt|input|sequence|model)[ _](length|size|tokens?)|` +
		`(prompt|input|request|sequence|messages?)( length| size| tokens?)?( is| are)? (too|longer|exceed)|` +
		`too many (input )?tokens|size limit exceeded|range of input length|input token count|token limit|` +
		`less than \d+ tokens|tokens?.{0,60}(exceeds?|exceeded|less than|<=) .{0,60}\d|` +
		`exceed.{0,60}(context|token|input|prompt)|` +
		`max_(seq|input|model|num_tokens|prompt|position)|reduce the length|shorter (input|prompt)`)
)

// code classifies the error of a response: by codes, by the HTTP status, and by its words at last, where the
// status alone would mislead.
func (f *failure) code(status int) outcome.Code {
	if code := f.named(status); code != "" {
		return code
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return outcome.CodeModelKeyRejected
	case http.StatusNotFound:
		if f.member() == formatMember { // OpenRouter: no provider takes the schema
			return outcome.CodeModelBadRequest
		}
		if f.mentions(modelWords) {
			return outcome.CodeModelNotFound
		}
		return outcome.CodeModelWrongServer
	case http.StatusMethodNotAllowed:
		return outcome.CodeModelWrongServer
	case http.StatusTooManyRequests:
		return outcome.CodeModelRateLimited
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return outcome.CodeModelUnavailable
	case http.StatusNotImplemented:
		return outcome.CodeModelBadRequest
	}
	switch {
	case status >= 500 && f.member() == formatMember:
		return outcome.CodeModelBadRequest // llama.cpp cannot compile a schema
	case status >= 500:
		return outcome.CodeModelUnavailable
	}
	return outcome.CodeModelBadRequest
}

// modelWords tell the answer about a model from that of a server which does not have the path.
var modelWords = regexp.MustCompile(`model|deployment|endpoint`)

// named returns the code of an error that the server names, or "".
func (f *failure) named(status int) outcome.Code {
	switch {
	case status == http.StatusPaymentRequired:
		return outcome.CodeModelNoCredit
	case status == http.StatusRequestEntityTooLarge:
		return outcome.CodeModelTooLong
	case f == nil:
		return ""
	}
	for _, r := range codeRules {
		if r.words.MatchString(f.codes) {
			return r.code
		}
	}
	if status == http.StatusTooManyRequests {
		if noCreditOfRateLimit.MatchString(f.words) {
			return outcome.CodeModelNoCredit
		}
		return ""
	}
	rules := []rule{
		{outcome.CodeModelTooLong, lengthWords},
		{outcome.CodeModelRefused, refusalWords},
		{outcome.CodeModelBadAnswer, badAnswerWords},
	}
	if status < 500 {
		rules = append(rules, rule{outcome.CodeModelNoCredit, noCreditWords},
			rule{outcome.CodeModelKeyRejected, badKeyWords})
	}
	if status < 500 && status != http.StatusNotFound {
		rules = append(rules, rule{outcome.CodeModelForbidden, forbiddenWords})
	}
	for _, r := range rules {
		if r.words.MatchString(f.words) {
			return r.code
		}
	}
	return ""
}

// mentions reports whether the error has a word, in its codes or its messages.
func (f *failure) mentions(words *regexp.Regexp) bool {
	return f != nil && (words.MatchString(f.codes) || words.MatchString(f.words))
}
