package transcript

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// A jsonShape is one service's JSON: it reads the turns and the language from a document, and says false for a document
// of another shape.
type jsonShape struct {
	format Format
	read   func(doc document) (ts turns, language string, ok bool)
}

// The order matters where shapes overlap: Deepgram's is the most particular, Whisper's the least.
var jsonShapes = []jsonShape{
	{Deepgram, readDeepgram},
	{AssemblyAI, readAssemblyAI},
	{FirefliesJSON, readFireflies},
	{Whisper, readWhisper},
}

// A document is the outermost value of a JSON file: a list, or the members of an object that some shape asks for.
type document struct {
	members map[string]json.RawMessage
	others  int // how many members no shape asks for
	list    json.RawMessage
}

// asked are the members that the shapes ask for; others are not kept.
var asked = words("channels data duration language language_code logprobs paragraphs result results segments sentences task text transcript transcription usage utterances words")

// openJSON reads a JSON file. It says false for a text that is none.
func openJSON(text string) (src source, ok bool, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF"))
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return source{}, false, nil
	}
	doc, _ := readDocument(json.RawMessage(text))
	for _, shape := range jsonShapes {
		if ts, language, ok := shape.read(doc); ok {
			return source{shape.format, languageCode(language), func() turns { return ts }}, true, nil
		}
	}
	return source{}, true, refuse(refusals["json"])
}

// readDocument takes the outermost value apart; false for a value that is neither list nor object.
func readDocument(raw json.RawMessage) (doc document, ok bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return document{}, false
	case raw[0] == '[':
		return document{list: raw}, true
	case raw[0] != '{':
		return document{}, false
	}
	doc.members = map[string]json.RawMessage{}
	tokens := json.NewDecoder(bytes.NewReader(raw))
	if _, err := tokens.Token(); err != nil {
		return document{}, false
	}
	for tokens.More() {
		name, err := tokens.Token()
		if err != nil {
			return document{}, false
		}
		var member json.RawMessage
		if tokens.Decode(&member) != nil {
			return document{}, false
		}
		if name, _ := name.(string); asked[name] {
			doc.members[name] = member
		} else {
			doc.others++
		}
	}
	return doc, true
}

// has says whether an object has a member that is no null.
func (d document) has(name string) bool {
	raw, ok := d.members[name]
	return ok && !bytes.Equal(raw, []byte("null"))
}

// inner is the object or the list that a member holds.
func (d document) inner(name string) (document, bool) {
	if !d.has(name) {
		return document{}, false
	}
	return readDocument(d.members[name])
}

// text is a member that is a string.
func (d document) text(name string) string {
	var s string
	if json.Unmarshal(d.members[name], &s) != nil {
		return ""
	}
	return s
}

// each decodes the elements of a JSON list one by one, so that a hostile list costs no memory of its own. It stops and says false at
// the first element that does not fit, or when take says so.
func each[T any](list json.RawMessage, take func(T) bool) bool {
	if len(list) == 0 || bytes.TrimSpace(list)[0] != '[' {
		return false
	}
	elements := json.NewDecoder(bytes.NewReader(list))
	if _, err := elements.Token(); err != nil {
		return false
	}
	for elements.More() {
		var one T
		if elements.Decode(&one) != nil || !take(one) {
			return false
		}
	}
	return true
}

// A value is a JSON number or string; the services do not agree which of them a time or a speaker is.
type value struct{ text string }

func (v *value) UnmarshalJSON(raw []byte) error {
	switch {
	case bytes.Equal(raw, []byte("null")):
		v.text = ""
		return nil
	case raw[0] == '"':
		return json.Unmarshal(raw, &v.text)
	case raw[0] == '-' || isDigit(raw[0]):
		v.text = string(raw)
		return nil
	}
	return &json.UnmarshalTypeError{Value: "object", Offset: 0}
}

// seconds reads a time in seconds, or as a clock.
func (v value) seconds() (time.Duration, bool) { return v.time(1) }

// milliseconds reads a time in milliseconds.
func (v value) milliseconds() (time.Duration, bool) { return v.time(1000) }

func (v value) time(perSecond float64) (time.Duration, bool) {
	if d, rest, ok := clock(v.text); ok && rest == "" {
		return d, true
	}
	n, err := strconv.ParseFloat(strings.TrimSuffix(v.text, "s"), 64)
	if err != nil {
		return 0, false
	}
	return seconds(n / perSecond)
}

// speaker names a speaker whom the service only numbers ("0", "A").
func (v value) speaker() string {
	s := strings.TrimSpace(v.text)
	if _, err := strconv.Atoi(s); err == nil || len(s) == 1 {
		return "Speaker " + s
	}
	return s
}

// turn makes one of what the services have in common.
func (v value) turn(said string, start, end time.Duration, timed, ended bool) turn {
	return turn{speaker: v.speaker(), start: start, end: end, timed: timed, ended: timed && ended, text: said}
}

// A word is a piece of a transcript without turns.
type word struct {
	text       string
	speaker    value
	start, end time.Duration
	timed      bool
}

// sentence bounds what is made of words: it ends at the end of a sentence, a change of speaker, a long pause, or here.
const (
	maxSentence = 80
	longPause   = 2 * time.Second
)

// A sentence collects words where a service gives nothing else.
type sentence struct {
	ts    *turns
	now   turn
	words []string
	last  time.Duration
}

func (s *sentence) add(w word) {
	if w.text = strings.TrimSpace(w.text); w.text == "" {
		return
	}
	speaker := w.speaker.speaker()
	if len(s.words) > 0 && (speaker != s.now.speaker || len(s.words) >= maxSentence || w.timed && s.now.timed && w.start > s.last+longPause) {
		s.end()
	}
	if len(s.words) == 0 {
		s.now = turn{speaker: speaker, start: w.start, timed: w.timed}
	}
	s.words = append(s.words, w.text)
	if w.timed && s.now.timed {
		s.now.end, s.now.ended, s.last = max(w.end, s.now.end), true, w.end
	}
	if strings.ContainsAny(w.text[len(w.text)-1:], ".?!") || strings.HasSuffix(w.text, "。") || strings.HasSuffix(w.text, "？") {
		s.end()
	}
}

func (s *sentence) end() {
	if len(s.words) > 0 {
		s.now.text = strings.Join(s.words, " ")
		s.ts.add(s.now)
	}
	s.words = s.words[:0]
}

// languageCode makes "en" of "en_us", "English" and the like; "" where it does not know.
func languageCode(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if code, ok := languageNames[s]; ok {
		return code
	}
	code, _, _ := strings.Cut(strings.ReplaceAll(s, "_", "-"), "-")
	if len(code) != 2 || code[0] < 'a' || code[0] > 'z' || code[1] < 'a' || code[1] > 'z' {
		return ""
	}
	return code
}

// languageNames are Whisper's names for the languages that are spoken most.
var languageNames = map[string]string{
	"english": "en", "german": "de", "french": "fr", "spanish": "es", "italian": "it", "portuguese": "pt", "dutch": "nl", "swedish": "sv",
	"danish": "da", "norwegian": "no", "finnish": "fi", "polish": "pl", "czech": "cs", "hungarian": "hu", "turkish": "tr", "russian": "ru",
	"ukrainian": "uk", "greek": "el", "hebrew": "he", "arabic": "ar", "persian": "fa", "urdu": "ur", "hindi": "hi", "indonesian": "id",
	"romanian": "ro", "vietnamese": "vi", "thai": "th", "japanese": "ja", "korean": "ko", "chinese": "zh", "bulgarian": "bg", "serbian": "sr",
	"catalan": "ca", "croatian": "hr", "slovak": "sk", "slovenian": "sl", "lithuanian": "lt", "latvian": "lv", "estonian": "et", "malay": "ms",
}
