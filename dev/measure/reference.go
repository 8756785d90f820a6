package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A reference is what a careful person enters after reading a file.
type reference struct {
	Turns []turn `json:"turns"`
}

// A turn is what somebody says.
type turn struct {
	// Speaker is "" if the file names nobody. It is nil if nobody says the words: they may be left out, or be
	// read without a speaker.
	Speaker *string  `json:"speaker"`
	Others  []string `json:"others"` // other names that are right, too
	Text    string   `json:"text"`
	StartMs *int64   `json:"start_ms"` // nil if the file has no time for the turn
}

// isBy reports whether the words of a turn may have a speaker.
func (t turn) isBy(speaker string) bool {
	if t.Speaker == nil && speaker == "" || t.Speaker != nil && sameName(*t.Speaker, speaker) {
		return true
	}
	for _, other := range t.Others {
		if sameName(other, speaker) {
			return true
		}
	}
	return false
}

// sameName compares names without capitals, punctuation and marks: "~ Dana W." is "dana w".
func sameName(a, b string) bool {
	return strings.Join(words(a), " ") == strings.Join(words(b), " ")
}

// An example is a file with its reference.
type example struct {
	collection string // the folder of the file, relative to that of all collections
	name       string
	data       []byte
	reference
}

const suffix = ".expected.json"

// load reads the examples of a folder and those below it: NAME.expected.json beside NAME with any extension.
func load(dir string) ([]example, error) {
	var examples []example
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		e, err := loadExample(path)
		if err != nil {
			return err
		}
		if e.collection, err = filepath.Rel(dir, filepath.Dir(path)); err != nil {
			return err
		}
		examples = append(examples, e)
		return nil
	})
	return examples, err
}

func loadExample(path string) (example, error) {
	e := example{name: strings.TrimSuffix(filepath.Base(path), suffix)}
	text, err := os.ReadFile(path) // #nosec G304 -- the caller names the folder
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(text, &e.reference); err != nil {
		return e, fmt.Errorf("%s: %w", path, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return e, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.TrimSuffix(name, filepath.Ext(name)) == e.name && !strings.HasSuffix(name, suffix) {
			e.data, err = os.ReadFile(filepath.Join(filepath.Dir(path), name)) // #nosec G304 -- see above
			return e, err
		}
	}
	return e, fmt.Errorf("%s has no file beside it", path)
}
