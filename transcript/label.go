package transcript

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much the text before a colon looks like a speaker.
type shape int

const (
	noName   shape = iota
	weakName       // "dana", "dana@example.org": a name only if it recurs a lot
	fullName       // "Dana Weber", "SPEAKER_00", "Dr. Ana de la Cruz (guest)"
)

// maxLabel bounds, in bytes, where a label's colon is looked for.
const maxLabel = 160

// label splits "Name: text" by its shape alone: a colon that white space or the line's end follows (or a full-width colon),
// with something before it that can be a name. Whether it is one, the whole file decides: see tally.
func label(line string) (name, rest string, ok bool) {
	head := line[:min(len(line), maxLabel)]
	i, size := strings.IndexByte(head, ':'), 1
	if j := strings.Index(head, "："); j >= 0 && (i < 0 || j < i) {
		i, size = j, len("：")
	}
	if i <= 0 {
		return "", line, false
	}
	rest = line[i+size:]
	if size == 1 && rest != "" {
		if r, _ := utf8.DecodeRuneInString(rest); !unicode.IsSpace(r) {
			return "", line, false
		}
	}
	name = unbracket(strings.TrimSpace(line[:i]))
	if shapeOf(name) == noName {
		return "", line, false
	}
	return name, rest, true
}

// unbracket takes the brackets off "[SPEAKER_00]", "(Dana)" and "<dana>".
func unbracket(s string) string {
	if len(s) > 2 {
		switch s[:1] + s[len(s)-1:] {
		case "[]", "()", "<>":
			if inner := s[1 : len(s)-1]; !strings.ContainsAny(inner, "[]()<>") {
				return strings.TrimSpace(inner)
			}
		}
	}
	return s
}

// particles may stand within a name in lower case.
var particles = words("de da do dos das del della di du la le van von der den ter ten zu zum zur af av bin ibn al el ul e y i and und et of the for from at via")

// openers start a sentence or a heading, and no name of several words.
var openers = words("the a an this that these those my our your his her its their so and but or if because well yes no ok okay what why how when where who which is are it we i you they he she there here then now let's lets like also just as for from with in on at to of first second third finally der das ein eine und aber oder wenn weil wir ich sie er es man dann also ja nein le la les un une et mais ou si parce nous je vous il elle alors oui non el los las una y pero o porque nosotros yo entonces sí")

// nonNames stand before a colon without speaking. The last group are the fields of a minutes' or an export's head.
var nonNames = words("note notes nb n.b ps p.s pps example examples e.g eg i.e ie warning important caution tip hint fact problem problems solution solutions result results reason reasons conclusion conclusions outcome outcomes decision decisions summary overview agenda topic topics todo todos to-do reminder update updates background context goal goals objective objectives pros cons risk risks caveat disclaimer remark remarks comment comments point points takeaway takeaways highlight highlights insight insights quote quotes idea ideas issue issues options anyway yes no so well but and or because http https ftp mailto www url link source see re fwd fw cc bcc subject thanks regards sincerely introduction chapter section appendix contents keywords tags details description observation observations theory hypothesis hypotheses recommendation recommendations requirement requirements steps status priority total price cost answer question q a " +
	"pain pains gain gains pricing market competition competitors features feature budget timeline tools workflow needs strengths weaknesses opportunities threats positives negatives pro contra age gender occupation job segment channels metrics mvp likes dislikes wishes monday tuesday wednesday thursday friday saturday sunday " +
	"hinweis hinweise notiz notizen anmerkung anmerkungen beispiel beispiele wichtig achtung warnung frage antwort problem lösung ergebnis fazit zusammenfassung grund thema themen ziel ziele übrigens remarque remarques exemple attention important réponse problème résumé sujet objectif nota notas ejemplo ejemplos pregunta respuesta problema solución resumen tema objetivo observação exemplo pergunta resposta esempio domanda risposta let merk opmerking voorbeeld vraag antwoord 注 注意 备注 例 例如 注記 備考 参考 " +
	"date time when where place venue duration length start end started ended attendees participants participant-list present absent apologies invitees host organizer organiser location title meeting recording transcript transcription transcribed language file filename version author created recorded kind project client company email phone website datum uhrzeit zeit ort dauer teilnehmer teilnehmende anwesend titel datei sprache protokoll heure lieu durée titre langue fecha hora lugar duración asistentes participantes título idioma data ora luogo durata")

// numbered are words that with a number or a letter behind them are headings ("Step 2").
var numbered = words("chapter section step part slide figure table option day week month year phase item point number no question answer topic task version appendix page episode scene act lesson kapitel abschnitt schritt teil folie abbildung tabelle frage punkt phase étape chapitre partie paso capítulo parte")

// pairs are labels of which one alone is a remark, and both together an interview.
var pairs = [][2]string{{"q", "a"}, {"question", "answer"}, {"frage", "antwort"}, {"f", "a"}, {"question", "réponse"}, {"q", "r"}, {"pregunta", "respuesta"}, {"pergunta", "resposta"}, {"domanda", "risposta"}, {"vraag", "antwoord"}, {"问", "答"}, {"問", "答"}}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// shapeOf judges what stands before a colon.
func shapeOf(name string) shape {
	core := name
	// "Dana Weber | ACME", "Dana Weber (she/her)", "Dana Weber - Product", "Dana Weber / ACME": the name leads.
	for _, mark := range []string{" | ", "|", " (", " [", " - ", " – ", " — ", " / ", " @ ", " • "} {
		if i := strings.Index(core, mark); i > 0 {
			core = strings.TrimSpace(core[:i])
		}
	}
	if core == "" || utf8.RuneCountInString(name) > 70 || utf8.RuneCountInString(core) > 50 || strings.Contains(name, "://") {
		return noName
	}
	if strings.ContainsAny(name, "?!;\"“”„«»{}=<>*\t") {
		return noName
	}
	fields := strings.Fields(core)
	if len(fields) > 6 {
		return noName
	}
	full := true
	letters := false
	for i, f := range fields {
		first, _ := utf8.DecodeRuneInString(f)
		lower := strings.ToLower(f)
		switch {
		case unicode.IsUpper(first) || unicode.IsTitle(first):
		case unicode.Is(unicode.Lo, first):
			// Scripts without capitals have no other sign of a name than being short.
			if utf8.RuneCountInString(core) > 16 && len(fields) == 1 || len(fields) > 4 {
				return noName
			}
		case i > 0 && (unicode.IsDigit(first) || particles[lower] || f == "&" || f == "+" || strings.HasPrefix(lower, "d'") || strings.HasPrefix(lower, "d’")):
		case unicode.IsLower(first):
			full = false
		case i == 0 && (unicode.IsDigit(first) || first == '+'):
			full = false
		case i > 0 && unicode.IsSymbol(first):
		default:
			return noName
		}
		for j, r := range f {
			switch {
			case unicode.IsLetter(r):
				letters = true
			case unicode.IsMark(r), unicode.IsDigit(r), unicode.In(r, unicode.So, unicode.Sk, unicode.Cf):
			case r == '.':
				// "Dr." and "J." abbreviate; "dana.weber" is an account; "over. Then" ends a sentence.
				if j+1 == len(f) && utf8.RuneCountInString(f) > 5 {
					return noName
				}
			case r == ',':
				// "Weber, Dana", and nothing longer.
				if j+1 != len(f) || i > 1 || len(fields) > 4 {
					return noName
				}
			case strings.ContainsRune("'’-_·・&+#", r):
			case r == '@' || r == '/':
				full = false
			default:
				return noName
			}
		}
	}
	switch {
	case !letters:
		return phone(core)
	case len(fields) > 1 && openers[strings.ToLower(fields[0])]:
		return noName
	case !full && len(fields) > 3:
		return noName
	case !full:
		return weakName
	}
	return fullName
}

// phone accepts a telephone number, by which meeting tools call those who dialled in.
func phone(s string) shape {
	if digits := len(strings.FieldsFunc(s, unicode.IsDigit)); digits < 8 {
		n := 0
		for _, r := range s {
			if unicode.IsDigit(r) {
				n++
			}
		}
		if n >= 7 && n <= 15 {
			return weakName
		}
	}
	return noName
}

// isNonName knows words that head a remark.
func isNonName(name string) bool {
	lower := strings.TrimSuffix(strings.ToLower(name), ".")
	if nonNames[lower] {
		return true
	}
	fields := strings.Fields(lower)
	if len(fields) < 2 {
		return false
	}
	last := fields[len(fields)-1]
	if numbered[fields[0]] && utf8.RuneCountInString(last) <= 3 {
		return true
	}
	return nonNames[last] && len(last) > 2
}

// A tally counts, over a whole file, what could be labels.
type tally struct {
	units int // cues, paragraphs or lines: what a label could have stood before
	seen  map[string]int
	lower map[string]bool // words that occur in lower case: "problem" does, "Maria" does not
	bold  map[string]bool // labels that stood out in bold
}

// Bounds on what a tally remembers of a hostile file.
const (
	maxCandidates = 4_096
	maxLowerWords = 100_000
)

func newTally() *tally { return &tally{seen: map[string]int{}, lower: map[string]bool{}} }

// see counts a unit of text. A unit can hold several lines, each with a label.
func (t *tally) see(unit string) {
	if blank(unit) {
		return
	}
	t.units++
	for line := range strings.SplitSeq(unit, "\n") {
		t.line(line)
	}
}

func (t *tally) line(line string) {
	line = line[leadIn(line):]
	if name, rest, _, ok := timedLabel(line); ok {
		if n := t.seen[name]; n > 0 || len(t.seen) < maxCandidates {
			t.seen[name] = n + 1
		}
		line = rest
	}
	for word := range strings.FieldsFuncSeq(line, notLetter) {
		if r, _ := utf8.DecodeRuneInString(word); !unicode.IsLower(r) || len(word) > 40 {
			continue
		}
		if len(t.lower) < maxLowerWords {
			t.lower[word] = true
		}
	}
}

// merge adds what another tally saw.
func (t *tally) merge(other *tally) {
	t.units += other.units
	for name, n := range other.seen {
		t.seen[name] += n
	}
	for word := range other.lower {
		t.lower[word] = true
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }

// names are the labels that a file uses as speakers.
type names struct {
	set    map[string]bool
	labels int     // how often they occur
	share  float64 // of the units that carry one
}

func (n names) has(name string) bool { return n.set[name] }

// accept decides. A label is a speaker if it has a name's shape, is no word that heads remarks, and recurs; what occurs
// once is one only in a file that labels its turns, if it is not an ordinary word of the same file.
func (t *tally) accept() names {
	full, recurring, weak, remarks, capitals := 0, 0, 0, 0, 0
	paired := map[string]bool{}
	for _, p := range pairs {
		if t.folded(p[0]) > 1 && t.folded(p[1]) > 1 {
			paired[p[0]], paired[p[1]] = true, true
		}
	}
	shapes := make(map[string]shape, len(t.seen))
	for name, n := range t.seen {
		s := shapeOf(name)
		if isNonName(name) && !paired[strings.ToLower(name)] {
			s = noName
			remarks += n
		}
		shapes[name] = s
		switch {
		case s == fullName:
			full += n
			if n > 1 {
				recurring += n
				if allCaps(name) {
					capitals += n
				}
			}
		case s == weakName && n > 2:
			weak += n
		}
	}
	// Where nothing recurs, only a file that is labels from end to end, and no list of remarks, has speakers.
	dialogue := full > 1 && full*2 >= t.units && (recurring > 0 || remarks == 0)
	out := names{set: map[string]bool{}}
	for name, n := range t.seen {
		ok := false
		switch shapes[name] {
		case fullName:
			common := !strings.Contains(name, " ") && t.lower[strings.ToLower(name)]
			switch {
			case n > 2 || n == 2 && !common:
				ok = recurring*20 >= t.units
			case n == 2:
				ok = full*2 >= t.units
			default:
				// A guest who speaks once: between labelled turns, or by two names, or in the capitals that captioners use.
				guest := recurring*5 >= t.units && strings.Contains(name, " ") || capitals*10 >= t.units && capitals > 0 && allCaps(name)
				ok = !common && t.units > 1 && (dialogue || guest)
			}
			ok = ok || t.bold[name] && (n > 1 || len(t.bold) > 1)
		case weakName:
			ok = n > 2 && (weak+full)*10 >= t.units*3 || t.bold[name] && n > 1
		}
		if ok {
			out.set[name] = true
			out.labels += n
		}
	}
	if t.units > 0 {
		out.share = min(1, float64(out.labels)/float64(t.units))
	}
	return out
}

func allCaps(name string) bool { return name == strings.ToUpper(name) && name != strings.ToLower(name) }

// folded counts a label in any case.
func (t *tally) folded(lower string) int {
	n := t.seen[lower] + t.seen[strings.ToUpper(lower)]
	if r, size := utf8.DecodeRuneInString(lower); len(lower) > size {
		n += t.seen[string(unicode.ToUpper(r))+lower[size:]]
	}
	return n
}
