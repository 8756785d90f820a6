package auth

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"research/api/token"
	"research/db"
	"research/identity"
)

// The sizes of a page of users.
const (
	defaultPerPage = 50
	maxPerPage     = 1000
)

// listUsers handles GET /admin/users. An unknown parameter is an error: whoever filters by one must not get
// all users.
func (s *server) listUsers(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if err := knownParameters(query, "page", "per_page", "filter", "sort"); err != nil {
		return err
	}
	page, perPage, err := pageOf(query)
	if err != nil {
		return err
	}
	filter := query.Get("filter")
	if !utf8.ValidString(filter) || strings.ContainsRune(filter, 0) {
		return invalid("filter must be text")
	}
	oldestFirst, err := oldestFirst(query.Get("sort"))
	if err != nil {
		return err
	}
	found, err := s.identity.Users(r.Context(), identity.UserQuery{
		Page: page, PerPage: perPage, Filter: filter, OldestFirst: oldestFirst,
	})
	if err != nil {
		return err
	}
	users := make([]userResponse, len(found.Users))
	for i, u := range found.Users {
		users[i] = s.newUserResponse(u)
	}
	s.writePageHeaders(w, "/admin/users", query, page, perPage, found.Total)
	s.edge.WriteJSON(w, http.StatusOK, map[string]any{"users": users, "aud": token.Audience})
	return nil
}

// knownParameters rejects a query with other parameters, and repeated ones.
func knownParameters(query url.Values, names ...string) error {
	for name, values := range query {
		if !slices.Contains(names, name) {
			known := cmp.Or(strings.Join(names, ", "), "no parameters")
			return invalid("Unknown parameter " + strconv.Quote(name) + ": this path has " + known)
		}
		if len(values) > 1 {
			return invalid("The parameter " + name + " must not be repeated")
		}
	}
	return nil
}

// oldestFirst reads the parameter sort, as GoTrue has it: created_at with a direction.
func oldestFirst(sort string) (bool, error) {
	switch strings.ToLower(sort) {
	case "", "created_at", "created_at desc":
		return false, nil
	case "created_at asc":
		return true, nil
	}
	return false, invalid("Bad Sort Parameters: sort must be created_at, created_at asc or created_at desc")
}

// pageOf reads the parameters page and per_page.
func pageOf(query url.Values) (page, perPage int, err error) {
	page, errPage := pageNumber(query.Get("page"), 1, 1<<31/maxPerPage)
	perPage, errPerPage := pageNumber(query.Get("per_page"), defaultPerPage, maxPerPage)
	if errPage != nil || errPerPage != nil {
		return 0, 0, invalid("Bad Pagination Parameters: page and per_page must be whole numbers from 1")
	}
	return page, perPage, nil
}

// writePageHeaders sets the headers Link and X-Total-Count. The path is relative to /auth/v1.
func (s *server) writePageHeaders(
	w http.ResponseWriter, path string, query url.Values, page, perPage int, total int64,
) {
	link := func(page int, rel string) string { // an element of the header Link (RFC 8288)
		other := maps.Clone(query)
		other.Set("page", strconv.Itoa(page))
		other.Set("per_page", strconv.Itoa(perPage))
		return fmt.Sprintf(`<%s/auth/v1%s?%s>; rel="%s"`, s.cfg.Identity.PublicURL, path, other.Encode(), rel)
	}
	lastPage := max(1, int((total+int64(perPage)-1)/int64(perPage)))
	var links []string
	if page < lastPage {
		links = append(links, link(page+1, "next"))
	}
	links = append(links, link(lastPage, "last"))
	w.Header().Set("Link", strings.Join(links, ", "))
	w.Header().Set("X-Total-Count", strconv.FormatInt(total, 10))
}

// pageNumber reads a number from 1. One above the maximum is the maximum, as in GoTrue.
func pageNumber(s string, fallback, maximum int) (int, error) {
	if s == "" {
		return fallback, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, errors.New("not a number from 1")
	}
	return min(n, maximum), nil
}

// An adminUser holds the fields of a user that an administrator may set.
type adminUser struct {
	ID           string            `json:"id"`
	Email        string            `json:"email"`
	Phone        string            `json:"phone"`
	Password     string            `json:"password"`
	PasswordHash string            `json:"password_hash"`
	EmailConfirm bool              `json:"email_confirm"`
	UserMetadata identity.Metadata `json:"user_metadata"`
	AppMetadata  identity.Metadata `json:"app_metadata"`
	BanDuration  string            `json:"ban_duration"`
	Role         string            `json:"role"`
}

// change returns the change that the body describes.
func (a adminUser) change() (identity.AdminChange, error) {
	change := identity.AdminChange{
		Email: a.Email, ConfirmEmail: a.EmailConfirm, Phone: a.Phone,
		Password: a.Password, PasswordHash: a.PasswordHash,
		UserMetadata: a.UserMetadata, AppMetadata: a.AppMetadata,
	}
	if a.Role != "" && a.Role != db.RoleAuthenticated {
		return change, invalid("role must be authenticated: users cannot have other database roles")
	}
	if a.Password != "" && a.PasswordHash != "" {
		return change, invalid("Only a password or a password hash should be provided")
	}
	switch a.BanDuration {
	case "":
	case "none":
		change.BanFor = new(time.Duration)
	default:
		duration, err := time.ParseDuration(a.BanDuration)
		if err != nil || duration <= 0 {
			return change, invalid(`invalid format for ban duration: write it like 24h, or "none"`)
		}
		change.BanFor = &duration
	}
	return change, nil
}

// createUser handles POST /admin/users.
func (s *server) createUser(w http.ResponseWriter, r *http.Request) error {
	var body adminUser
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	if body.Email == "" {
		return invalid("Cannot create a user without an email")
	}
	var id uuid.UUID
	if body.ID != "" {
		var err error
		if id, err = uuid.Parse(body.ID); err != nil || id == uuid.Nil {
			return invalid("ID must conform to the uuid format, and not be nil")
		}
	}
	change, err := body.change()
	if err != nil {
		return err
	}
	user, err := s.identity.CreateUser(r.Context(), s.client(r), identity.NewUser{ID: id, AdminChange: change})
	if err != nil {
		return err
	}
	return s.writeUser(w, user)
}

// errNotUserID is the response to a path whose id is not a UUID.
var errNotUserID = fail(http.StatusNotFound, "validation_failed", "user_id must be an UUID")

// getUser handles GET /admin/users/{id}.
func (s *server) getUser(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotUserID)
	if err != nil {
		return err
	}
	user, err := s.identity.User(r.Context(), id)
	if err != nil {
		return err
	}
	return s.writeUser(w, user)
}

// changeUser handles PUT /admin/users/{id}.
func (s *server) changeUser(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotUserID)
	if err != nil {
		return err
	}
	var body adminUser
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	change, err := body.change()
	if err != nil {
		return err
	}
	user, err := s.identity.ChangeUser(r.Context(), s.client(r), id, change)
	if err != nil {
		return err
	}
	return s.writeUser(w, user)
}

// deleteUser handles DELETE /admin/users/{id}.
func (s *server) deleteUser(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r, errNotUserID)
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
	if err := s.identity.DeleteUser(r.Context(), s.client(r), id, body.Soft); err != nil {
		return err
	}
	return s.writeEmpty(w)
}

// inviteUser handles POST /invite: it creates an account and mails its owner a link.
func (s *server) inviteUser(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Email string            `json:"email"`
		Data  identity.Metadata `json:"data"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	user, err := s.identity.Invite(r.Context(), s.client(r), identity.Invitation{
		Email: body.Email, Metadata: body.Data, RedirectTo: redirectTo(r),
	})
	if err != nil {
		return err
	}
	return s.writeUser(w, user)
}
