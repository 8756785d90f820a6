package mcp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Kinds of what tools name. An id is the kind, a colon and a UUID; that of turns has their range as well, as
// in utterance:IMPORT:17-21.
const (
	kindImport     = "import"
	kindUtterance  = "utterance"
	kindHypothesis = "hypothesis"
	kindEvidence   = "evidence"
	kindAnswer     = "answer"
	kindProject    = "project"
	kindQuestion   = "question"
)

// An id names what fetch reads.
type id struct {
	kind     string
	of       uuid.UUID // of the import, for turns
	from, to int       // turns, both included
}

func (i id) String() string {
	if i.kind == kindUtterance {
		return fmt.Sprintf("%s:%s:%d-%d", i.kind, i.of, i.from, i.to)
	}
	return i.kind + ":" + i.of.String()
}

// maxTurns is how many turns an id names at most. Of a longer range, it names the first ones.
const maxTurns = 200

// parseID parses an id. Its error is errID for a malformed one. It does not look whether the row exists.
func parseID(text string) (parsed id, err error) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(text), ":")
	parsed.kind = kind
	var turns string
	if kind == kindUtterance {
		rest, turns, _ = strings.Cut(rest, ":")
		first, last, isRange := strings.Cut(turns, "-")
		if !isRange {
			last = first
		}
		var ok [2]bool
		parsed.from, ok[0] = parseTurn(first)
		parsed.to, ok[1] = parseTurn(last)
		if !ok[0] || !ok[1] || parsed.from > parsed.to {
			return id{}, errID
		}
		parsed.to = min(parsed.to, parsed.from+maxTurns-1)
	}
	switch kind {
	case kindImport, kindUtterance, kindHypothesis, kindEvidence, kindAnswer:
		parsed.of, err = parseUUID(rest)
	default:
		err = errID
	}
	if err != nil {
		return id{}, errID
	}
	return parsed, nil
}

// parseTurn reads the number of a turn.
func parseTurn(text string) (turn int, ok bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && n < maxPart && strconv.Itoa(n) == text
}

// parseUUID reads a UUID in its usual form.
func parseUUID(text string) (uuid.UUID, error) {
	if len(text) != 36 {
		return uuid.Nil, errID
	}
	return uuid.Parse(text)
}

// parseRef reads an argument that names a row of one kind: its UUID, with or without the kind.
func parseRef(kind, argument string) (uuid.UUID, error) {
	found, err := parseUUID(strings.TrimPrefix(strings.TrimSpace(argument), kind+":"))
	if err != nil {
		return uuid.Nil, errNotFound // nothing has such an id
	}
	return found, nil
}

var errID = invalid("id", "id must be one that another tool returned, such as import:…, utterance:…:17-21, "+
	"hypothesis:…, evidence:… or answer:….")
