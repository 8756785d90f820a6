package refi

import "github.com/google/uuid"

// response is the response body of POST /api/project/{projectId}/refi.
type response struct {
	Sources      int             `json:"sources"`    // in the file
	Imported     int             `json:"imported"`   // new interviews
	Themes       int             `json:"themes"`     // new
	Hypotheses   int             `json:"hypotheses"` // new
	Quotes       int             `json:"quotes"`     // new
	Codings      int             `json:"codings"`    // new, of quotes that the project has
	Users        int             `json:"users"`      // in the file
	Known        known           `json:"known"`
	Interviews   []readInterview `json:"interviews"`
	ThemeNames   []string        `json:"themeNames"` // of new themes
	Skipped      []skipped       `json:"skipped"`
	SkippedCount int             `json:"skippedCount"`
	Warnings     []string        `json:"warnings"`
}

// Known counts what the project has already, and what is not added again.
type known struct {
	Interviews int `json:"interviews"`
	Themes     int `json:"themes"`
	Quotes     int `json:"quotes"`
}

// A readInterview is what comes of a source.
type readInterview struct {
	Title    string     `json:"title"`
	Quotes   int        `json:"quotes"`   // new
	Speakers int        `json:"speakers"` // 0 for one that the project has
	Known    bool       `json:"known"`
	ImportID *uuid.UUID `json:"importId"` // null for one that is not stored
}

func (p *plan) response() response {
	r := response{
		Sources: p.sources, Imported: p.imported(), Hypotheses: len(p.hypotheses), Quotes: p.countQuotes(),
		Codings: p.countCodings(),
		Users:   p.users, Interviews: []readInterview{}, ThemeNames: []string{}, SkippedCount: p.skippedCount,
		Skipped:  append([]skipped{}, p.skipped[:min(len(p.skipped), maxListed)]...),
		Warnings: append([]string{}, p.warnings...),
	}
	for _, t := range p.themes {
		if t.isKnown {
			r.Known.Themes++
			continue
		}
		r.Themes++
		if len(r.ThemeNames) < maxListed {
			r.ThemeNames = append(r.ThemeNames, t.name)
		}
	}
	for _, i := range p.interviews {
		if i.isKnown {
			r.Known.Interviews++
		}
		r.Known.Quotes += len(i.quotes) - i.newQuotes()
		if len(r.Interviews) == maxListed {
			continue
		}
		read := readInterview{Title: i.title, Quotes: i.newQuotes(), Known: i.isKnown}
		if i.read != nil {
			read.Speakers = len(i.read.Speakers())
		}
		if i.id != uuid.Nil {
			read.ImportID = &i.id
		}
		r.Interviews = append(r.Interviews, read)
	}
	return r
}
