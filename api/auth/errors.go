package auth

import (
	"errors"
	"net/http"
	"time"

	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/identity"
)

// The headers of requests and responses that supabase-js uses.
const (
	apiVersionHeader = "X-Supabase-Api-Version" // echoed; determines the type of code in the body
	apiVersion       = "2024-01-01"
	errorCodeHeader  = "x-sb-error-code"
)

// details are the Details of a problem.Error: the fields of GoTrue's body other than code and message.
type details struct {
	oauthError string   // RFC 6749's error, if it differs from the code
	reasons    []string // of weak_password
}

func fail(status int, code, message string) *problem.Error {
	return &problem.Error{Status: status, Code: code, Message: message}
}

func invalidGrant(code, message string) *problem.Error {
	return &problem.Error{
		Status: http.StatusBadRequest, Code: code, Message: message, Details: details{oauthError: "invalid_grant"},
	}
}

// invalid is the response to a request with a missing or invalid value.
func invalid(message string) *problem.Error {
	return fail(http.StatusBadRequest, "validation_failed", message)
}

func badJSON(message string) *problem.Error {
	return fail(http.StatusBadRequest, "bad_json", message)
}

func unprocessable(code, message string) *problem.Error {
	return fail(http.StatusUnprocessableEntity, code, message)
}

func tooMany(code, message string) *problem.Error {
	return fail(http.StatusTooManyRequests, code, message)
}

// answers maps errors of other packages to GoTrue's. The first match wins.
var answers = []struct {
	err    error
	answer *problem.Error
}{
	{identity.ErrEmailRequired, invalid("An e-mail address is required.")},
	{identity.ErrInvalidCredentials, invalidGrant("invalid_credentials", "Invalid login credentials")},
	{identity.ErrBanned, invalidGrant("user_banned", "User is banned")},
	{identity.ErrNotConfirmed, invalidGrant("email_not_confirmed", "Email not confirmed")},
	{identity.ErrUserGone, invalidGrant("user_not_found", "User not found")},
	{identity.ErrRefreshTokenNotFound, invalidGrant("refresh_token_not_found",
		"Invalid Refresh Token: Refresh Token Not Found")},
	{identity.ErrRefreshTokenReused, invalidGrant("refresh_token_already_used",
		"Invalid Refresh Token: Already Used")},
	{identity.ErrSessionExpired, invalidGrant("session_expired", "Invalid Refresh Token: Session Expired")},

	{identity.ErrSessionEnded, fail(http.StatusForbidden, "session_not_found",
		"Session from session_id claim in JWT does not exist")},
	{identity.ErrSessionUserGone, fail(http.StatusForbidden, "user_not_found",
		"User from sub claim in JWT does not exist")},
	{identity.ErrSessionNotFound, fail(http.StatusNotFound, "session_not_found", "You have no such session.")},

	{identity.ErrSignUpDisabled, unprocessable("signup_disabled", "Signups not allowed for this instance")},
	{identity.ErrAnonymousDisabled, unprocessable("anonymous_provider_disabled",
		"Anonymous sign-ins are disabled")},
	{identity.ErrAnonymousUser, unprocessable("validation_failed",
		"Updating password of an anonymous user without an email or phone is not allowed")},
	{identity.ErrDomainNotAllowed, unprocessable("email_address_not_authorized",
		"Only addresses of certain e-mail domains may have accounts here. Use another address.")},
	{identity.ErrUserExists, unprocessable("user_already_exists", "User already registered")},
	{identity.ErrUserNotFound, fail(http.StatusNotFound, "user_not_found", "User not found")},
	{identity.ErrEmailTaken, unprocessable("email_exists",
		"A user with this email address has already been registered")},
	{identity.ErrIDTaken, unprocessable("conflict", "A user with this id exists already")},
	{identity.ErrInvalidEmail, invalid("Unable to validate email address: invalid format")},
	{identity.ErrInvalidPhone, invalid("Invalid phone number format")},
	{identity.ErrPasswordTooLong, unprocessable("validation_failed",
		"Password cannot be longer than 72 bytes: bcrypt would ignore the rest.")},
	{identity.ErrPasswordNotText, unprocessable("validation_failed", "Password must be text.")},
	{identity.ErrSamePassword, unprocessable("same_password",
		"New password should be different from the old password.")},
	{identity.ErrMetadataTooLarge, unprocessable("validation_failed",
		"The metadata is larger than 16 KB: it is part of every access token.")},
	{identity.ErrMetadataNUL, invalid("The metadata has a NUL character.")},
	{identity.ErrInvalidLink, fail(http.StatusForbidden, "otp_expired", "Email link is invalid or has expired")},
	{identity.ErrWrongMailedCode, fail(http.StatusForbidden, "otp_expired", "Token has expired or is invalid")},
	{identity.ErrReauthenticationNeeded, fail(http.StatusBadRequest, "reauthentication_needed",
		"This change requires a recent sign-in: sign in again, or send the password or a mailed code to "+
			"POST /auth/v1/reauthenticate.")},
	{identity.ErrInvalidCode, unprocessable("reauthentication_not_valid", "Nonce has expired or is invalid")},
	{identity.ErrNoAddress, unprocessable("validation_failed",
		"Reauthentication requires the user to have an email or a phone number")},
	{identity.ErrAddressNotProven, unprocessable("email_not_confirmed", "Please verify your email first.")},

	{identity.ErrChallengeIncomplete, invalid("PKCE flow requires code_challenge_method and code_challenge")},
	{identity.ErrChallengeInvalid, invalid("code_challenge must have 43 to 128 letters, digits, hyphens, " +
		"periods, underscores and tildes, and code_challenge_method must be s256 or plain")},
	{identity.ErrFlowNotFound, fail(http.StatusNotFound, "flow_state_not_found",
		"invalid flow state, no valid flow state found")},
	{identity.ErrFlowExpired, unprocessable("flow_state_expired",
		"invalid flow state, flow state has expired")},
	{identity.ErrWrongVerifier, fail(http.StatusBadRequest, "bad_code_verifier",
		"code challenge does not match previously saved code verifier")},

	{identity.ErrFactorNotFound, fail(http.StatusNotFound, "mfa_factor_not_found", "Factor not found")},
	{identity.ErrFactorNameTaken, unprocessable("mfa_factor_name_conflict",
		"A factor with this friendly name already exists")},
	{identity.ErrFactorNameInvalid, invalid("friendly_name and issuer must be text of at most 200 bytes")},
	{identity.ErrTooManyFactors, unprocessable("too_many_enrolled_mfa_factors",
		"Maximum number of verified factors reached, unenroll to continue")},
	{identity.ErrChallengeNotFound, unprocessable("mfa_factor_not_found",
		"MFA factor with the provided challenge ID not found")},
	{identity.ErrChallengeExpired, unprocessable("mfa_challenge_expired",
		"MFA challenge has expired, verify against another challenge or create a new challenge.")},
	{identity.ErrWrongCode, unprocessable("mfa_verification_failed", "Invalid TOTP code entered")},
	{identity.ErrSecondFactorRequired, fail(http.StatusForbidden, "insufficient_aal",
		"AAL2 required to enroll a new factor")},
	{identity.ErrUnenrollRequiresFactor, unprocessable("insufficient_aal",
		"AAL2 required to unenroll verified factor")},
	{identity.ErrUpdateRequiresFactor, fail(http.StatusUnauthorized, "insufficient_aal",
		"AAL2 session is required to update email or password when MFA is enabled.")},

	{identity.ErrOAuthClientNotFound, fail(http.StatusNotFound, "oauth_client_not_found",
		"OAuth client not found")},
	{identity.ErrProviderDisabled, fail(http.StatusBadRequest, "validation_failed",
		"Unsupported provider: provider is not enabled")},
	{identity.ErrChallengeRequired, invalid("Signing in with a provider requires PKCE: send " +
		"code_challenge, or create the client with flowType 'pkce'.")},
	{identity.ErrProviderFlowNotFound, fail(http.StatusBadRequest, "bad_oauth_state",
		"No such sign-in was begun in this browser, or it was finished already. Try again.")},
	{identity.ErrProviderFlowExpired, unprocessable("flow_state_expired",
		"The sign-in took too long. Try again.")},
	{identity.ErrProviderAddressUnproven, unprocessable("provider_email_needs_verification",
		"The provider does not vouch for your e-mail address. If a link was mailed to it, follow that first. If "+
			"you have an account, sign in to it in another way, and link the provider there.")},
	{identity.ErrIdentityTaken, unprocessable("identity_already_exists",
		"Identity is already linked to a user")},
	{identity.ErrIdentityNotFound, fail(http.StatusNotFound, "identity_not_found", "Identity doesn't exist")},
	{identity.ErrLastIdentity, unprocessable("single_identity_not_deletable",
		"User must have at least 1 identity after unlinking")},
	{identity.ErrPersonalTokenName, invalid("name must have 1 to 100 characters, without control characters.")},
	{identity.ErrPersonalTokenScopes, invalid(scopesMessage)},
	{identity.ErrPersonalTokenLifetime, invalid("expires_in must be a number of seconds between 1 and " +
		"31622400, which are 366 days.")},
	{identity.ErrTooManyPersonalTokens, unprocessable("too_many_personal_tokens",
		"You have 50 personal access tokens, and there cannot be more. Revoke one first.")},
	{identity.ErrPersonalTokenNotFound, fail(http.StatusNotFound, "personal_token_not_found",
		"You have no such personal access token.")},
	{identity.ErrAuthorizationNotFound, fail(http.StatusNotFound, "oauth_authorization_not_found",
		"authorization not found")},
	{identity.ErrAuthorizationAnswered, invalid("authorization request is no longer pending")},
	{identity.ErrAnonymousAccess, fail(http.StatusForbidden, "anonymous_user",
		"Apps and scripts need an account to act for: add an e-mail address, or sign in.")},
	{identity.ErrAccessRequiresFactor, fail(http.StatusForbidden, "insufficient_aal",
		"Enter a code of your second factor first: giving access requires a session with it.")},
	{identity.ErrGrantNotFound, fail(http.StatusNotFound, "oauth_consent_not_found",
		"No active grant found for this client")},
	{identity.ErrAuthorizationCode, fail(http.StatusBadRequest, "invalid_grant",
		"The code is not one of this client, or has expired.")},
	{identity.ErrAuthorizationCodeReused, fail(http.StatusBadRequest, "invalid_grant",
		"The code was used already. The session that it began has ended.")},
	{identity.ErrAuthorizationRedirect, fail(http.StatusBadRequest, "invalid_grant",
		"redirect_uri is not the one to which the code was sent.")},
	{identity.ErrAuthorizationVerifier, fail(http.StatusBadRequest, "invalid_grant",
		"code_verifier does not match the code challenge.")},
	{identity.ErrAuthorizationResource, fail(http.StatusBadRequest, "invalid_target",
		"resource is not the one that the user has allowed.")},

	{identity.ErrTooManyCodes, tooMany("over_request_rate_limit",
		"Too many wrong codes were entered. Try again later, or use a recovery code.")},
	{identity.ErrTooManySignIns, tooMany("over_request_rate_limit",
		"Too many sign-ins have failed. Try again later.")},
	{identity.ErrTooManySignUps, tooMany("over_request_rate_limit",
		"Too many accounts were created from this address. Try again later.")},
	{identity.ErrTooManyClients, tooMany("over_request_rate_limit",
		"Too many apps were registered from this address. Try again later.")},
	{identity.ErrTooManyDocuments, tooMany("over_request_rate_limit",
		"The servers of too many apps are slow to say what the apps are. Try again in a moment.")},
	{identity.ErrTooManyMails, tooMany("over_email_send_rate_limit",
		"Too many mails were requested from this address. Try again later.")},
	{identity.ErrTooManyMailsToAccount, tooMany("over_email_send_rate_limit",
		"Too many mails were requested for this account. Try again later.")},
	{identity.ErrTooManyChanges, tooMany("over_request_rate_limit",
		"The account was changed too often within a week. Try again later.")},
	{identity.ErrBusy, tooMany("over_request_rate_limit",
		"Too many people are signing in at this moment. Try again in a few seconds.")},

	// JSON that Go accepts and PostgreSQL rejects: a number out of range, objects nested too deeply.
	{db.ErrInvalidValue, invalid("A value cannot be stored.")},
	{db.ErrTimeout, &problem.Error{
		Status: http.StatusGatewayTimeout, Code: problem.CodeTimeout, RetryAfter: 5 * time.Second,
		Message: "The request took too long. Try again in a moment.",
	}},
}

// translations map the errors of authentication and of package identity to responses.
var translations = []problem.Translation{
	problem.When(isBadToken, func(err error) *problem.Error {
		// Clients look for the first words.
		return fail(http.StatusForbidden, "bad_jwt", "invalid JWT: "+err.Error())
	}),
	problem.When(isMissingToken, func(error) *problem.Error {
		return fail(http.StatusUnauthorized, "no_authorization", "This endpoint requires a valid Bearer token")
	}),
	problem.When(token.IsUnauthenticated, func(err error) *problem.Error {
		return fail(http.StatusUnauthorized, "no_authorization", err.Error())
	}),
	problem.As(func(weak *identity.WeakPasswordError) *problem.Error {
		answer := unprocessable("weak_password", weak.Error())
		answer.Details = details{reasons: weak.Reasons}
		return answer
	}),
	problem.As(func(refused *identity.ProviderError) *problem.Error {
		if refused.Temporary {
			return &problem.Error{
				Status: http.StatusServiceUnavailable, Code: "bad_oauth_callback", RetryAfter: 5 * time.Second,
				Message: "You cannot be signed in now: " + refused.Error() + ".",
			}
		}
		return fail(http.StatusBadRequest, "bad_oauth_callback", "You cannot be signed in: "+refused.Error()+".")
	}),
	problem.As(func(app *identity.ClientMetadataError) *problem.Error {
		answer := invalid(app.Reason)
		answer.Details = details{oauthError: app.Code}
		return answer
	}),
	problem.As(func(hash *identity.HashError) *problem.Error { return invalid("password_hash " + hash.Reason) }),
	answerTo,
}

func isMissingToken(err error) bool { return errors.Is(err, token.ErrNoToken) }

func isBadToken(err error) bool {
	return errors.Is(err, token.ErrExpired) || errors.Is(err, token.ErrInvalid)
}

// answerTo returns the response to an error of answers, or nil. That to an error of a limit says when to
// retry.
func answerTo(err error) *problem.Error {
	for _, row := range answers {
		if errors.Is(err, row.err) {
			answer := *row.answer
			answer.Cause = err
			var limit *identity.LimitError
			if errors.As(err, &limit) {
				answer.RetryAfter = limit.RetryAfter
			}
			return &answer
		}
	}
	return nil
}

// An errorBody is an error in the formats of all clients.
type errorBody struct {
	Code             any           `json:"code"` // the status, or the error code since 2024-01-01
	Error            string        `json:"error"`
	ErrorCode        string        `json:"error_code"`
	ErrorDescription string        `json:"error_description"`
	Message          string        `json:"message"`
	Msg              string        `json:"msg"`
	WeakPassword     *weakPassword `json:"weak_password,omitempty"`
}

type weakPassword struct {
	Message string   `json:"message"`
	Reasons []string `json:"reasons"`
}

// format is the body of an error.
func format(w http.ResponseWriter, r *http.Request, e *problem.Error) any {
	code, oauthError, message := inGoTruesWords(e)
	d, _ := e.Details.(details)
	if d.oauthError != "" {
		oauthError = d.oauthError
	}
	body := errorBody{
		Code: e.Status, ErrorCode: code, Msg: message, Message: message,
		Error: oauthError, ErrorDescription: message,
	}
	if d.reasons != nil {
		body.WeakPassword = &weakPassword{Message: message, Reasons: d.reasons}
	}
	if r.Header.Get(apiVersionHeader) >= apiVersion {
		w.Header().Set(apiVersionHeader, apiVersion)
		body.Code = code
	}
	w.Header().Set(errorCodeHeader, code)
	return body
}

// inGoTruesWords renames the errors of package problem.
func inGoTruesWords(e *problem.Error) (code, oauthError, message string) {
	switch e.Code {
	case problem.CodeInternal:
		return "unexpected_failure", "unexpected_failure",
			"Unexpected failure, please check server logs for more information"
	case problem.CodeUnavailable:
		return "unexpected_failure", "unexpected_failure", e.Message
	case problem.CodeTimeout:
		return "request_timeout", "temporarily_unavailable", e.Message
	case problem.CodeTooMany:
		return "over_request_rate_limit", "over_request_rate_limit", e.Message
	case problem.CodeCanceled:
		return "request_canceled", "request_canceled", e.Message
	}
	return e.Code, e.Code, e.Message
}
