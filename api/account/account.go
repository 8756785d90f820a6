package account

import (
	"errors"
	"io"
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/address"
	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
	"research/identity"
)

// Deps are the dependencies of the handler. All are required but Statements and TrustedHops.
type Deps struct {
	Identity      *identity.Service
	Store         *db.Store        // for exports
	Statements    *admission.Queue // of the Store's connections; nil means that every statement is admitted
	Authenticator *token.Authenticator
	Log           *slog.Logger
	TrustedHops   int // as in package address
}

// A server serves /api/account.
type server struct {
	Deps
	edge    problem.Edge
	exports *admission.Queue
}

// New returns the handler for /api/account. Its paths are relative to that.
func New(d Deps) (http.Handler, error) {
	if d.Identity == nil || d.Store == nil || d.Authenticator == nil || d.Log == nil {
		return nil, errors.New("account: a dependency is missing")
	}
	s := &server{
		Deps:    d,
		edge:    problem.Edge{Log: d.Log, Format: problem.FormatAPI, Translations: translations, Lenient: true},
		exports: admission.New(admission.Config{UserRequests: 1}, nil),
	}
	r := chi.NewRouter()
	s.edge.Fallbacks(r)
	r.Group(func(r chi.Router) {
		r.Use(d.Authenticator.APIKey(s.edge.Write))
		r.Delete("/", s.edge.Handle(s.deleteAccount))
		r.Get("/export", s.edge.Handle(s.exportAccount))
	})
	return r, nil
}

// user returns the principal of a request, which must be a user: neither an API key nor a token that another
// program signed with JWT_SECRET, nor a personal access token. It rejects a query, since no route has one.
func (s *server) user(r *http.Request) (token.Principal, error) {
	if token.IsPersonal(r) {
		return token.Principal{}, errPersonalToken
	}
	p, err := s.Authenticator.Admit(r)
	switch {
	case err != nil:
		return token.Principal{}, err
	case p.Subject.Role == db.RoleAnon:
		return token.Principal{}, token.ErrNoToken
	case p.Subject.Role != db.RoleAuthenticated || p.SessionID == uuid.Nil && !p.External:
		return token.Principal{}, errNoUser
	}
	return p, problem.CheckQuery(r)
}

// current returns the user of the principal's session. Users of external issuers have no session here.
func (s *server) current(r *http.Request, p token.Principal) (identity.CurrentUser, error) {
	if p.External {
		user, err := s.Identity.User(r.Context(), p.Subject.UserID)
		return identity.CurrentUser{User: user}, err
	}
	ref := identity.SessionRef{UserID: p.Subject.UserID, SessionID: p.SessionID}
	return s.Identity.CurrentUser(r.Context(), ref)
}

func (s *server) client(r *http.Request) identity.Client {
	return identity.Client{Address: address.Of(r, s.TrustedHops), UserAgent: r.UserAgent()}
}

// deleteRequest is the body of DELETE /api/account, which may be empty.
type deleteRequest struct {
	Nonce string `json:"nonce"` // of GET /auth/v1/reauthenticate
}

// deleteResponse is the response body of DELETE /api/account.
type deleteResponse struct {
	UserID  uuid.UUID `json:"userId"`
	Deleted deleted   `json:"deleted"`
}

// deleted counts what is deleted with an account.
type deleted struct {
	Workspaces int64 `json:"workspaces"`
}

// deleteAccount handles DELETE /. The account is inaccessible when it responds; a workflow removes the rows.
func (s *server) deleteAccount(w http.ResponseWriter, r *http.Request) error {
	p, err := s.user(r)
	if err != nil {
		return err
	}
	if p.External {
		return errExternal
	}
	request, err := readDeleteRequest(w, r)
	if err != nil {
		return err
	}
	user, err := s.current(r, p)
	if err != nil {
		return err
	}
	deletion, err := s.Identity.DeleteSelf(r.Context(), s.client(r), user, request.Nonce)
	if err != nil {
		return err
	}
	s.Log.InfoContext(r.Context(), "account deleted", "user_id", user.ID, "workspaces", deletion.Workspaces)
	s.edge.WriteJSON(w, http.StatusOK, deleteResponse{UserID: user.ID, Deleted: deleted(deletion)})
	return nil
}

// maxBodyBytes is far above the size of a body with a nonce.
const maxBodyBytes = 4 << 10

func readDeleteRequest(w http.ResponseWriter, r *http.Request) (request deleteRequest, err error) {
	err = problem.ReadJSON(w, r, maxBodyBytes, &request)
	var known *problem.Error
	switch {
	case err == nil, errors.Is(err, io.EOF): // EOF means that there is no body
		return request, nil
	case errors.As(err, &known):
		return request, err
	}
	return request, errBody
}
