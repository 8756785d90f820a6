package service

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"research/transcript/internal/clock"
	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

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

// newTurn returns a turn of what the services have in common.
func newTurn(unit clock.Unit, speaker scalar, text string, start, end scalar) turn.Turn {
	t := turn.Turn{Speaker: speaker.speaker(), Text: text}
	t.Start, t.Timed = unit(start.text)
	t.End, t.Ended = unit(end.text)
	t.Ended = t.Ended && t.Timed
	t.Unread = !t.Timed && start.text != ""
	return t
}

// A looseText is a JSON string. Anything else is taken for none.
type looseText struct{ text string }

func (v *looseText) UnmarshalJSON(raw []byte) error {
	v.text = ""
	if raw[0] == '"' {
		return json.Unmarshal(raw, &v.text)
	}
	return nil
}

// A scalarOrNone is a scalar. Anything else is taken for none.
type scalarOrNone struct{ text string }

func (v *scalarOrNone) UnmarshalJSON(raw []byte) error {
	var s scalar
	if raw[0] == '"' || raw[0] == '-' || plain.IsDigit(raw[0]) {
		if err := s.UnmarshalJSON(raw); err != nil {
			return err
		}
	}
	v.text = s.text
	return nil
}

// A looseName is a name or number, an object with one, or a list that begins with one.
type looseName struct{ text string }

func (v *looseName) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 || list[0][0] == '[' {
			return err
		}
		return v.UnmarshalJSON(list[0])
	}
	if raw[0] != '{' {
		var s scalarOrNone
		err := s.UnmarshalJSON(raw)
		v.text = s.text
		return err
	}
	var object struct {
		Display scalarOrNone `json:"display_name"`
		Real    scalarOrNone `json:"real_name"`
		Nick    scalarOrNone `json:"nickname"`
		Name    scalarOrNone `json:"name"`
		User    scalarOrNone `json:"username"`
		Label   scalarOrNone `json:"label"`
		ID      scalarOrNone `json:"id"`
	}
	err := json.Unmarshal(raw, &object)
	v.text = cmp.Or(object.Display.text, object.Real.text, object.Nick.text, object.Name.text, object.User.text,
		object.Label.text, object.ID.text)
	return err
}

// A looseTime is a time, an object with one, or a list of two.
type looseTime struct{ text, end string }

func (v *looseTime) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '[':
		var pair []scalarOrNone
		if err := json.Unmarshal(raw, &pair); err != nil || len(pair) != 2 {
			return err
		}
		v.text, v.end = pair[0].text, pair[1].text
		return nil
	case '{':
		var object struct {
			Relative scalarOrNone `json:"relative"`
			Seconds  scalarOrNone `json:"seconds"`
		}
		err := json.Unmarshal(raw, &object)
		v.text = cmp.Or(object.Relative.text, object.Seconds.text)
		return err
	}
	var s scalarOrNone
	err := s.UnmarshalJSON(raw)
	v.text = strings.TrimPrefix(s.text, "PT")
	if v.text != s.text {
		v.text = isoSeconds(v.text)
	}
	return err
}

// isoSeconds turns "1H2M3.5S", the duration of ISO 8601 without its prefix, into seconds.
func isoSeconds(s string) string {
	total, scale := 0.0, map[byte]float64{'H': 3600, 'M': 60, 'S': 1}
	for s != "" {
		i := strings.IndexAny(s, "HMS")
		if i < 0 {
			return ""
		}
		n, err := strconv.ParseFloat(s[:i], 64)
		if err != nil {
			return ""
		}
		total += n * scale[s[i]]
		s = s[i+1:]
	}
	return strconv.FormatFloat(total, 'f', -1, 64)
}
