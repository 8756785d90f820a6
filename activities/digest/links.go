package digest

import (
	"net/url"

	"github.com/google/uuid"

	"research/activities/mail"
)

// A site is PUBLIC_URL. Its methods return the addresses to which a digest links.
type site string

func (s site) home() string     { return string(s) + "/" }
func (s site) settings() string { return string(s) + "/settings" }

// unsubscribe returns the address of api/notifications that turns digests off.
func (s site) unsubscribe(token string) string {
	return string(s) + "/api/notifications/unsubscribe?" + url.Values{"token": {token}}.Encode()
}

func (s site) project(id uuid.UUID) string { return string(s) + "/projects/" + id.String() }

func (s site) lists(project uuid.UUID) mail.DigestURLs {
	base := s.project(project)
	return mail.DigestURLs{
		Hypotheses: base,
		Evidence:   base + "/evidence",
		Interviews: base + "/interviews",
		Questions:  base + "/questions",
		Answers:    base + "/ask",
		Themes:     base + "/themes",
	}
}

func (s site) hypothesis(project, hypothesis uuid.UUID) string {
	return s.project(project) + "/evidence?h=" + hypothesis.String()
}

func (s site) theme(project, theme uuid.UUID) string {
	return s.project(project) + "/themes?theme=" + theme.String()
}

func (s site) answer(project, answer uuid.UUID) string {
	return s.project(project) + "/ask?a=" + answer.String()
}

func (s site) interview(importID uuid.UUID) string {
	return string(s) + "/imports/" + importID.String()
}

func (s site) evidence(importID, evidence uuid.UUID) string {
	return s.interview(importID) + "?e=" + evidence.String()
}
