package service

import "research/transcript/internal/turn"

// ReadEach calls visit with what each reader finds in a document, whatever service it is of.
func ReadEach(doc Document, visit func(list turn.List, language string, ok bool)) {
	for _, r := range readers {
		visit(r.read(doc))
	}
}
