package openai_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"research/activities/extract"
	"research/activities/extract/modeltest"
	"research/outcome"
)

// Messages whose status alone would mislead. Codes and fields decide before them.
func TestWordsOfErrors(t *testing.T) {
	t.Parallel()
	for want, messages := range map[outcome.Code][]string{
		outcome.CodeModelTooLong: {
			"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
			"the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model",
			"Input validation error: 'inputs' must have less than 1024 tokens. Given: 1168.",
			"Prompt length (5056) exceeds maximum sequence length (2048)",
			"Input tokens exceed the configured limit of 272000 tokens.",
			"too many tokens: size limit exceeded by 11326 tokens.",
			"Prompt exceeds maximum context length",
			"Prompt too long: 41911 tokens exceeds max context window of 32768 tokens",
			"Input is too long for requested model.",
		},
		outcome.CodeModelNoCredit: {
			"Your newly created team doesn't have any credits yet.",
			"Quota exceeded for aiplatform.googleapis.com",
			"Access denied, please make sure your account is in good standing.",
		},
		outcome.CodeModelForbidden: {
			"Project does not have access to model gpt-5",
			"This model is not available in your region.",
			"You are not authorized to access this resource",
			"Your API key does not have permission to use the model",
		},
		outcome.CodeModelRefused: {
			"Content violates usage guidelines.",
			"Your request was rejected as a result of our safety system.",
		},
	} {
		for _, message := range messages {
			t.Run(message, func(t *testing.T) {
				t.Parallel()
				body := `{"error":{"message":` + jsonString(message) + `}}`
				for _, status := range []int{http.StatusBadRequest, http.StatusForbidden} {
					server := modeltest.New(t).Always(modeltest.Status(status, body))
					_, err := newModel(t, server).Extract(t.Context(), request(interview))
					var failed *extract.Error
					require.ErrorAs(t, err, &failed)
					require.Equal(t, want, failed.Code, "status %d", status)
					require.Equal(t, 1, server.Count())
				}
			})
		}
	}
	for body, want := range map[string]outcome.Code{
		`{"error":{"code":"context_length_exceeded","message":"check your quota"}}`: "model_too_long",
		`{"error":{"code":"model_not_found","message":"too many tokens"}}`:          "model_not_found",
		`{"detail":"Not Found"}`:          "model_wrong_server",
		`404 page not found`:              "model_wrong_server",
		`<html>404</html>`:                "model_wrong_server",
		`{"error":"model 'x' not found"}`: "model_not_found",
	} {
		_, err := newModel(t, modeltest.New(t).Always(modeltest.Status(http.StatusNotFound, body))).
			Extract(t.Context(), request(interview))
		var failed *extract.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, want, failed.Code, body)
	}
}
