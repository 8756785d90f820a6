package catalog

import "strings"

// An origin is the column of a relation that a view's column shows: the relation's object identifier and the
// column's number.
type origin struct{ oid, column string }

// origins reads, from a view's parsed query, which of its columns show which relation's columns. PostgreSQL
// records that with each target of the query (resorigtbl, resorigcol). The text is the output of
// nodeToString: nodes as {NAME :field value …} and lists as (…). Targets of subqueries are deeper in the tree
// and do not count.
func origins(rule string) map[string]origin {
	found := map[string]origin{}
	var (
		stack       []string // the names of the open nodes; "" is a list
		field       string   // the field whose value is next
		targetDepth int      // how many nodes are open within a target of the query; 0 before the targets
		name        string   // of the open target
		from        origin   // of the open target
	)
	for s := (treeScanner{text: rule}); s.next(); {
		switch {
		case s.token == "{":
			s.next()
			stack = append(stack, s.token)
			if len(stack) == targetDepth {
				name, from = "", origin{}
			}
			field = ""
		case s.token == "(":
			if field == ":targetList" && targetDepth == 0 && len(stack) == 2 {
				targetDepth = len(stack) + 2
			}
			stack = append(stack, "")
			field = ""
		case s.token == "}" || s.token == ")":
			if len(stack) == 0 {
				return found
			}
			if len(stack) == targetDepth && from.oid != "" && from.oid != "0" {
				found[name] = from
			}
			stack = stack[:len(stack)-1]
			if len(stack) < targetDepth-1 {
				return found // the list of targets ends
			}
			field = ""
		case strings.HasPrefix(s.token, ":"):
			field = s.token
		default:
			if len(stack) == targetDepth {
				switch field {
				case ":resname":
					name = s.token
				case ":resorigtbl":
					from.oid = s.token
				case ":resorigcol":
					from.column = s.token
				}
			}
			field = ""
		}
	}
	return found
}

// A treeScanner cuts the tree format into brackets and words. A backslash escapes the character after it.
type treeScanner struct {
	text, token string
	at          int
}

func (s *treeScanner) next() bool {
	for s.at < len(s.text) && strings.IndexByte(" \n\t", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.at >= len(s.text) {
		return false
	}
	if strings.IndexByte("(){}", s.text[s.at]) >= 0 {
		s.token = s.text[s.at : s.at+1]
		s.at++
		return true
	}
	var b strings.Builder
	for s.at < len(s.text) && strings.IndexByte(" \n\t(){}", s.text[s.at]) < 0 {
		if s.text[s.at] == '\\' && s.at+1 < len(s.text) {
			s.at++
		}
		b.WriteByte(s.text[s.at])
		s.at++
	}
	s.token = b.String()
	return true
}
