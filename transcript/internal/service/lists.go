package service

import (
	"cmp"
	"encoding/json"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// readMember returns a function that reads the list of segments at a path of members.
func readMember(path ...string) func(doc Document) (turn.List, string, bool) {
	return func(doc Document) (list turn.List, language string, ok bool) {
		language = doc.Text("language_code")
		for _, name := range path[:len(path)-1] {
			if doc, ok = doc.inner(name); !ok {
				return turn.List{}, "", false
			}
		}
		ok = readSpeech(&list, doc.members[path[len(path)-1]], speakerNames(doc))
		return list, language, ok
	}
}

// readSpeakersOfChunks reads what insanely-fast-whisper adds to the pipeline's chunks: a list of the same,
// with speakers.
func readSpeakersOfChunks(doc Document) (list turn.List, language string, ok bool) {
	if !doc.Has("chunks") {
		return turn.List{}, "", false
	}
	return readMember("speakers")(doc)
}

// readSpeechmatics reads Speechmatics' results: words whose alternatives name the speaker.
func readSpeechmatics(doc Document) (list turn.List, language string, ok bool) {
	if !isList(doc.members["results"]) {
		return turn.List{}, "", false
	}
	isWords := false
	Each(doc.members["results"], func(s speechSegment) bool {
		isWords = s.isWord()
		return false
	})
	if !isWords {
		return turn.List{}, "", false
	}
	Each(doc.members["results"], func(s struct {
		Alternatives []struct {
			Language looseText `json:"language"`
		} `json:"alternatives"`
	}) bool {
		for _, a := range s.Alternatives {
			language = a.Language.text
		}
		return language == ""
	})
	ok = readSpeech(&list, doc.members["results"], nil)
	return list, language, ok
}

// readGong reads the calls of Gong's API, whose monologues have sentences.
func readGong(doc Document) (list turn.List, language string, ok bool) {
	type call struct {
		Transcript json.RawMessage `json:"transcript"`
	}
	ok = Each(doc.members["callTranscripts"], func(c call) bool {
		return readSpeech(&list, c.Transcript, nil)
	})
	return list, "", ok && len(list.Turns) > 0
}

// readAmberscript reads Amberscript's segments of words, whose speakers are named in a list.
func readAmberscript(doc Document) (list turn.List, language string, ok bool) {
	type speaker struct {
		ID   string `json:"spkid"`
		Name string `json:"name"`
	}
	names := map[string]string{}
	Each(doc.members["speakers"], func(s speaker) bool {
		if s.ID == "" {
			return false
		}
		names[s.ID] = s.Name
		return len(names) < plain.MaxLabels
	})
	if len(names) == 0 || !doc.Has("segments") {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, doc.members["segments"], names)
	return list, "", ok
}

// readSections reads a transcript whose sections have turns, as courts publish recordings of hearings.
func readSections(doc Document) (list turn.List, language string, ok bool) {
	type section struct {
		Turns json.RawMessage `json:"turns"`
	}
	if inner, found := doc.inner("transcript"); found {
		doc = inner
	}
	Each(doc.members["sections"], func(s section) bool {
		ok = readSpeech(&list, s.Turns, nil) || ok
		return !list.Exceeded
	})
	return list, doc.Text("language"), ok
}

// readNamedList reads a list of segments that Whisper's format would not do justice to: its members have
// other names, contain words, or name the speaker in an object.
func readNamedList(doc Document) (list turn.List, language string, ok bool) {
	raw, names := speechList(doc), speakerNames(doc)
	if raw == nil {
		return turn.List{}, "", false
	}
	isWhisper := true
	Each(raw, func(s speechSegment) bool {
		isWhisper = s.Text.text != "" && s.Start.text != "" && s.who().text == s.Speaker.text && len(names) == 0
		return false
	})
	if isWhisper {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, raw, names)
	return list, doc.Text("language"), ok
}

// readAnyList reads any list of segments.
func readAnyList(doc Document) (list turn.List, language string, ok bool) {
	raw := speechList(doc)
	if raw == nil {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, raw, speakerNames(doc))
	return list, doc.Text("language"), ok
}

// speakerNames returns the names of a document that lists its speakers with their identifiers.
func speakerNames(doc Document) map[string]string {
	type speaker struct {
		ID      scalarOrNone `json:"id"`
		Speaker scalarOrNone `json:"speaker_id"`
		Name    looseText    `json:"name"`
		Label   looseText    `json:"label"`
	}
	names := map[string]string{}
	if object := map[string]looseName(nil); json.Unmarshal(doc.members["speakers"], &object) == nil {
		for id, name := range object {
			names[id] = name.text
		}
	}
	Each(doc.members["speakers"], func(s speaker) bool {
		id, name := cmp.Or(s.ID.text, s.Speaker.text), cmp.Or(s.Name.text, s.Label.text)
		if id != "" && name != "" {
			names[id] = name
		}
		return len(names) < plain.MaxLabels
	})
	return names
}

// speechList returns the list of a document that may have the segments.
func speechList(doc Document) json.RawMessage {
	if doc.list != nil {
		return doc.list
	}
	for _, name := range []string{
		"transcript", "transcripts", "utterances", "segments", "data", "result", "results", "messages",
		"timeline", "entries", "transcriptEntries", "items", "turns", "meeting_transcripts", "lines",
		"dialogue", "dialog", "conversation", "interview", "script",
	} {
		if isList(doc.members[name]) {
			return doc.members[name]
		}
	}
	return nil
}
