package transcript

import (
	"cmp"
	"encoding/json"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// readMember returns a function that reads the list of segments at a path of members.
func readMember(path ...string) func(doc jsonDocument) (turn.List, string, bool) {
	return func(doc jsonDocument) (list turn.List, language string, ok bool) {
		language = doc.text("language_code")
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
func readSpeakersOfChunks(doc jsonDocument) (list turn.List, language string, ok bool) {
	if !doc.has("chunks") {
		return turn.List{}, "", false
	}
	return readMember("speakers")(doc)
}

// readSpeechmatics reads Speechmatics' results: words whose alternatives name the speaker.
func readSpeechmatics(doc jsonDocument) (list turn.List, language string, ok bool) {
	if !isList(doc.members["results"]) {
		return turn.List{}, "", false
	}
	isWords := false
	eachElement(doc.members["results"], func(s speechSegment) bool {
		isWords = s.isWord()
		return false
	})
	if !isWords {
		return turn.List{}, "", false
	}
	eachElement(doc.members["results"], func(s struct {
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

// readGoogle reads Google's results. With speakers, the last result has the words of all again, with the
// numbers of their speakers.
func readGoogle(doc jsonDocument) (list turn.List, language string, ok bool) {
	type alternative struct {
		Transcript looseText       `json:"transcript"`
		Words      json.RawMessage `json:"words"`
	}
	type result struct {
		Alternatives []alternative `json:"alternatives"`
		Language     looseText     `json:"languageCode"`
	}
	if operation, ok := doc.inner("response"); ok {
		doc = operation // as the status of a long-running operation has it
	}
	if !isList(doc.members["results"]) {
		return turn.List{}, "", false
	}
	var spoken, attributed turn.List
	whole := eachElement(doc.members["results"], func(r result) bool {
		if r.Language.text != "" {
			language = r.Language.text
		}
		if len(r.Alternatives) == 0 {
			return true
		}
		best := r.Alternatives[0] // the first one is the best
		var words turn.List
		if isList(best.Words) && readSpeech(&words, best.Words, nil) {
			if words.Turns[0].Speaker != "" {
				attributed.Turns = append(attributed.Turns, words.Turns...)
			}
			spoken.Turns = append(spoken.Turns, words.Turns...)
			spoken.Exceeded = spoken.Exceeded || words.Exceeded
		} else {
			spoken.AddText(best.Transcript.text)
		}
		return len(spoken.Turns) <= turn.Max
	})
	if len(attributed.Turns) > 0 {
		attributed.Exceeded = spoken.Exceeded
		return attributed, language, true
	}
	return spoken, language, whole && len(spoken.Turns) > 0
}

// readGong reads the calls of Gong's API, whose monologues have sentences.
func readGong(doc jsonDocument) (list turn.List, language string, ok bool) {
	type call struct {
		Transcript json.RawMessage `json:"transcript"`
	}
	ok = eachElement(doc.members["callTranscripts"], func(c call) bool {
		return readSpeech(&list, c.Transcript, nil)
	})
	return list, "", ok && len(list.Turns) > 0
}

// readElevenLabs reads ElevenLabs' words, whose spaces are elements of their own.
func readElevenLabs(doc jsonDocument) (list turn.List, language string, ok bool) {
	if !doc.has("words") || !doc.has("text") {
		return turn.List{}, "", false
	}
	isTyped := false
	eachElement(doc.members["words"], func(s speechSegment) bool {
		isTyped = s.isWord() && s.Type.text != ""
		return false
	})
	if !isTyped {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, doc.members["words"], nil)
	return list, threeLetterLanguage(doc.text("language_code")), ok
}

// threeLetterLanguage shortens the codes of ISO 639-3 that begin with those of ISO 639-1.
func threeLetterLanguage(code string) string {
	switch code {
	case "eng", "fra", "ita", "nld", "rus", "kor", "hin", "ara", "fin", "dan", "nor":
		return code[:2]
	case "deu":
		return "de"
	case "spa":
		return "es"
	case "por":
		return "pt"
	case "jpn":
		return "ja"
	case "zho", "cmn":
		return "zh"
	case "pol":
		return "pl"
	case "swe":
		return "sv"
	case "tur":
		return "tr"
	case "ukr":
		return "uk"
	}
	return code
}

// readAmberscript reads Amberscript's segments of words, whose speakers are named in a list.
func readAmberscript(doc jsonDocument) (list turn.List, language string, ok bool) {
	type speaker struct {
		ID   string `json:"spkid"`
		Name string `json:"name"`
	}
	names := map[string]string{}
	eachElement(doc.members["speakers"], func(s speaker) bool {
		if s.ID == "" {
			return false
		}
		names[s.ID] = s.Name
		return len(names) < plain.MaxLabels
	})
	if len(names) == 0 || !doc.has("segments") {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, doc.members["segments"], names)
	return list, "", ok
}

// slackSpeech are the subtypes of Slack's messages that people or their programs write. The others are
// notices: who joined, left, or named the channel (https://docs.slack.dev/reference/events/message).
var slackSpeech = map[string]bool{
	"": true, "bot_message": true, "thread_broadcast": true, "me_message": true, "file_comment": true,
	"file_share": true, "reply_broadcast": true,
}

// slackUpload is in the notices of files in older exports. In newer ones, such messages have what people
// write.
const slackUpload = " uploaded a file: <"

// slackEntities are the only characters that Slack escapes.
var slackEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// readSlack reads the messages of a Slack export, whose times are those of the clock.
func readSlack(doc jsonDocument) (list turn.List, language string, ok bool) {
	type message struct {
		Type     string    `json:"type"`
		Subtype  looseText `json:"subtype"`
		Text     *string   `json:"text"`
		TS       scalar    `json:"ts"`
		User     string    `json:"user"`
		Username looseText `json:"username"` // of a bot
		Profile  looseName `json:"user_profile"`
	}
	messages := doc.list
	if messages == nil {
		messages = doc.members["messages"]
	}
	if !isList(messages) {
		return turn.List{}, "", false
	}
	first := 0.0
	list.Dated = true
	ok = eachElement(messages, func(m message) bool {
		at, known := m.TS.number()
		if m.Type != "message" || m.Text == nil || !known {
			return false
		}
		if !slackSpeech[m.Subtype.text] ||
			m.Subtype.text == "file_share" && strings.Contains(*m.Text, slackUpload) {
			list.Drop(*m.Text)
			return true
		}
		if len(list.Turns) == 0 {
			first = at
		}
		t := turn.Turn{
			Speaker: cmp.Or(m.Profile.text, m.User, m.Username.text), Text: slackEntities.Replace(*m.Text),
		}
		t.Start, t.Timed = clock.FromSeconds(at - first)
		list.Add(t)
		return !list.Exceeded
	})
	return list, "", ok && len(list.Turns) > 0 || list.Exceeded
}

// readSections reads a transcript whose sections have turns, as courts publish recordings of hearings.
func readSections(doc jsonDocument) (list turn.List, language string, ok bool) {
	type section struct {
		Turns json.RawMessage `json:"turns"`
	}
	if inner, found := doc.inner("transcript"); found {
		doc = inner
	}
	eachElement(doc.members["sections"], func(s section) bool {
		ok = readSpeech(&list, s.Turns, nil) || ok
		return !list.Exceeded
	})
	return list, doc.text("language"), ok
}

// readNamedList reads a list of segments that Whisper's format would not do justice to: its members have
// other names, contain words, or name the speaker in an object.
func readNamedList(doc jsonDocument) (list turn.List, language string, ok bool) {
	raw, names := speechList(doc), speakerNames(doc)
	if raw == nil {
		return turn.List{}, "", false
	}
	isWhisper := true
	eachElement(raw, func(s speechSegment) bool {
		isWhisper = s.Text.text != "" && s.Start.text != "" && s.who().text == s.Speaker.text && len(names) == 0
		return false
	})
	if isWhisper {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, raw, names)
	return list, doc.text("language"), ok
}

// readAnyList reads any list of segments.
func readAnyList(doc jsonDocument) (list turn.List, language string, ok bool) {
	raw := speechList(doc)
	if raw == nil {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, raw, speakerNames(doc))
	return list, doc.text("language"), ok
}

// speakerNames returns the names of a document that lists its speakers with their identifiers.
func speakerNames(doc jsonDocument) map[string]string {
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
	eachElement(doc.members["speakers"], func(s speaker) bool {
		id, name := cmp.Or(s.ID.text, s.Speaker.text), cmp.Or(s.Name.text, s.Label.text)
		if id != "" && name != "" {
			names[id] = name
		}
		return len(names) < plain.MaxLabels
	})
	return names
}

// speechList returns the list of a document that may have the segments.
func speechList(doc jsonDocument) json.RawMessage {
	if doc.list != nil {
		return doc.list
	}
	for _, name := range []string{
		"transcript", "transcripts", "utterances", "segments", "data", "result", "results", "messages",
		"timeline", "entries", "transcriptEntries", "items", "turns", "meeting_transcripts", "lines",
	} {
		if isList(doc.members[name]) {
			return doc.members[name]
		}
	}
	return nil
}
