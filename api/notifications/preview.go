package notifications

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"research/api/token"
	"research/workflows"
)

// A Preview is a digest that is shown instead of sent.
type Preview struct {
	Period              string // 2026-11-20 or 2026-W47
	Due                 time.Time
	Empty               bool   // nothing is worth a mail
	Obstacle            string // why it would not be sent now; empty if nothing prevents it
	Mailable            bool   // the user's address is confirmed and not suppressed
	Subject, Text, HTML string
}

// A Previewer composes previews.
type Previewer interface {
	// PreviewDigest composes a user's next daily or weekly digest.
	PreviewDigest(ctx context.Context, user uuid.UUID, frequency string) (Preview, error)
}

// previewResponse is the response to a request for a preview.
type previewResponse struct {
	Frequency string    `json:"frequency"`
	Period    string    `json:"period"`
	Due       time.Time `json:"due"`
	Empty     bool      `json:"empty"`
	Obstacle  *string   `json:"obstacle"`
	Mailable  bool      `json:"mailable"`
	Subject   string    `json:"subject"`
	Text      string    `json:"text"`
	HTML      string    `json:"html"`
}

// previewDigest responds with the digest that would be sent to the user now.
func (s *server) previewDigest(w http.ResponseWriter, r *http.Request) error {
	frequency, err := readFrequency(r)
	if err != nil {
		return err
	}
	preview, err := s.Previews.PreviewDigest(r.Context(), token.From(r.Context()).UserID, frequency)
	if err != nil {
		return err
	}
	response := previewResponse{
		Frequency: frequency,
		Period:    preview.Period,
		Due:       preview.Due,
		Empty:     preview.Empty,
		Mailable:  preview.Mailable,
		Subject:   preview.Subject,
		Text:      preview.Text,
		HTML:      preview.HTML,
	}
	if preview.Obstacle != "" {
		response.Obstacle = &preview.Obstacle
	}
	s.edge.WriteJSON(w, http.StatusOK, response)
	return nil
}

// mailPreview mails the same digest to the user. It ignores the user's preferences, because the user
// requested it.
func (s *server) mailPreview(w http.ResponseWriter, r *http.Request) error {
	frequency, err := readFrequency(r)
	if err != nil {
		return err
	}
	user := token.From(r.Context()).UserID
	preview, err := s.Previews.PreviewDigest(r.Context(), user, frequency)
	switch {
	case err != nil:
		return err
	case preview.Empty:
		return errNothingNew
	case !preview.Mailable:
		return errNotMailable
	}
	if err := s.Digests.SendDigestPreview(r.Context(), user, frequency); err != nil {
		return err
	}
	s.edge.WriteJSON(w, http.StatusAccepted, struct {
		OK        bool   `json:"ok"`
		Frequency string `json:"frequency"`
	}{true, frequency})
	return nil
}

// readFrequency returns the query parameter frequency.
func readFrequency(r *http.Request) (string, error) {
	frequencies := r.URL.Query()["frequency"]
	if len(frequencies) != 1 || frequencies[0] != workflows.Daily && frequencies[0] != workflows.Weekly {
		return "", errFrequency
	}
	return frequencies[0], nil
}
