package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"research/activities/extract"
	"research/outcome"
)

// A Journal keeps the responses of a model in a file, so that an interrupted run continues where it stopped
// and pays for no response twice. A nil Journal keeps nothing. It is safe for concurrent use.
type Journal struct {
	server string
	file   *os.File

	mu   sync.Mutex
	kept map[string][]journalEntry // by key, in the order of the requests; those of this run are removed
}

// A journalEntry is a line of the file: a response, or the failure of a request that would fail again.
type journalEntry struct {
	Key      string            `json:"key"`
	Response *extract.Response `json:"response,omitempty"`
	Failed   outcome.Code      `json:"failed,omitempty"`
	Usage    extract.Usage     `json:"usage,omitzero"` // of the failure
}

// OpenJournal opens or creates a journal. The file has quotes, so only its owner may read it. Responses of
// another server are not used, even if its model has the same name.
func OpenJournal(path, server string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	j := &Journal{server: server, file: file, kept: map[string][]journalEntry{}}
	if err := j.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("read %s: %w", path, err), file.Close())
	}
	return j, nil
}

// load reads the file, and removes a last line that was not written to its end.
func (j *Journal) load() error {
	raw, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	complete := bytes.LastIndexByte(raw, '\n') + 1
	lines := bytes.Split(raw[:complete], []byte{'\n'})
	for i, line := range lines[:len(lines)-1] {
		var e journalEntry
		if err := json.Unmarshal(line, &e); err != nil || e.Key == "" || (e.Response == nil) == (e.Failed == "") {
			return fmt.Errorf("line %d is not a response that eval kept", i+1)
		}
		j.kept[e.Key] = append(j.kept[e.Key], e)
	}
	if complete == 0 && len(raw) > 0 && raw[0] != '{' {
		return errors.New("the file was not written by eval")
	}
	return j.file.Truncate(int64(complete))
}

// Close closes the file.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return j.file.Close()
}

// key identifies a request by everything that its response depends on.
func (j *Journal) key(e extract.Extractor, r extract.Request) (string, error) {
	if j == nil {
		return "", nil
	}
	raw, err := json.Marshal(struct {
		Server, Name, Model, PromptVersion string
		Text                               [sha256.Size]byte
		Chunk                              extract.Chunk
		Hypotheses                         []extract.Hypothesis
		Interviewers                       []string
		Again                              bool
	}{
		j.server, e.Name(), e.Model(), e.PromptVersion(), sha256.Sum256([]byte(r.Transcript.Text)), r.Chunk,
		r.Hypotheses, r.Interviewers, r.Again,
	})
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// take returns what the file has for a request, once for each time that it was made: repeats have responses
// of their own. It reports false if the request must be made.
func (j *Journal) take(key string) (response extract.Response, failed *extract.Error, ok bool) {
	if j == nil {
		return response, nil, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	kept := j.kept[key]
	if len(kept) == 0 {
		return response, nil, false
	}
	j.kept[key] = kept[1:]
	if kept[0].Response == nil {
		return response, &extract.Error{Code: kept[0].Failed, Usage: kept[0].Usage}, true
	}
	return *kept[0].Response, nil, true
}

// keep appends a response, or a failure that would repeat. Other failures are left out: a later run tries
// again.
func (j *Journal) keep(key string, response extract.Response, failed *extract.Error) error {
	if j == nil {
		return nil
	}
	e := journalEntry{Key: key, Response: &response}
	if failed != nil {
		switch failed.Code {
		case outcome.CodeModelTooLong, outcome.CodeModelBadAnswer, outcome.CodeModelRefused:
		default:
			return nil
		}
		e = journalEntry{Key: key, Failed: failed.Code, Usage: failed.Usage}
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep a response: %w", err)
	}
	return nil
}
