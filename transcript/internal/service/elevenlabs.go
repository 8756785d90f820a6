package service

import "research/transcript/internal/turn"

// readElevenLabs reads ElevenLabs' words, whose spaces are elements of their own.
func readElevenLabs(doc Document) (list turn.List, language string, ok bool) {
	if !doc.Has("words") || !doc.Has("text") {
		return turn.List{}, "", false
	}
	isTyped := false
	Each(doc.members["words"], func(s speechSegment) bool {
		isTyped = s.isWord() && s.Type.text != ""
		return false
	})
	if !isTyped {
		return turn.List{}, "", false
	}
	ok = readSpeech(&list, doc.members["words"], nil)
	return list, threeLetterLanguage(doc.Text("language_code")), ok
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
