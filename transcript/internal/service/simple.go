package service

import (
	"encoding/json"
	"strings"

	"research/transcript/internal/plain"
	"research/transcript/internal/turn"
)

// readSimple reads what people and scripts write without a service: pairs of a name and words, objects with
// the name as the key, questions with their answers, and lists of turns under any key. Those of several keys
// follow each other.
func readSimple(doc Document) (list turn.List, language string, ok bool) {
	if doc.list != nil {
		ok = readTalk(&list, doc.list)
		return list, "", ok
	}
	ok = readTalksBelow(&list, doc.raw, maxDepth)
	return list, doc.Text("language"), ok
}

// maxDepth is how many objects there may be around the list of turns.
const maxDepth = 3

// readTalksBelow reads the lists of turns that are members of an object, or of objects in it.
func readTalksBelow(list *turn.List, object json.RawMessage, depth int) (found bool) {
	eachMember(object, func(_ string, value json.RawMessage) bool {
		switch {
		case isList(value):
			found = readTalk(list, value) || found
		case depth > 1:
			found = readTalksBelow(list, value, depth-1) || found
		}
		return !list.Exceeded
	})
	return found
}

// readTalk reads a list if it has turns.
func readTalk(list *turn.List, raw json.RawMessage) bool {
	if isListOfTurns(raw) {
		doc := Document{list: raw}
		read, _, ok := readChat(doc)
		if !ok {
			read, _, ok = readAnyList(doc)
		}
		if ok {
			addAll(list, read)
			return true
		}
	}
	var named turn.List
	rows, others := 0, 0
	Each(raw, func(element json.RawMessage) bool {
		turns := namedTurns(element)
		if len(turns) == 0 {
			others++
		}
		rows++
		for _, t := range turns {
			named.Add(t)
		}
		return !named.Exceeded && others <= rows/10+1
	})
	if !named.Exceeded && (others*10 > rows || !isConversation(named.Turns)) {
		return false
	}
	addAll(list, named)
	return true
}

func addAll(list *turn.List, more turn.List) {
	for _, t := range more.Turns {
		list.Add(t)
	}
	list.Exceeded = list.Exceeded || more.Exceeded
	list.Dated = list.Dated || more.Dated
}

// isListOfTurns reports whether most elements are objects with words and a speaker. Posts, books and people
// have a title or an address, too.
func isListOfTurns(raw json.RawMessage) bool {
	type element struct {
		speechSegment

		Title json.RawMessage `json:"title"`
		URL   json.RawMessage `json:"url"`
		Link  json.RawMessage `json:"link"`
		Email json.RawMessage `json:"email"`
	}
	turns := turn.List{}
	rows := 0
	Each(raw, func(one json.RawMessage) bool {
		var e element
		rows++
		isTurn := one[0] == '{' && json.Unmarshal(one, &e) == nil &&
			e.Title == nil && e.URL == nil && e.Link == nil && e.Email == nil
		if text, who := e.ownText(), e.who().text; isTurn && text != "" && who != "" {
			turns.Add(turn.Turn{Speaker: who, Text: text})
		}
		return !turns.Exceeded
	})
	return turns.Exceeded || len(turns.Turns)*10 >= rows*8 && isConversation(turns.Turns)
}

// namedTurns returns the turns of ["Dana", "words"], {"Dana": "words"} and {"question": "words", "answer":
// "words"}.
func namedTurns(element json.RawMessage) []turn.Turn {
	if element[0] == '[' {
		var pair []json.RawMessage
		var who scalarOrNone
		var said looseText
		if json.Unmarshal(element, &pair) != nil || len(pair) != 2 ||
			json.Unmarshal(pair[0], &who) != nil || json.Unmarshal(pair[1], &said) != nil {
			return nil
		}
		return newNamedTurn(who.text, said.text)
	}
	if element[0] != '{' {
		return nil
	}
	var turns []turn.Turn
	members := 0
	eachMember(element, func(name string, value json.RawMessage) bool {
		var said looseText
		if members++; json.Unmarshal(value, &said) == nil && (members == 1 || voicePairs[strings.ToLower(name)]) {
			turns = append(turns, newNamedTurn(name, said.text)...)
		}
		return members < maxMembers
	})
	if members > 1 {
		turns = pairedTurns(turns)
	}
	return turns
}

// voicePairs are keys of two voices in one object.
var voicePairs = map[string]bool{
	"question": true, "answer": true, "q": true, "a": true, "interviewer": true, "interviewee": true,
	"participant": true, "respondent": true, "user": true, "assistant": true, "human": true, "ai": true,
	"bot": true, "moderator": true,
}

// pairedTurns returns the turns whose names are such keys, if there are two.
func pairedTurns(turns []turn.Turn) []turn.Turn {
	var paired []turn.Turn
	for _, t := range turns {
		if voicePairs[strings.ToLower(t.Speaker)] {
			paired = append(paired, t)
		}
	}
	if len(paired) != 2 {
		return nil
	}
	return paired
}

// newNamedTurn returns no turn for what cannot be a name and words.
func newNamedTurn(name, said string) []turn.Turn {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > plain.MaxLabel || plain.IsBlank(said) {
		return nil
	}
	return []turn.Turn{{Speaker: scalar{name}.speaker(), Text: said}}
}

// isConversation reports whether two or more voices say something, one of them comes back, and most have
// sentences rather than values.
func isConversation(turns []turn.Turn) bool {
	names := map[string]bool{}
	changes, sentences := 0, 0
	for i, t := range turns {
		if len(names) < plain.MaxLabels {
			names[t.Speaker] = true
		}
		if i > 0 && t.Speaker != turns[i-1].Speaker {
			changes++
		}
		if strings.ContainsFunc(strings.TrimSpace(t.Text), isSentenceMark) {
			sentences++
		}
	}
	return len(names) > 1 && changes >= len(names) && len(names)*2 <= len(turns)+1 && sentences*2 >= len(turns)
}

// isSentenceMark reports whether a rune is in sentences, also of scripts without spaces.
func isSentenceMark(r rune) bool { return r == ' ' || r >= '\u0e00' }
