package mcp

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"
)

// The addresses of places of the page. api/web/assets/main.js has the views, which read the parameters.

func (s *server) projectURL(project uuid.UUID) string {
	return s.PublicURL + "/projects/" + project.String()
}

// importURL is where an interview begins.
func (s *server) importURL(imported uuid.UUID) string {
	return s.PublicURL + "/imports/" + imported.String()
}

// turnURL is a turn of an interview.
func (s *server) turnURL(imported uuid.UUID, turn int) string {
	return s.importURL(imported) + "?u=" + strconv.Itoa(turn)
}

// hypothesisURL is the evidence about a hypothesis.
func (s *server) hypothesisURL(project, hypothesis uuid.UUID) string {
	return s.projectURL(project) + "/evidence?h=" + hypothesis.String()
}

// evidenceURL is a quote: in its interview if it has a place there, or else in the list of all.
func (s *server) evidenceURL(project, imported, evidence uuid.UUID) string {
	if imported == uuid.Nil {
		return s.projectURL(project) + "/evidence"
	}
	return s.importURL(imported) + "?e=" + evidence.String()
}

// answerURL is an answer to a question.
func (s *server) answerURL(project, answer uuid.UUID) string {
	return s.projectURL(project) + "/ask?a=" + answer.String()
}

// themeURL is a theme among those of its project.
func (s *server) themeURL(project, theme uuid.UUID) string {
	return s.projectURL(project) + "/themes?theme=" + theme.String()
}

// clock is a time in a recording, as the page shows it: 12:03, or 1:02:03. It is empty for a negative one.
func clock(ms int64) string {
	if ms < 0 {
		return ""
	}
	seconds := ms / 1000
	if seconds < 3600 {
		return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}
