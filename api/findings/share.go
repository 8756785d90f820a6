package findings

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/admission"
	"research/api/problem"
	"research/api/token"
	"research/db"
)

const (
	tokenBytes  = 32 // 256 bits
	defaultDays = 30
	maxDays     = 365
)

// shareRequest is the body of POST /shares.
type shareRequest struct {
	HypothesisID  string `json:"hypothesisId"`  // or
	ReportID      string `json:"reportId"`      // one of both
	ExpiresInDays *int   `json:"expiresInDays"` // nil means defaultDays
	ShowNames     bool   `json:"showNames"`
}

// shareResponse is the response body of POST /shares, and the only place where the token is shown.
type shareResponse struct {
	ID        uuid.UUID `json:"id"`
	URL       string    `json:"url"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
	ShowNames bool      `json:"showNames"`
}

// share handles POST /shares: it creates a link.
func (s *server) share(w http.ResponseWriter, r *http.Request) error {
	params, err := readShareRequest(w, r)
	if err != nil {
		return err
	}
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // never fails; see crypto/rand
	linkToken := base64.RawURLEncoding.EncodeToString(secret)
	params.TokenHash = hashOf(linkToken)
	ctx, subject := r.Context(), token.From(r.Context())
	var made db.ShareFindingsRow
	err = s.Statements.Do(ctx, admission.Caller{User: subject.UserID}, func() (err error) {
		made, err = db.AsUser(ctx, s.Store, subject,
			func(q *db.Queries) (db.ShareFindingsRow, error) { return q.ShareFindings(ctx, params) })
		return err
	})
	if errors.Is(err, db.ErrNotFound) && params.ReportID != nil {
		return errNoReport
	}
	if errors.Is(err, db.ErrNotFound) {
		return errNoHypothesis
	}
	if err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusCreated, shareResponse{
		ID: made.ID,
		// Browsers do not send the fragment, so no proxy can log the token.
		URL:       s.PublicURL + "/shared#" + linkToken,
		Token:     linkToken,
		ExpiresAt: made.ExpiresAt,
		ShowNames: params.ShowNames,
	})
	return nil
}

// maxBodyBytes is far above the size of a request.
const maxBodyBytes = 4 << 10

func readShareRequest(w http.ResponseWriter, r *http.Request) (params db.ShareFindingsParams, err error) {
	var request shareRequest
	err = problem.ReadJSON(w, r, maxBodyBytes, &request)
	var known *problem.Error
	switch {
	case errors.As(err, &known):
		return params, err
	case err != nil:
		return params, errBody
	case (request.HypothesisID == "") == (request.ReportID == ""):
		return params, problem.Invalid("hypothesisId", "Either hypothesisId or reportId says what to share.")
	}
	if params.HypothesisID, err = optionalID(request.HypothesisID); err != nil {
		return params, problem.Invalid("hypothesisId", "hypothesisId must be a UUID.")
	}
	if params.ReportID, err = optionalID(request.ReportID); err != nil {
		return params, problem.Invalid("reportId", "reportId must be a UUID.")
	}
	days := defaultDays
	if request.ExpiresInDays != nil {
		days = *request.ExpiresInDays
	}
	if days < 1 || days > maxDays {
		return params, problem.Invalid("expiresInDays", "expiresInDays must be from 1 to 365.")
	}
	params.Days, params.ShowNames = int32(days), request.ShowNames
	return params, nil
}

// optionalID parses a UUID; that of an empty text is nil.
func optionalID(text string) (*uuid.UUID, error) {
	if text == "" {
		return nil, nil
	}
	id, err := uuid.Parse(text)
	return &id, err
}

// hashOf returns the hash of a token, which is stored. A token has 256 random bits, so a fast hash suffices.
func hashOf(linkToken string) []byte {
	sum := sha256.Sum256([]byte(linkToken))
	return sum[:]
}
