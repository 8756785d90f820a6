package transcript

// readAssemblyAI reads AssemblyAI's transcript object: "utterances" with speakers, in milliseconds; where speakers were not asked
// for they are null, and the words are put together to sentences.
func readAssemblyAI(doc document) (ts turns, language string, ok bool) {
	type piece struct {
		Start   value   `json:"start"`
		End     value   `json:"end"`
		Text    *string `json:"text"`
		Speaker value   `json:"speaker"`
	}
	// Utterances are in the transcript; sentences and paragraphs come from requests of their own.
	for _, name := range []string{"utterances", "sentences", "paragraphs"} {
		if !doc.has(name) {
			continue
		}
		ok = each(doc.members[name], func(p piece) bool {
			if p.Text == nil || p.Start.text == "" {
				return false
			}
			start, timed := p.Start.milliseconds()
			end, ended := p.End.milliseconds()
			ts.add(p.Speaker.turn(*p.Text, start, end, timed, ended))
			return !ts.full
		})
		if ok && len(ts.list) > 0 || ts.full {
			return ts, doc.text("language_code"), true
		}
		ts = turns{}
	}
	if !doc.has("words") || doc.has("segments") || !doc.has("text") {
		return ts, "", false
	}
	build := sentence{ts: &ts}
	ok = each(doc.members["words"], func(p piece) bool {
		if p.Text == nil {
			return false
		}
		start, timed := p.Start.milliseconds()
		end, _ := p.End.milliseconds()
		build.add(word{text: *p.Text, speaker: p.Speaker, start: start, end: end, timed: timed})
		return !ts.full
	})
	build.end()
	return ts, doc.text("language_code"), ok || ts.full
}
