package identity

import (
	"errors"
	"strings"
	"time"

	"research/identity/oidc"
)

// The errors of signing in.
var (
	ErrEmailRequired = errors.New("an email address is required")
	// ErrInvalidCredentials means that the user is unknown, has no password, or has another one. Callers cannot
	// tell which.
	ErrInvalidCredentials = errors.New("wrong email address or password")
	ErrBanned             = errors.New("the user is banned")
	ErrNotConfirmed       = errors.New("the email address is not confirmed")
	// ErrUserGone means that the user was deleted during the sign-in.
	ErrUserGone = errors.New("the user was deleted")

	ErrRefreshTokenNotFound = errors.New("there is no such refresh token")
	// ErrRefreshTokenReused means that the token had been replaced before. Its session was ended.
	ErrRefreshTokenReused = errors.New("the refresh token was used already")
	ErrSessionExpired     = errors.New("the session has expired")

	// ErrSessionEnded means that the session of an access token does not exist any more.
	ErrSessionEnded = errors.New("the session has ended")
	// ErrSessionUserGone means that the user of an access token does not exist any more.
	ErrSessionUserGone = errors.New("the user of the session was deleted")
	// ErrSessionNotFound means that the user has no session with an id.
	ErrSessionNotFound = errors.New("the user has no such session")
)

// The errors of creating and changing users.
var (
	ErrSignUpDisabled    = errors.New("sign-up is disabled")
	ErrAnonymousDisabled = errors.New("anonymous sign-in is disabled")
	// ErrAnonymousUser means that the change requires an account with a proven address.
	ErrAnonymousUser    = errors.New("the user is anonymous")
	ErrDomainNotAllowed = errors.New("addresses of the domain of the email address may not have accounts")
	ErrUserExists       = errors.New("the email address has signed up already")
	ErrUserNotFound     = errors.New("there is no such user")
	ErrEmailTaken       = errors.New("a user with this email address exists already")
	ErrIDTaken          = errors.New("a user with this id exists already")
	ErrInvalidEmail     = errors.New("the email address is not valid")
	ErrInvalidPhone     = errors.New("the phone number is not valid")
	ErrPasswordTooLong  = errors.New("the password is longer than 72 bytes, and bcrypt would ignore the rest")
	ErrPasswordNotText  = errors.New("the password is not valid text")
	ErrSamePassword     = errors.New("the new password is the old one")
	ErrMetadataTooLarge = errors.New("the metadata is larger than 16 KB, and it is part of every access " +
		"token")
	ErrMetadataNUL         = errors.New("the metadata has a NUL character")
	ErrChallengeIncomplete = errors.New("a code challenge and its method belong together")
	ErrChallengeInvalid    = errors.New("the code challenge is not one of RFC 7636, or its method is unknown")
	ErrFlowNotFound        = errors.New("there is no such code, or it was exchanged already")
	ErrFlowExpired         = errors.New("the code has expired")
	ErrWrongVerifier       = errors.New("the code verifier does not match the challenge")
	// ErrInvalidLink means that the token of a link is unknown, used, replaced, expired, or of another type.
	ErrInvalidLink = errors.New("the link is invalid or has expired")
	// ErrWrongMailedCode means that no link that was mailed to the address has the code, or that the code is
	// used, replaced, expired, of another type, or was tried too often.
	ErrWrongMailedCode = errors.New("the code is wrong or has expired")

	// ErrReauthenticationNeeded means that the session is too old for the change. It may be made as recent as a
	// sign-in by Reauthenticate.
	ErrReauthenticationNeeded = errors.New("the change requires a recent sign-in or a mailed code")
	ErrInvalidCode            = errors.New("the code is wrong, used or has expired")
	ErrNoAddress              = errors.New("the user has no email address")
	ErrAddressNotProven       = errors.New("the user has not proven the email address")
)

// The errors of second factors.
var (
	ErrFactorNotFound    = errors.New("the user has no such second factor")
	ErrFactorNameTaken   = errors.New("a second factor with this name exists already")
	ErrFactorNameInvalid = errors.New("the name of a second factor or its issuer is too long, or is not text")
	ErrTooManyFactors    = errors.New("the user has as many second factors as are allowed")
	// ErrChallengeNotFound means that the challenge was answered, or is of another factor or session.
	ErrChallengeNotFound = errors.New("there is no such challenge")
	ErrChallengeExpired  = errors.New("the challenge has expired")
	ErrWrongCode         = errors.New("the code is wrong, or was used already")

	// The operation requires a session with a second factor (AAL2).
	ErrSecondFactorRequired   = errors.New("a session with a second factor is required")
	ErrUnenrollRequiresFactor = errors.New("a session with a second factor is required to remove one")
	ErrUpdateRequiresFactor   = errors.New("a session with a second factor is required to change the account")
)

// The errors of signing in with an account at a provider.
var (
	ErrProviderDisabled = errors.New("the provider is not set up")
	// ErrChallengeRequired means that the client does not use PKCE.
	ErrChallengeRequired = errors.New("signing in with a provider requires a code challenge")
	// ErrProviderFlowNotFound means that no sign-in has the state or the ticket, that it was finished, or that
	// another browser began it.
	ErrProviderFlowNotFound = errors.New("no such sign-in was begun in this browser")
	ErrProviderFlowExpired  = errors.New("the sign-in with the provider took too long")
	// ErrProviderAddressUnproven means that the provider does not vouch for the address of the account, and that
	// a mailed link must prove it first.
	ErrProviderAddressUnproven = errors.New("the provider does not vouch for the email address")
	ErrIdentityTaken           = errors.New("the account at the provider is linked to a user already")
	ErrIdentityNotFound        = errors.New("the user has no such identity")
	ErrLastIdentity            = errors.New("the user could not sign in without this identity")
)

// A ProviderError means that a provider does not answer as it should.
type ProviderError = oidc.Error

// A ProviderDeniedError means that a provider sent the browser back without a code.
type ProviderDeniedError struct {
	Provider string // its name
	Code     string // of RFC 6749, section 4.1.2.1, or of OpenID Connect; may be anything
}

func (e *ProviderDeniedError) Error() string { return "the provider did not sign the person in" }

// The errors of personal access tokens.
var (
	ErrPersonalTokenName     = errors.New("the name of a personal access token is not 1 to 100 characters")
	ErrPersonalTokenScopes   = errors.New("a personal access token requires a scope")
	ErrPersonalTokenLifetime = errors.New("the lifetime of a personal access token is not within 366 days")
	ErrTooManyPersonalTokens = errors.New("the user has as many personal access tokens as are allowed")
	ErrPersonalTokenNotFound = errors.New("the user has no such personal access token")
)

// The errors of apps that ask users for access.
var (
	ErrOAuthClientNotFound = errors.New("there is no such OAuth client")
	// ErrClientMetadata means that an app says of itself what is not valid. The error is a
	// *ClientMetadataError.
	ErrClientMetadata = errors.New("the metadata of the OAuth client is not valid")
	// ErrInvalidClient means that the credentials of a client are wrong, or that there is no such client.
	ErrInvalidClient = errors.New("the OAuth client is unknown, or its secret is wrong")

	// ErrAuthorizationNotFound means that the request of an app is unknown or has expired, or that another user
	// has opened it.
	ErrAuthorizationNotFound = errors.New("there is no such authorization request")
	ErrAuthorizationAnswered = errors.New("the authorization request was answered already")
	// ErrAnonymousAccess means that apps and scripts may not act for a user without an account.
	ErrAnonymousAccess = errors.New("apps may not act for an anonymous user")
	// ErrAccessRequiresFactor means that giving access requires a session with the user's second factor.
	ErrAccessRequiresFactor = errors.New("a session with a second factor is required to give access")
	ErrGrantNotFound        = errors.New("the user has not allowed the app anything")

	// ErrAuthorizationCode means that a code is unknown, expired, or of another app.
	ErrAuthorizationCode = errors.New("the authorization code is invalid or has expired")
	// ErrAuthorizationCodeReused means that a code was exchanged before. The session that it began was ended.
	ErrAuthorizationCodeReused = errors.New("the authorization code was used already")
	ErrAuthorizationRedirect   = errors.New("the code was sent to another redirect URI")
	ErrAuthorizationResource   = errors.New("the access is for another resource")
	ErrAuthorizationVerifier   = errors.New("the code verifier does not match the code challenge")
)

// The causes of a LimitError.
var (
	ErrTooManyCodes          = errors.New("too many wrong codes of a second factor were entered")
	ErrTooManySignIns        = errors.New("too many sign-ins have failed")
	ErrTooManySignUps        = errors.New("too many accounts were created from this address")
	ErrTooManyAuthorizations = errors.New("too many requests of apps were begun from this address")
	ErrTooManyClients        = errors.New("too many apps were registered from this address")
	ErrTooManyDocuments      = errors.New("too many metadata documents of apps are being fetched")
	ErrTooManyMails          = errors.New("too many mails were requested from this address")
	ErrTooManyMailsToAccount = errors.New("too many mails were requested for this account")
	ErrTooManyChanges        = errors.New("the account was changed too often within a week")
	// ErrBusy means that too many passwords are waiting to be hashed.
	ErrBusy = errors.New("too many people are signing in at this moment")
)

// A LimitError rejects an attempt that may succeed later.
type LimitError struct {
	Cause      error // one of the causes above
	RetryAfter time.Duration
}

func (e *LimitError) Error() string { return e.Cause.Error() }
func (e *LimitError) Unwrap() error { return e.Cause }

// A WeakPasswordError lists everything that is wrong with a new password.
type WeakPasswordError struct {
	Reasons  []string // GoTrue's: length, characters, pwned
	Messages []string // a sentence for each reason
}

func (e *WeakPasswordError) Error() string { return strings.Join(e.Messages, " ") }

// A HashError rejects the hash of a password from another system. It does not repeat the hash.
type HashError struct {
	Reason string // a predicate: "has a bcrypt cost above 15"
}

func (e *HashError) Error() string { return "the password hash " + e.Reason }
