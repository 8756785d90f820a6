package account

import (
	"net/http"
	"time"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/identity"
)

var (
	errNoUser = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "This endpoint is for users: send the access token of a sign-in.",
	}
	errPersonalToken = &problem.Error{
		Status: http.StatusForbidden, Code: problem.CodeScope,
		Message: "A personal access token cannot be used for the account of its user: send the access token of a " +
			"sign-in.",
	}
	errExternal = &problem.Error{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "You sign in with another identity provider. Ask an administrator to delete your account.",
	}
	errFactor = &problem.Error{
		Status: http.StatusForbidden, Code: "insufficient_aal",
		Message: "Enter a code of your second factor first.",
	}
	errReauthenticate = &problem.Error{
		Status: http.StatusForbidden, Code: "reauthentication_needed",
		Message: "Your sign-in is older than a day. Sign in again, or send the password or a mailed code to " +
			"POST /auth/v1/reauthenticate.",
	}
	errNonce = &problem.Error{
		Status: http.StatusUnprocessableEntity, Code: "reauthentication_not_valid",
		Message: "The nonce is wrong, was used already or has expired.",
	}
	errBody = &problem.Error{
		Status: http.StatusBadRequest, Code: "invalid_request",
		Message: "The body must be empty, or a JSON object with the field nonce.",
		Details: problem.Fields{"body": "not a JSON object"},
	}
	errExporting = &problem.Error{
		Status: http.StatusTooManyRequests, Code: "too_many_exports", RetryAfter: 30 * time.Second,
		Message: "Another export of your data is in progress. Wait until it is done.",
	}
)

var translations = []problem.Translation{
	problem.Is(identity.ErrSessionEnded, problem.Unauthorized(identity.ErrSessionEnded)),
	problem.Is(identity.ErrSessionUserGone, problem.Unauthorized(identity.ErrSessionUserGone)),
	problem.Is(identity.ErrUserNotFound, problem.Unauthorized(identity.ErrUserNotFound)),
	problem.Is(identity.ErrBanned, problem.Unauthorized(identity.ErrBanned)),
	problem.Is(identity.ErrUpdateRequiresFactor, errFactor),
	problem.Is(identity.ErrSecondFactorRequired, errFactor),
	problem.Is(identity.ErrReauthenticationNeeded, errReauthenticate),
	problem.Is(identity.ErrInvalidCode, errNonce),
	problem.Is(admission.ErrBusy, errExporting),
	problem.When(token.IsUnauthenticated, problem.Unauthorized),
}
