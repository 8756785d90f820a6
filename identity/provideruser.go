package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"research/db"
	"research/identity/oidc"
	"research/internal/mailbox"
)

// A providerAccount is an account at a provider that is set up here.
type providerAccount struct {
	provider string
	issuer   string
	subject  string
	email    string // normalized; empty if there is none that an account here could have
	proven   bool   // the provider vouches for the address
	mfa      bool   // the sign-in at the provider counts as a second factor
	data     json.RawMessage
	profile  Metadata // of a new user
}

// identityData is auth.identities.identity_data, with GoTrue's names.
type identityData struct {
	Issuer        string `json:"iss"`
	Subject       string `json:"sub"`
	ProviderID    string `json:"provider_id"`
	Email         string `json:"email,omitempty"`
	EmailVerified bool   `json:"email_verified"` // by our rules, not merely by the provider's word
	PhoneVerified bool   `json:"phone_verified"` // always false
	Name          string `json:"name,omitempty"`
	FullName      string `json:"full_name,omitempty"`
	Picture       string `json:"picture,omitempty"`
	AvatarURL     string `json:"avatar_url,omitempty"`
}

func newProviderAccount(provider *oidc.Provider, account oidc.Account) providerAccount {
	email, err := parseEmail(account.Email)
	if err != nil {
		email = ""
	}
	a := providerAccount{
		provider: provider.Config().Name, issuer: account.Issuer, subject: account.Subject, email: email,
		proven: email != "" && account.EmailProven && isSameAddress(account.Email, email),
		mfa:    account.MFA, profile: Metadata{},
	}
	for name, value := range map[string]string{
		"name": account.Name, "full_name": account.Name, "picture": account.Picture, "avatar_url": account.Picture,
	} {
		if value != "" {
			a.profile[name], _ = json.Marshal(value) // of a string, which cannot fail
		}
	}
	a.data, _ = json.Marshal(identityData{ // of strings, which cannot fail
		Issuer: account.Issuer, Subject: account.Subject, ProviderID: account.Subject, Email: email,
		EmailVerified: a.proven, Name: account.Name, FullName: account.Name, Picture: account.Picture,
		AvatarURL: account.Picture,
	})
	return a
}

// isSameAddress reports whether the address of a provider is our normalized form of it but for capitals of
// ASCII: normalizeEmail changes other letters, too, and those may be of somebody else's mailbox.
func isSameAddress(theirs, ours string) bool {
	return mailbox.ASCIIDomain(oidc.LowerASCII(strings.TrimSpace(theirs))) == ours
}

// A storedIdentity is auth.flow_state.linked_identity.
type storedIdentity struct {
	Provider   string          `json:"provider"`
	ProviderID string          `json:"provider_id"`
	Data       json.RawMessage `json:"identity_data"`
}

func (a providerAccount) store() (json.RawMessage, error) {
	return json.Marshal(storedIdentity{a.provider, a.subject, a.data})
}

// storedAccount is the inverse of store. The profile and mfa are not stored.
func storedAccount(raw json.RawMessage) (providerAccount, error) {
	var stored storedIdentity
	var data identityData
	err := json.Unmarshal(raw, &stored)
	if err == nil {
		err = json.Unmarshal(stored.Data, &data)
	}
	if err != nil {
		return providerAccount{}, fmt.Errorf("read the identity of a code: %w", err)
	}
	return providerAccount{
		provider: stored.Provider, issuer: data.Issuer, subject: stored.ProviderID, email: data.Email,
		proven: data.EmailVerified, data: stored.Data,
	}, nil
}

// method is the entry of the claim amr.
func (a providerAccount) method() string {
	if a.mfa {
		return methodProviderMFA
	}
	return methodOAuth
}

// providerUser returns the user of an account at a provider. Without one, it is the user who has proven the
// same address, if the provider vouches for it; otherwise a new one.
//
// Errors: ErrProviderAddressUnproven, ErrSignUpDisabled, ErrDomainNotAllowed, ErrBanned, *LimitError.
func (s *Service) providerUser(ctx context.Context, client Client, account providerAccount) (User, error) {
	found, err := s.findOrAddUser(ctx, client, account)
	if db.Constraint(err) == db.ConstraintUserEmail || errors.Is(err, ErrIdentityTaken) ||
		errors.Is(err, ErrProviderFlowNotFound) {
		found, err = s.findOrAddUser(ctx, client, account) // what a concurrent request has left
	}
	if err != nil {
		return User{}, err
	}
	s.forget(found.user.ID, found.ended)
	if found.request != nil {
		if err := s.mail.SendAccountMail(ctx, *found.request); err != nil {
			return User{}, err
		}
	}
	if found.user.unconfirmed() && s.cfg.ConfirmsEmail() {
		return User{}, ErrProviderAddressUnproven
	}
	return found.user, nil
}

// A foundUser is the user of an account at a provider.
type foundUser struct {
	user    User
	ended   endedAccess
	request *uuid.UUID // of the mail that asks for a proof of the address; nil if there is none
}

func (s *Service) findOrAddUser(
	ctx context.Context, client Client, account providerAccount,
) (found foundUser, err error) {
	return db.AsService(ctx, s.store, func(q *db.Queries) (foundUser, error) {
		id, linked, err := linkedUser(ctx, q, account)
		if err != nil {
			return foundUser{}, err
		}
		if linked {
			return s.signInLinked(ctx, q, client, id, account)
		}
		if account.email == "" {
			return s.addProviderUser(ctx, q, client, account, "")
		}
		owner, err := getUserByEmail(ctx, q, account.email)
		switch {
		case errors.Is(err, db.ErrNotFound):
			return s.addProviderUser(ctx, q, client, account, account.email)
		case err != nil:
			return foundUser{}, err
		case !account.proven && s.cfg.ConfirmsEmail(): // as for a free address: nobody learns of the user
			return foundUser{}, s.refuseUnproven(client, account)
		case !account.proven: // somebody else may have written the address of the user there
			return s.addProviderUser(ctx, q, client, account, "")
		}
		return s.linkByAddress(ctx, q, client, owner.ID, account)
	})
}

// refuseUnproven returns the errors of a sign-up, and counts it as one.
func (s *Service) refuseUnproven(client Client, account providerAccount) error {
	if err := s.allowsNew(account); err != nil {
		return err
	}
	if err := s.limits.signUp(client); err != nil {
		return err
	}
	return ErrProviderAddressUnproven
}

// stillLinked locks a user, and requires that an account is linked to it. Whoever unlinks one holds the lock,
// and ends sessions and codes. Errors: ErrUserGone, ErrProviderFlowNotFound.
func (s *Service) stillLinked(
	ctx context.Context, q *db.Queries, id uuid.UUID, account providerAccount,
) error {
	_, err := s.lockLinked(ctx, q, id, account)
	return err
}

// lockLinked is stillLinked, and returns the user. Its errors are also ErrBanned.
func (s *Service) lockLinked(
	ctx context.Context, q *db.Queries, id uuid.UUID, account providerAccount,
) (User, error) {
	user, err := lockUser(ctx, q, id)
	if errors.Is(err, db.ErrNotFound) {
		return user, ErrUserGone
	}
	if err != nil {
		return user, err
	}
	owner, linked, err := linkedUser(ctx, q, account)
	switch {
	case err != nil:
		return user, err
	case !linked || owner != id:
		return user, ErrProviderFlowNotFound // unlinked by a concurrent request
	case user.banned(s.now()):
		return user, ErrBanned
	}
	return user, nil
}

// signInLinked returns the user whom an account is linked to.
func (s *Service) signInLinked(
	ctx context.Context, q *db.Queries, client Client, id uuid.UUID, account providerAccount,
) (found foundUser, err error) {
	user, err := s.lockLinked(ctx, q, id, account)
	if err != nil {
		return found, err
	}
	if err := q.UpdateIdentity(ctx, db.UpdateIdentityParams{
		Provider: account.provider, ProviderID: account.subject, IdentityData: account.data,
	}); err != nil {
		return found, err
	}
	switch {
	case user.EmailConfirmedAt == nil && account.proven && account.email == normalizeEmail(user.email()):
		found.ended, err = s.proveByProvider(ctx, q, user, account)
	case user.unconfirmed() && s.cfg.ConfirmsEmail() && s.limits.mail(client, user.email()) == nil:
		found.request, err = s.requestProof(ctx, q, user, account.provider)
	case user.email() == "":
		err = s.adoptFreeAddress(ctx, q, user, account)
	}
	if err != nil {
		return found, err
	}
	found.user, err = getUser(ctx, q, id)
	return found, err
}

// adoptFreeAddress gives a user without an address the one that the provider vouches for now, unless another
// user has proven it.
func (s *Service) adoptFreeAddress(
	ctx context.Context, q *db.Queries, user User, account providerAccount,
) error {
	if !account.proven || !s.cfg.allowsDomain(account.email) {
		return nil
	}
	release := db.ReleaseAddressParams{Email: account.email, Keep: user.ID}
	if err := q.ReleaseAddress(ctx, release); err != nil {
		return err
	}
	_, err := q.GetUserByEmail(ctx, account.email)
	if errors.Is(err, db.ErrNotFound) {
		return q.AdoptAddress(ctx, db.AdoptAddressParams{ID: user.ID, Email: &account.email})
	}
	return err
}

// linkByAddress links an account to the user who has the address that the provider vouches for.
func (s *Service) linkByAddress(
	ctx context.Context, q *db.Queries, client Client, id uuid.UUID, account providerAccount,
) (found foundUser, err error) {
	user, err := lockUser(ctx, q, id)
	if err != nil {
		return found, err
	}
	if user.banned(s.now()) {
		return found, ErrBanned
	}
	if normalizeEmail(user.email()) != account.email {
		return found, ErrProviderFlowNotFound // changed by a concurrent request
	}
	if user.EmailConfirmedAt == nil {
		found.ended, err = s.proveByProvider(ctx, q, user, account)
		if err == nil {
			err = s.auditIdentity(ctx, q, "identity_linked", client, user, account.provider)
		}
		if err != nil {
			return found, err
		}
		found.user, err = getUser(ctx, q, id)
		return found, err
	}
	found.user, err = s.linkIdentity(ctx, q, client, user, account)
	return found, err
}

// proveByProvider records that a provider vouches for the address of a user, and links the account. Somebody
// else may have begun the user's account with the address. So the password, the sessions and other identities
// end, unless an operator has added the user.
func (s *Service) proveByProvider(
	ctx context.Context, q *db.Queries, user User, account providerAccount,
) (ended endedAccess, err error) {
	keep := user.ConfirmationSentAt == nil
	if err := q.ConfirmAddress(ctx, db.ConfirmAddressParams{ID: user.ID, KeepPassword: keep}); err != nil {
		return ended, err
	}
	if err := q.DeleteUserTokens(ctx, user.ID); err != nil { // links of other sign-ups
		return ended, err
	}
	if keep {
		err = q.DeleteIdentities(ctx, user.ID)
	} else {
		ended, err = endUnproven(ctx, q, user.ID)
	}
	if err != nil {
		return ended, err
	}
	return ended, addIdentity(ctx, q, user.ID, account, keep && user.SignsInByEmail())
}

// linkIdentity links an account to a user, and tells the user.
func (s *Service) linkIdentity(
	ctx context.Context, q *db.Queries, client Client, user User, account providerAccount,
) (User, error) {
	if user.IsAnonymous { // becomes an account
		if err := s.allowsNew(account); err != nil {
			return User{}, err
		}
	}
	if err := notify(ctx, q, user, NoticeIdentityLinked, nil); err != nil {
		return User{}, err
	}
	if err := addIdentity(ctx, q, user.ID, account, user.SignsInByEmail()); err != nil {
		return User{}, err
	}
	adopt := db.AdoptAddressParams{ID: user.ID}
	if user.email() == "" && account.proven && s.cfg.allowsDomain(account.email) {
		adopt.Email = &account.email
		release := db.ReleaseAddressParams{Email: account.email, Keep: user.ID}
		if err := q.ReleaseAddress(ctx, release); err != nil {
			return User{}, err
		}
	}
	if err := q.AdoptAddress(ctx, adopt); err != nil {
		return User{}, err
	}
	if err := s.auditIdentity(ctx, q, "identity_linked", client, user, account.provider); err != nil {
		return User{}, err
	}
	return getUser(ctx, q, user.ID)
}

// allowsNew checks whether an account at a provider may get an account here.
// Errors: ErrSignUpDisabled, ErrDomainNotAllowed.
func (s *Service) allowsNew(account providerAccount) error {
	switch {
	case s.cfg.SignUpDisabled():
		return ErrSignUpDisabled
	case !s.cfg.allowsDomain(account.email):
		return ErrDomainNotAllowed
	}
	return nil
}

// addProviderUser adds a user with an account at a provider. The address may be empty.
func (s *Service) addProviderUser(
	ctx context.Context, q *db.Queries, client Client, account providerAccount, email string,
) (found foundUser, err error) {
	if err := s.allowsNew(account); err != nil {
		return found, err
	}
	if err := s.limits.signUp(client); err != nil {
		return found, err
	}
	now := s.now()
	user := newUser(email, now)
	user.Email, user.RawAppMetaData = optional(email), object(nil)
	if user.RawUserMetaData, err = account.profile.applyNew(nil); err != nil {
		return found, err
	}
	switch {
	case email == "":
	case account.proven:
		user.confirm(now)
	default:
		user.ConfirmationSentAt = &now
	}
	if err := createUser(ctx, q, user); err != nil {
		return found, err
	}
	if err := addIdentity(ctx, q, user.ID, account, false); err != nil {
		return found, err
	}
	if user.unconfirmed() && s.limits.mail(client, email) == nil {
		if found.request, err = s.requestProof(ctx, q, user, account.provider); err != nil {
			return found, err
		}
	}
	if err := s.auditIdentity(ctx, q, "user_signedup", client, user, account.provider); err != nil {
		return found, err
	}
	found.user, err = getUser(ctx, q, user.ID)
	return found, err
}

// requestProof requests a link that proves the user's address. Its mail says that an account at a provider
// will be able to sign in.
func (s *Service) requestProof(
	ctx context.Context, q *db.Queries, user User, provider string,
) (*uuid.UUID, error) {
	request := uuid.New()
	return &request, q.RequestUserToken(ctx, db.RequestUserTokenParams{
		ID: request, UserID: user.ID, TokenType: string(LinkSignUp), RelatesTo: provider,
		RedirectTo: s.redirect(""), LifetimeSeconds: linkLifetime.Seconds(),
	})
}

// addIdentity adds the identity of an account to a user. Its error is ErrIdentityTaken if another one has it.
func addIdentity(
	ctx context.Context, q *db.Queries, user uuid.UUID, account providerAccount, withEmail bool,
) error {
	added, err := q.AddIdentity(ctx, db.AddIdentityParams{
		Provider: account.provider, ProviderID: account.subject, UserID: user, IdentityData: account.data,
	})
	if err != nil {
		return err
	}
	if added == 0 {
		return ErrIdentityTaken
	}
	return q.SetProviders(ctx, db.SetProvidersParams{UserID: user, WithEmail: withEmail})
}

func (s *Service) auditIdentity(
	ctx context.Context, q *db.Queries, action string, client Client, user User, provider string,
) error {
	return s.audit(ctx, q, event{
		action: action, actor: &user, address: client.Address, traits: map[string]any{"provider": provider},
	})
}

// issueLinkingCode returns a code whose exchange links an account to the user of a session. The account is
// not linked before: only the client that began the flow may finish it. Errors: ErrIdentityTaken,
// ErrSessionEnded.
func (s *Service) issueLinkingCode(
	ctx context.Context, code issuedCode, session uuid.UUID, account providerAccount,
) (string, error) {
	linked, err := db.AsService(ctx, s.store, func(q *db.Queries) (bool, error) {
		_, linked, err := linkedUser(ctx, q, account)
		return linked, err
	})
	if err != nil {
		return "", err
	}
	if linked {
		return "", ErrIdentityTaken
	}
	if code.identity, err = account.store(); err != nil {
		return "", err
	}
	code.session = &session
	code.before = func(q *db.Queries) error {
		_, err := lockSession(ctx, q, CurrentUser{User{AuthUser: db.AuthUser{ID: code.user}}, session})
		return err
	}
	return s.issueCode(ctx, code)
}
