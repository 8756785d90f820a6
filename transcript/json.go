package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/format"
	"research/transcript/internal/language"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// A jsonFormat is the JSON of one service. Its function returns false for the JSON of others.
type jsonFormat struct {
	format format.Format
	read   func(doc jsonDocument) (list turn.List, language string, ok bool)
}

// jsonFormats are in order of precedence, since they overlap: Deepgram's is the most specific, Whisper's the
// least.
var jsonFormats = []jsonFormat{
	{format.Deepgram, readDeepgram},
	{format.RevAI, readMember("monologues")},
	{format.AWS, readMember("results", "audio_segments")},
	{format.AWS, readAWSItems},
	{format.AWS, readAWSCalls},
	{format.Speechmatics, readSpeechmatics},
	{format.ServiceJSON, readWatson},
	{format.Google, readGoogle},
	{format.Azure, readMember("recognizedPhrases")},
	{format.Azure, readMember("phrases")},
	{format.Gladia, readMember("result", "transcription", "utterances")},
	{format.Gladia, readMember("transcription", "utterances")},
	{format.Gong, readGong},
	{format.HuggingFace, readSpeakersOfChunks},
	{format.HuggingFace, readMember("chunks")},
	{format.ElevenLabs, readElevenLabs},
	{format.Amberscript, readAmberscript},
	{format.TTML, readTimedTextJSON},
	{format.ServiceJSON, readMember("output", "turnLevelTranscription")},
	{format.ServiceJSON, readMember("transcript", "speaker_blocks")},
	{format.ServiceJSON, readTimedParagraphs},
	{format.AssemblyAI, readAssemblyAI},
	{format.FirefliesJSON, readFireflies},
	{format.SlackJSON, readSlack},
	{format.ServiceJSON, readChat},
	{format.ServiceJSON, readSections},
	{format.ServiceJSON, readNamedList},
	{format.Whisper, readWhisper},
	{format.ServiceJSON, readAnyList},
}

// openJSON reads a JSON file, or one with an object on each line. It returns false for text that is not JSON.
func openJSON(text string) (doc jsonDocument, ok bool) {
	text = joinJSONLines(strings.TrimSpace(strings.TrimPrefix(text, plain.ByteOrderMark)))
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return jsonDocument{}, false
	}
	doc, _ = readDocument(json.RawMessage(text))
	return doc, true
}

// A serviceReading is what a service's JSON says.
type serviceReading struct {
	format   format.Format
	language string // ISO 639-1 code, or ""
	list     turn.List
}

// readService reads the JSON of the first service whose it can be.
func readService(doc jsonDocument) (serviceReading, error) {
	for _, f := range jsonFormats {
		if list, declared, ok := f.read(doc); ok {
			return serviceReading{f.format, language.Code(declared), list}, nil
		}
	}
	return serviceReading{}, format.Unsupported("It is JSON, but no list of segments with words was found in " +
		"it. Please upload the transcript as VTT, SRT, TXT or DOCX, or the JSON of a transcription service.")
}

// A jsonDocument is a JSON array, or the members of a JSON object that some format reads.
type jsonDocument struct {
	list    json.RawMessage
	members map[string]json.RawMessage
	others  int // the number of members that no format reads
}

// isMember reports whether a format reads a member of this name. Other members are not kept.
func isMember(name string) bool {
	switch name {
	case "LanguageCode", "Participants", "Transcript", "audio_segments", "callTranscripts", "channel_labels",
		"channels", "chunks", "conversation", "data", "duration", "entries", "events", "items", "language",
		"language_code", "lines", "logprobs", "media", "meeting_transcripts", "messages", "metadata", "monologues",
		"output", "paragraphs", "phrases", "recognizedPhrases", "response", "result", "results", "sections",
		"segments", "sentences", "speaker_blocks", "speaker_labels", "speakers", "task", "text", "timeline",
		"transcript", "transcriptEntries", "transcription", "transcripts", "turnLevelTranscription", "turns",
		"usage",
		"utterances", "words":
		return true
	}
	return false
}

// readDocument reads an array or an object, without decoding its elements.
func readDocument(raw json.RawMessage) (doc jsonDocument, ok bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return jsonDocument{}, false
	case raw[0] == '[':
		return jsonDocument{list: raw}, true
	case raw[0] != '{':
		return jsonDocument{}, false
	}
	doc.members = map[string]json.RawMessage{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return jsonDocument{}, false
	}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return jsonDocument{}, false
		}
		var member json.RawMessage
		if decoder.Decode(&member) != nil {
			return jsonDocument{}, false
		}
		if name, _ := token.(string); isMember(name) {
			doc.members[name] = member
		} else {
			doc.others++
		}
	}
	return doc, true
}

// has reports whether the object has a member that is not null.
func (d jsonDocument) has(name string) bool {
	raw, ok := d.members[name]
	return ok && !bytes.Equal(raw, []byte("null"))
}

// inner returns the object or array that is a member.
func (d jsonDocument) inner(name string) (jsonDocument, bool) {
	if !d.has(name) {
		return jsonDocument{}, false
	}
	return readDocument(d.members[name])
}

// text returns a member that is a string, or "".
func (d jsonDocument) text(name string) string {
	var s string
	if json.Unmarshal(d.members[name], &s) != nil {
		return ""
	}
	return s
}

// eachElement decodes the elements of a JSON array one by one, so that a hostile array takes no memory of its
// own. It stops and returns false at the first element of another type, or when visit returns false.
func eachElement[T any](list json.RawMessage, visit func(T) bool) bool {
	if len(list) == 0 || bytes.TrimSpace(list)[0] != '[' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(list))
	if _, err := decoder.Token(); err != nil {
		return false
	}
	for decoder.More() {
		var element T
		if decoder.Decode(&element) != nil || !visit(element) {
			return false
		}
	}
	return true
}

// A scalar is a JSON number or string. The services disagree which of the two a time or a speaker is.
type scalar struct{ text string }

func (v *scalar) UnmarshalJSON(raw []byte) error {
	switch {
	case bytes.Equal(raw, []byte("null")):
		v.text = ""
		return nil
	case raw[0] == '"':
		return json.Unmarshal(raw, &v.text)
	case raw[0] == '-' || plain.IsDigit(raw[0]):
		v.text = string(raw)
		return nil
	}
	return &json.UnmarshalTypeError{Value: "object", Offset: 0}
}

func (v scalar) number() (float64, bool) {
	n, err := strconv.ParseFloat(v.text, 64)
	return n, err == nil
}

// speaker returns a name, also for a speaker whom the service only numbers ("0", "A").
func (v scalar) speaker() string {
	s := strings.TrimSpace(v.text)
	if _, err := strconv.Atoi(s); err == nil || len(s) == 1 {
		return "Speaker " + s
	}
	return s
}

// jsonTurn returns a turn of what the services have in common.
func jsonTurn(unit clock.Unit, speaker scalar, text string, start, end scalar) turn.Turn {
	t := turn.Turn{Speaker: speaker.speaker(), Text: text}
	t.Start, t.Timed = unit(start.text)
	t.End, t.Ended = unit(end.text)
	t.Ended = t.Ended && t.Timed
	t.Unread = !t.Timed && start.text != ""
	return t
}
