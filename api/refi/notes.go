package refi

import (
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"

	"research/api/refi/qdpx"
)

// maxMemo is the length of a memo, in characters.
const maxMemo = 20_000

// maxNote is the size of the text of a note.
const maxNote = 256 << 10

// A note is one of the file.
type note struct {
	source *qdpx.Source
	isUsed bool // it is in a memo, or listed as skipped
	isRead bool
	text   string // with its author if it is a comment
	reason string // why it has no text
}

// read reads the text of a note, once.
func (b *builder) read(n *note) error {
	if n.isRead {
		return nil
	}
	n.isRead = true
	limit := min(maxNote, b.unreadNotes)
	text, err := b.file.Text(n.source, limit)
	if errors.Is(err, qdpx.ErrTooLarge) && limit < maxNote {
		return errNotes
	}
	b.unreadNotes -= int64(len(text.Data))
	n.text = strings.TrimSpace(string(text.Data))
	n.reason = "It has no text."
	switch {
	case err != nil && !errors.Is(err, qdpx.ErrNoText):
		n.reason = "Its text cannot be read: " + err.Error() + "."
	case text.IsRich:
		n.reason = "Only its formatted form is in the file, which is not read."
	}
	if err != nil || text.IsRich {
		n.text = strings.TrimSpace(n.source.Description)
	}
	if author := b.authors[n.source.CreatingUser]; n.source.Name == commentName && author != "" && n.text != "" {
		n.text = author + ": " + n.text
	}
	if utf8.RuneCountInString(n.text) > maxMemo {
		n.text, n.reason = "", "It is longer than a memo can be."
	}
	return nil
}

// takeNotes adds notes to a memo. Something that the project has keeps its memo.
func (b *builder) takeNotes(refs []qdpx.Ref, memo *string, isKnown bool, of string) error {
	for _, ref := range refs {
		n := b.notes[ref.Target]
		if n == nil {
			continue
		}
		if b.noteRefs++; b.noteRefs > maxNoteRefs {
			return errNotes
		}
		if err := b.read(n); err != nil {
			return err
		}
		longer := add(*memo, n.text)
		switch {
		case n.text == "":
			b.skipNote(ref.Target, n.reason)
		case isKnown && longer != *memo:
			b.skipNote(ref.Target, "It is about "+of+", which is here already and keeps its memo.")
		case utf8.RuneCountInString(longer) > maxMemo:
			b.skipNote(ref.Target, "The memo of "+of+" would be too long.")
		case !isKnown:
			*memo = longer
		}
		n.isUsed = true
	}
	return nil
}

func (b *builder) skipNote(id qdpx.GUID, reason string) {
	if n := b.notes[id]; n != nil && !n.isUsed {
		n.isUsed = true
		b.skip("note", cmp.Or(n.source.Name, "Note"), reason)
	}
}
