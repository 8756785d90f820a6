package refi

import (
	"cmp"
	"strings"

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
}

// text returns the text of a note, with its author if it is a comment.
func (b *builder) textOf(n *note) string {
	data, _, isRich, err := b.file.Text(n.source, maxNote)
	text := strings.TrimSpace(string(data))
	if err != nil || isRich {
		text = strings.TrimSpace(n.source.Description)
	}
	if author := b.authors[n.source.CreatingUser]; n.source.Name == commentName && author != "" && text != "" {
		text = author + ": " + text
	}
	return text
}

// takeNotes adds notes to a memo. Something that the project has keeps its memo.
func (b *builder) takeNotes(refs []qdpx.Ref, memo *string, isKnown bool, of string) {
	for _, ref := range refs {
		n := b.notes[ref.Target]
		if n == nil {
			continue
		}
		text := b.textOf(n)
		longer := add(*memo, text)
		switch {
		case text == "":
			b.skipNote(ref.Target, "It has no text.")
		case isKnown && longer != *memo:
			b.skipNote(ref.Target, "It is about "+of+", which is here already and keeps its memo.")
		case cut(longer, maxMemo) != longer:
			b.skipNote(ref.Target, "The memo of "+of+" would be too long.")
		case !isKnown:
			*memo = longer
		}
		n.isUsed = true
	}
}

func (b *builder) skipNote(id qdpx.GUID, reason string) {
	if n := b.notes[id]; n != nil && !n.isUsed {
		n.isUsed = true
		b.skip("note", cmp.Or(n.source.Name, "Note"), reason)
	}
}
