package refi_test

import (
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// sentences are what people say in the projects of the test.
var sentences = map[string][]string{
	"en": {
		"I keep everything on paper 📄, honestly.", "We lose receipts all the time!", "That took me three days 😩.",
		"My boss said “no” — twice.", "It is 5 < 6 & that's fine.", "Note: we never tried anything else.",
	},
	"de": {
		"Ich plane alles im Kopf 🧠, ganz ehrlich.", "Das größte Übel sind Rückfragen.", "Früher war’s schlimmer …",
		"Wir haben drei Tabellen – keine stimmt.", "Achtung: Das gilt nur freitags.", "Naja, geht so 🙃.",
	},
	"fr": {
		"Je note tout à la main ✍️, vraiment.", "C’est pénible : on perd du temps.", "L’été, personne ne répond.",
		"Nous avons déjà essayé « autre chose ».", "À 10 h 30, tout s’arrête.", "Ça m’énerve 😤 !",
	},
	"ru": {
		"Я всё записываю в тетрадь 📓.", "Мы теряем чеки каждую неделю.", "Это заняло три дня, представляете?",
		"Начальник сказал: «нет».", "Раньше было хуже…", "Ну, как-то так 🤷.",
	},
	"ja": {
		"全部ノートに書いています📝。", "領収書をよくなくします。", "三日かかりました😭。", "上司は「だめ」と言いました。",
		"前はもっと大変でした。", "まあ、そんな感じです。",
	},
	"ar": {
		"أكتب كل شيء على الورق 📄.", "نفقد الإيصالات دائمًا.", "استغرق ذلك ثلاثة أيام 😩.",
		"قال المدير «لا».", "كان الأمر أسوأ من قبل.", "حسنًا، هكذا هو الحال.",
	},
}

var names = map[string][2]string{
	"en": {"Interviewer", "Dana"}, "de": {"Interviewerin", "Jürgen Groß"}, "fr": {"Enquêtrice", "Hélène d’Arc"},
	"ru": {"Интервьюер", "Анна"}, "ja": {"聞き手", "田中"}, "ar": {"المحاور", "ليلى"},
}

var languages = []string{"en", "de", "fr", "ru", "ja", "ar"}

// generate fills a project with interviews, themes and quotes.
func (e *edge) generate(t *testing.T, project uuid.UUID, language string, random *rand.Rand) {
	t.Helper()
	say := func() string { return sentences[language][random.IntN(len(sentences[language]))] }
	var themes []uuid.UUID
	for n := range 1 + random.IntN(4) {
		var parent *uuid.UUID
		if n > 0 && random.IntN(2) == 0 {
			parent = &themes[n-1]
		}
		id := e.theme(t, project, fmt.Sprintf("%s %d", strings.Trim(say(), ".!"), n), parent)
		e.Exec(t, `update themes set memo = $2, description = $3 where id = $1`, id, say(), say()+"\n"+say())
		themes = append(themes, id)
	}
	hypothesis := dbtest.Value[uuid.UUID](t, e.DB, `insert into hypotheses (project_id, statement, falsified_if)
		values ($1, $2, $3) returning id`, project, say(), say())
	for i := range 1 + random.IntN(3) {
		var text strings.Builder
		for n := range 12 {
			fmt.Fprintf(&text, "%s: %s %s (%d)\n", names[language][min(1, random.IntN(3))], say(), say(), n)
		}
		importID := e.upload(t, project, fmt.Sprintf("%s %d 🎙", names[language][1], i), text.String())
		body := string(dbtest.Value[[]byte](t, e.DB, `select body from private.transcripts where import_id = $1`,
			importID))
		quoted := map[string]bool{"": true} // two quotes of the same words would come back as one
		for range 6 {
			from, to := cutAt(body, random.IntN(len(body))), cutAt(body, random.IntN(len(body)))
			if random.IntN(2) == 0 { // within a few words
				to = cutAt(body, min(from+20, len(body)))
			}
			words := strings.Trim(body[min(from, to):max(from, to)], " \n")
			if quoted[words] {
				continue
			}
			quoted[words] = true
			id := e.quote(t, project, importID, words, themes[random.IntN(len(themes))])
			e.Exec(t, `update evidence set rationale = $2, memo = $3, summary = $4 where id = $1`, id, say(), say(),
				say())
			e.Exec(t, `insert into evidence_hypotheses (evidence_id, hypothesis_id, stance)
				values ($1, $2, 'contradicts')`, id, hypothesis)
			e.Exec(t, `insert into comments (evidence_id, body, created_by) values ($1, $2, $3)`, id, say(), e.Editor)
		}
	}
	e.Exec(t, `update participants set attributes = '{"team": 7, "note": "a & b", "remote": true}'
		where project_id = $1`, project)
}

// cutAt returns the beginning of the character at a byte.
func cutAt(text string, at int) int {
	for at > 0 && at < len(text) && text[at]&0xc0 == 0x80 {
		at--
	}
	return at
}

// A readerProject is what another program reads of an export.
type readerProject struct {
	Sources []struct {
		Path       string `xml:"plainTextPath,attr"`
		Name       string `xml:"name,attr"`
		Selections []struct {
			Start int `xml:"startPosition,attr"`
			End   int `xml:"endPosition,attr"`
		} `xml:"PlainTextSelection"`
	} `xml:"Sources>TextSource"`
}

// readAs returns the words of the selections of an export, by the rule of QualCoder: text[pos0:pos1] in
// Python, where text is read as UTF-8 without its byte order mark and counts code points.
func readAs(t *testing.T, export []byte) []string {
	t.Helper()
	files := entries(t, export)
	var p readerProject
	require.NoError(t, xml.Unmarshal(files["project.qde"], &p))
	var words []string
	for _, s := range p.Sources {
		text := string(files["Sources/"+strings.TrimPrefix(s.Path, "internal://")])
		require.True(t, strings.HasPrefix(text, "\ufeff"))
		require.NotContains(t, text, "\r")
		points := []rune(strings.TrimPrefix(text, "\ufeff"))
		for _, selection := range s.Selections {
			words = append(words, string(points[selection.Start:selection.End]))
		}
	}
	return words
}

func TestGeneratedProjectsComeBack(t *testing.T) {
	t.Parallel()
	e := setup(t)
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 2 * len(languages) {
		language := languages[n%len(languages)]
		project := e.project(t, fmt.Sprintf("Project %d & <%s>", n, language))
		e.generate(t, project, language, random)
		export := e.export(t, e.Viewer, project)
		validate(t, "Project.xsd", entries(t, export)["project.qde"])
		status, codebook := e.do(t, e.Viewer, "GET", project.String()+"/codebook.qdc", "", nil)
		require.Equal(t, 200, status)
		validate(t, "Codebook.xsd", codebook)

		quotes := func(project uuid.UUID) []string {
			return dbtest.Value[[]string](t, e.DB, `select coalesce(array_agg(x order by x collate "C"), '{}') from (
				select i.title || '|' || e.byte_start || '|' || e.speaker || '|' || e.quote || '|' || e.rationale || '|'
					|| e.summary || '|' || (select string_agg(t.name, ',' order by t.name) from evidence_themes l
						join themes t on t.id = l.theme_id where l.evidence_id = e.id)
					|| '|' || (select string_agg(h.statement || x.stance, ',') from evidence_hypotheses x
						join hypotheses h on h.id = x.hypothesis_id where x.evidence_id = e.id) as x
				from evidence e join imports i on i.id = e.import_id where e.project_id = $1) y`, project)
		}
		words := readAs(t, export)
		found := 0
		for _, quote := range dbtest.Value[[]string](t, e.DB, `select coalesce(array_agg(quote), '{}') from evidence
			where project_id = $1`, project) {
			for i, other := range words {
				for _, name := range names[language] { // a quote of several turns has the names of those who speak
					other = strings.ReplaceAll(other, "\n"+name+": ", "\n")
				}
				if other == quote {
					words[i], found = "", found+1
					break
				}
			}
		}
		require.Equal(t, len(words), found, "%s %d: each quote is where its positions say", language, n)

		other := e.project(t, fmt.Sprintf("Other %d", n))
		status, loaded := e.send(t, e.Editor, other, "", export)
		require.Equal(t, 201, status, "%+v", loaded)
		for _, s := range loaded.Skipped {
			require.NotContains(t, []string{"source", "coding", "code"}, s.What, "%+v", s)
		}
		require.Equal(t, quotes(project), quotes(other), "%s %d: the same quotes, byte for byte", language, n)

		status, again := e.send(t, e.Editor, other, "", export)
		require.Equal(t, 201, status)
		require.Zero(t, again.Imported+again.Quotes+again.Themes+again.Hypotheses, "nothing is doubled: %+v", again)
		status, back := e.send(t, e.Editor, project, "", export)
		require.Equal(t, 201, status)
		require.Zero(t, back.Imported+back.Quotes+back.Themes+back.Hypotheses, "nor where it came from: %+v", back)
		require.Equal(t, loaded.Quotes, back.Known.Quotes)
	}
}
