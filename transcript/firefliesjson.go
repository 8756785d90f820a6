package transcript

// readFireflies reads Fireflies' sentences: as its API gives them ({"data": {"transcript": {"sentences": […]}}}, or any inner part
// of that) and as its page exports them (a list with "sentence", "startTime" and "endTime").
func readFireflies(doc document) (ts turns, language string, ok bool) {
	type said struct {
		Text      *string `json:"text"`
		Raw       *string `json:"raw_text"`
		Sentence  *string `json:"sentence"`
		Speaker   *string `json:"speaker_name"`
		SpeakerID value   `json:"speaker_id"`
		Start     value   `json:"start_time"`
		End       value   `json:"end_time"`
		From      value   `json:"startTime"`
		To        value   `json:"endTime"`
	}
	for range 2 {
		for _, name := range []string{"data", "transcript"} {
			if in, found := doc.inner(name); found {
				doc = in
			}
		}
	}
	list := doc.list
	if list == nil {
		if !doc.has("sentences") {
			return ts, "", false
		}
		list = doc.members["sentences"]
	}
	ok = each(list, func(s said) bool {
		text := s.Text
		if text == nil {
			text = s.Sentence
		}
		if text == nil {
			text = s.Raw
		}
		// A bare list is Fireflies' only if it has one of its names.
		if text == nil || doc.list != nil && s.Sentence == nil && s.Speaker == nil && s.SpeakerID.text == "" && s.Start.text == "" {
			return false
		}
		speaker := s.SpeakerID
		if s.Speaker != nil && *s.Speaker != "" {
			speaker = value{*s.Speaker}
		}
		start, timed := s.Start.seconds()
		if !timed {
			start, timed = s.From.seconds()
		}
		end, ended := s.End.seconds()
		if !ended {
			end, ended = s.To.seconds()
		}
		ts.add(speaker.turn(*text, start, end, timed, ended))
		return !ts.full
	})
	return ts, "", (ok || ts.full) && len(ts.list) > 0
}
