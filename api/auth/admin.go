package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"research/api/token"
	"research/db"
)

// administrator lets pass who shows the service's key as bearer.
func (s *Server) administrator(next http.Handler) http.Handler {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("Authorization") == "" && r.Header.Get("apikey") == "" {
			return token.ErrNoToken
		}
		v, err := s.gate.Identify(r)
		if err != nil {
			return err
		}
		if v.Subject.Role != db.RoleService {
			return fail(http.StatusForbidden, "not_admin", "User not allowed")
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// How long a page of users is.
const (
	defaultPerPage = 50
	maxPerPage     = 1000
)

func (s *Server) listUsers(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page, errPage := pageNumber(query.Get("page"), 1, 1<<31/maxPerPage)
	perPage, errPer := pageNumber(query.Get("per_page"), defaultPerPage, maxPerPage)
	if errPage != nil || errPer != nil {
		return fail(http.StatusBadRequest, "validation_failed", "Bad Pagination Parameters: page and per_page must be whole numbers from 1")
	}
	var rows []db.ListUsersRow
	var total int64
	err := s.store.AsService(r.Context(), func(q *db.Queries) (err error) {
		if total, err = q.CountUsers(r.Context()); err != nil {
			return err
		}
		rows, err = q.ListUsers(r.Context(), db.ListUsersParams{PageSize: int32(perPage), Skip: int32((page - 1) * perPage)})
		return err
	})
	if err != nil {
		return err
	}
	users := make([]userShape, len(rows))
	for i, row := range rows {
		users[i] = account{row.AuthUser, row.Identities}.shape()
	}
	last := max(1, int((total+int64(perPage)-1)/int64(perPage)))
	link := func(page int, rel string) string {
		return fmt.Sprintf(`<%s?%s>; rel="%s"`, s.cfg.PublicURL+"/auth/v1/admin/users", url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(perPage)}}.Encode(), rel)
	}
	links := []string{link(last, "last")}
	if page < last {
		links = append([]string{link(page+1, "next")}, links...)
	}
	w.Header().Set("Link", strings.Join(links, ", "))
	w.Header().Set("X-Total-Count", strconv.FormatInt(total, 10))
	s.writeJSON(w, http.StatusOK, map[string]any{"users": users, "aud": token.Audience})
	return nil
}

// pageNumber reads a number from 1 on; one above most is most, as in GoTrue one gets what there is.
func pageNumber(s string, fallback, most int) (int, error) {
	if s == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, errors.New("not a number from 1")
	}
	return min(n, most), nil
}

// adminUser is what an administrator may set.
type adminUser struct {
	ID           string                     `json:"id"`
	Email        string                     `json:"email"`
	Phone        string                     `json:"phone"`
	Password     *string                    `json:"password"`
	PasswordHash string                     `json:"password_hash"`
	EmailConfirm bool                       `json:"email_confirm"`
	UserMetadata map[string]json.RawMessage `json:"user_metadata"`
	AppMetadata  map[string]json.RawMessage `json:"app_metadata"`
	BanDuration  string                     `json:"ban_duration"`
	Role         string                     `json:"role"`
}

// maxBan is a century: what is longer is for ever as well.
const maxBan = 100 * 365 * 24 * time.Hour

// check reads what is common to creating and changing: the address, the hash of the password, and the end of a ban, which is zero where one is lifted.
func (s *Server) checkAdminUser(ctx context.Context, body *adminUser) (hashed *string, ban *time.Time, err error) {
	if body.Email != "" {
		if body.Email, err = emailAddress(body.Email); err != nil {
			return nil, nil, err
		}
	}
	if body.Role != "" && body.Role != db.RoleAuthenticated {
		return nil, nil, fail(http.StatusBadRequest, "validation_failed", "role must be authenticated: other database roles are not for users")
	}
	if strings.ContainsRune(body.Phone, 0) || len(body.Phone) > 32 {
		return nil, nil, fail(http.StatusBadRequest, "validation_failed", "Invalid phone number format")
	}
	if body.BanDuration != "" {
		ban = &time.Time{}
		if body.BanDuration != "none" {
			d, err := time.ParseDuration(body.BanDuration)
			if err != nil || d <= 0 {
				return nil, nil, fail(http.StatusBadRequest, "validation_failed", `invalid format for ban duration: write it like 24h, or "none"`)
			}
			*ban = s.now().Add(min(d, maxBan))
		}
	}
	switch {
	case body.Password != nil && *body.Password != "" && body.PasswordHash != "":
		return nil, nil, fail(http.StatusBadRequest, "validation_failed", "Only a password or a password hash should be provided")
	case body.PasswordHash != "":
		if err := CheckHash(body.PasswordHash); err != nil {
			return nil, nil, fail(http.StatusBadRequest, "validation_failed", "password_hash "+err.Error())
		}
		hashed = &body.PasswordHash
	case body.Password != nil && *body.Password != "":
		if err := s.rules().Check(*body.Password, body.Email); err != nil {
			return nil, nil, err
		}
		one, err := s.passwords.Hash(ctx, *body.Password)
		if err != nil {
			return nil, nil, err
		}
		hashed = &one
	}
	return hashed, ban, nil
}

func (s *Server) createUser(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	var body adminUser
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Email == "" {
		return fail(http.StatusBadRequest, "validation_failed", "Cannot create a user without an email")
	}
	now := s.now()
	user := account{identities: json.RawMessage(`[]`)}
	user.ID, user.CreatedAt, user.UpdatedAt = uuid.New(), &now, &now
	if body.ID != "" {
		id, err := uuid.Parse(body.ID)
		if err != nil || id == uuid.Nil {
			return fail(http.StatusBadRequest, "validation_failed", "ID must conform to the uuid format, and not be nil")
		}
		user.ID = id
	}
	hashed, ban, err := s.checkAdminUser(ctx, &body)
	if err != nil {
		return err
	}
	user.Email, user.EncryptedPassword = &body.Email, hashed
	if body.Phone != "" {
		user.Phone = &body.Phone
	}
	if body.EmailConfirm {
		user.EmailConfirmedAt, user.ConfirmedAt = &now, &now
	} else if s.cfg.ConfirmEmail {
		user.ConfirmationSentAt = &now // the address still has to be proven
	}
	if ban != nil && !ban.IsZero() {
		user.BannedUntil = ban
	}
	if user.RawUserMetaData, err = merge(nil, orEmpty(body.UserMetadata)); err != nil {
		return err
	}
	if user.RawAppMetaData, err = merge(emailProvider, orEmpty(body.AppMetadata)); err != nil {
		return err
	}
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		if err := createUser(ctx, q, user); err != nil {
			return err
		}
		if err := s.audit(ctx, q, r, "user_signedup", nil, map[string]any{"user_id": user.ID, "by": "admin"}); err != nil {
			return err
		}
		row, err := q.GetUser(ctx, user.ID)
		user = account{row.AuthUser, row.Identities}
		return err
	})
	switch db.Constraint(err) {
	case "":
	case emailKey:
		return errEmailExists
	default:
		return fail(http.StatusUnprocessableEntity, "conflict", "A user with this id is there already")
	}
	if err != nil {
		return err
	}
	s.writeJSON(w, http.StatusOK, user.shape())
	return nil
}

// target reads the path.
func target(r *http.Request) (uuid.UUID, error) {
	id, err := uuid.Parse(chi.URLParam(r, "id"))
	if err != nil {
		return uuid.Nil, fail(http.StatusNotFound, "validation_failed", "user_id must be an UUID")
	}
	return id, nil
}

func (s *Server) getUser(w http.ResponseWriter, r *http.Request) error {
	id, err := target(r)
	if err != nil {
		return err
	}
	var row db.GetUserRow
	err = s.store.AsService(r.Context(), func(q *db.Queries) (err error) {
		row, err = q.GetUser(r.Context(), id)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return errUserNotFound
	}
	if err != nil {
		return err
	}
	s.writeJSON(w, http.StatusOK, account{row.AuthUser, row.Identities}.shape())
	return nil
}

func (s *Server) changeUser(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	id, err := target(r)
	if err != nil {
		return err
	}
	var body adminUser
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	change := db.UpdateUserParams{ID: id}
	var ban *time.Time
	if change.EncryptedPassword, ban, err = s.checkAdminUser(ctx, &body); err != nil {
		return err
	}
	if body.Email != "" {
		change.Email = &body.Email
	}
	if body.Phone != "" {
		change.Phone = &body.Phone
	}
	if body.EmailConfirm {
		now := s.now()
		change.EmailConfirmedAt = &now
	}
	var user account
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		locked, err := q.LockUser(ctx, id)
		if errors.Is(err, db.ErrNotFound) {
			return errUserNotFound
		}
		if err != nil {
			return err
		}
		if change.RawUserMetaData, err = merge(locked.AuthUser.RawUserMetaData, body.UserMetadata); err != nil {
			return err
		}
		if change.RawAppMetaData, err = merge(locked.AuthUser.RawAppMetaData, body.AppMetadata); err != nil {
			return err
		}
		if err := q.UpdateUser(ctx, change); err != nil {
			return err
		}
		if ban != nil {
			if err := banUser(ctx, q, id, *ban); err != nil {
				return err
			}
		}
		if change.EncryptedPassword != nil || change.Email != nil {
			if err := q.ForgetUserTokens(ctx, id); err != nil {
				return err
			}
		}
		if change.EncryptedPassword != nil {
			if _, err := q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: id}); err != nil {
				return err
			}
		}
		if err := s.audit(ctx, q, r, "user_modified", nil, map[string]any{"user_id": id, "by": "admin"}); err != nil {
			return err
		}
		row, err := q.GetUser(ctx, id)
		user = account{row.AuthUser, row.Identities}
		return err
	})
	if db.Constraint(err) == emailKey {
		return errEmailExists
	}
	if err != nil {
		return err
	}
	s.gate.Recheck()
	s.writeJSON(w, http.StatusOK, user.shape())
	return nil
}

// banUser bans until then, and ends the user's sessions; zero lifts the ban.
func banUser(ctx context.Context, q *db.Queries, id uuid.UUID, until time.Time) error {
	if until.IsZero() {
		return q.BanUser(ctx, db.BanUserParams{ID: id})
	}
	if err := q.BanUser(ctx, db.BanUserParams{ID: id, BannedUntil: &until}); err != nil {
		return err
	}
	_, err := q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: id})
	return err
}

func (s *Server) deleteUser(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	id, err := target(r)
	if err != nil {
		return err
	}
	var body struct {
		Soft bool `json:"should_soft_delete"`
	}
	if r.ContentLength != 0 {
		if err := readJSON(w, r, &body); err != nil {
			return err
		}
	}
	err = s.store.AsService(ctx, func(q *db.Queries) error {
		gone, err := int64(0), error(nil)
		if body.Soft {
			if gone, err = q.SoftDeleteUser(ctx, id); err == nil {
				_, err = q.DeleteUserSessions(ctx, db.DeleteUserSessionsParams{UserID: id})
			}
		} else {
			gone, err = q.DeleteUser(ctx, id)
		}
		if err != nil {
			return err
		}
		if gone == 0 {
			return errUserNotFound
		}
		return s.audit(ctx, q, r, "user_deleted", nil, map[string]any{"user_id": id, "by": "admin", "soft": body.Soft})
	})
	if err != nil {
		return err
	}
	s.gate.Recheck()
	s.writeJSON(w, http.StatusOK, struct{}{})
	return nil
}
