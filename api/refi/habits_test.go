package refi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"research/db/dbtest"
)

// What an interviewee and an interviewer say in the files of this test, with line breaks of Windows.
const windows = "Interviewer: How do you plan?\r\nAna: On paper 📄, always.\r\nInterviewer: Why?\r\n" +
	"Ana: Because software is slow.\r\n"

// selection returns the element of a selection of words, with positions in UTF-16 units or code points, and
// with a line break of Windows as one character or two.
func selection(text, words string, inUTF16, breaksAreOne bool, inner string) string {
	if breaksAreOne {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	start := strings.Index(text, words)
	if start < 0 {
		panic(words)
	}
	count := func(s string) int {
		n := 0
		for _, r := range s {
			n++
			if inUTF16 && r > 0xffff {
				n++
			}
		}
		return n
	}
	from := count(text[:start])
	return fmt.Sprintf(`<PlainTextSelection guid="%s" startPosition="%d" endPosition="%d">`,
		guid(words+inner), from, from+count(words)) + inner + `</PlainTextSelection>`
}

// guid returns a guid for a name.
func guid(name string) string {
	sum := uint64(14695981039346656037)
	for _, b := range []byte(name) {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", sum>>32, sum&0xffffffffffff)
}

func coding(code string) string {
	return fmt.Sprintf(`<Coding guid="%s"><CodeRef targetGUID="%s"/></Coding>`, guid("coding"+code), guid(code))
}

const head = `<?xml version="1.0" encoding="utf-8"?>` + "\n" +
	`<Project xmlns="urn:QDA-XML:project:1.0" name="Study" origin="%s">`

// ATLAS.ti counts the line break of Windows as one character, writes text into the description, and groups
// codes in sets.
func atlas(t *testing.T) []byte {
	t.Helper()
	project := fmt.Sprintf(head, "ATLAS.ti 22.0") + `<Users><User guid="` + guid("u") + `" name="Kim"/></Users>
		<CodeBook><Codes>
			<Code guid="` + guid("paper") + `" name="paper" isCodable="true" color="#F00">
				<NoteRef targetGUID="` + guid("memo") + `"/></Code>
			<Code guid="` + guid("slow") + `" name="slow software" isCodable="true"/>
		</Codes></CodeBook>
		<Sources>
			<TextSource guid="` + guid("ana") + `" name="Ana" plainTextPath="internal://ana.txt">` +
		selection(windows, "On paper 📄", false, true, coding("paper")) +
		selection(windows, "software is slow", false, true, coding("slow")+coding("paper")) + `</TextSource>
			<TextSource guid="` + guid("inline") + `"><PlainTextContent>Bo: I like paper too.
Bo: Very much.</PlainTextContent>` +
		selection("Bo: I like paper too.\nBo: Very much.", "paper too", false, false, coding("paper")) + `
			</TextSource>
		</Sources>
		<Notes><Note guid="` + guid("memo") + `" name="On paper" plainTextPath="internal://memo.txt"/></Notes>
		<Sets><Set guid="` + guid("set") + `" name="Tools"></Set></Sets>
	</Project>`
	return zipped(t, "project.qde", project, "sources/ana.txt", windows,
		"sources/memo.txt", "\ufeffWatch this one.")
}

// NVivo writes guids in braces and capitals, counts UTF-16 units and two for a line break, has Word files
// beside the texts, folders as codes that cannot be coded, and cases.
func nvivo(t *testing.T) []byte {
	t.Helper()
	project := fmt.Sprintf(head, "NVivo 1.7") + `<CodeBook><Codes>
			<Code guid="` + guid("tools") + `" name="Tools" isCodable="false"><Description>All tools</Description>
				<Code guid="` + guid("paper") + `" name="Paper" isCodable="true"/>
				<Code guid="` + guid("other") + `" name="Other" isCodable="true"/></Code>
			<Code guid="` + guid("people") + `" name="People" isCodable="false">
				<Code guid="` + guid("other2") + `" name="other" isCodable="true"/></Code>
		</Codes></CodeBook>
		<Cases><Case guid="` + guid("case") + `" name="Ana">
			<SourceRef targetGUID="` + guid("ana") + `"/></Case></Cases>
		<Sources>
			<TextSource guid="` + guid("ana") + `" name="Ana" richTextPath="internal://` + guid("ana") + `.docx"
				plainTextPath="internal://` + guid("ana") + `.txt">` +
		selection(windows, "paper 📄, always", true, false, coding("paper")) +
		selection(windows, "Because software is slow.", true, false, coding("other2")) +
		coding("tools") + `</TextSource>
			<TextSource guid="` + guid("gone") + `" name="Elsewhere" plainTextPath="absolute:///C:/data/gone.txt"/>
			<PictureSource guid="` + guid("picture") + `" name="Whiteboard" path="internal://w.png"/>
		</Sources>
	</Project>`
	project = bracedGUIDs(project)
	return zipped(t, "project.qde", project, "Sources/"+strings.ToUpper(guid("ana"))+".TXT", "\ufeff"+windows,
		"Sources/"+guid("ana")+".docx", "PK")
}

// bracedGUIDs puts the guids of a document in braces and capitals, but not those of file names.
func bracedGUIDs(document string) string {
	for _, attribute := range []string{`guid="`, `targetGUID="`} {
		parts := strings.Split(document, attribute)
		for i := 1; i < len(parts); i++ {
			parts[i] = "{" + strings.ToUpper(parts[i][:36]) + "}" + parts[i][36:]
		}
		document = strings.Join(parts, attribute)
	}
	return document
}

// MAXQDA writes a selection for each coding, selections without one for memos, a source for each answer of a
// survey, and paths that are relative. Its texts have line feeds where it counts two.
func maxqda(t *testing.T) []byte {
	t.Helper()
	unix := strings.ReplaceAll(windows, "\r\n", "\n")
	project := fmt.Sprintf(head, "MAXQDA 2022") + `<CodeBook><Codes>
			<Code guid="` + guid("paper") + `" name="Paper" isCodable="true" color="#00ff7f"/>
			<Code guid="` + guid("slow") + `" name="Slow" isCodable="true"/>
		</Codes></CodeBook>
		<Sources>
			<TextSource guid="` + guid("ana") + `" name="Ana Groß"
				plainTextPath="relative://Texte/Ana%20Gro%C3%9F.txt">` +
		selection(windows, "paper 📄", true, false, coding("paper")) +
		selection(windows, "software is slow", true, false, coding("slow")) +
		selection(windows, "software is slow", true, false, coding("paper")) +
		selection(windows, "Why?", true, false, `<Description>Ask earlier</Description>`) +
		selection(windows, "Interviewer", true, false, coding("slow")) + `</TextSource>` +
		survey("a1", "I want less paper.", "less paper") + survey("a2", "Yes", "Yes") +
		survey("a3", "Yes", "Yes") + `
		</Sources>
	</Project>`
	return zipped(t, "project.qde", project, "Sources/Ana Groß.txt", unix)
}

func survey(name, text, words string) string {
	return `<TextSource guid="` + guid(name) + `" name="` + name + `"><PlainTextContent>` + text +
		`</PlainTextContent>` + selection(text, words, false, false, coding("paper")) + `</TextSource>`
}

func TestFilesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file    func(*testing.T) []byte
		coded   []string
		skipped []string
		warned  string
	}{
		"ATLAS.ti": {
			atlas,
			[]string{
				"Ana: On paper 📄 = paper", "Ana: software is slow = paper, slow software",
				"Interview 2: paper too = paper",
			},
			[]string{"set: 1 set"},
			"counted with one for the two characters of a line break",
		},
		"NVivo": {
			nvivo,
			[]string{"Ana: Because software is slow. = other (People)", "Ana: paper 📄, always = Paper"},
			[]string{
				"source: Elsewhere", "source: Whiteboard", "coding: Ana", "case: 1 case",
			},
			"counted with two for an emoji",
		},
		"MAXQDA": {
			maxqda,
			[]string{
				"Ana Groß: Why? = ", "Ana Groß: paper 📄 = Paper", "Ana Groß: software is slow = Paper, Slow",
				"a1: less paper = Paper", "a2: Yes = Paper", "a3: Yes = Paper",
			},
			[]string{"coding: Interviewer"},
			"counted with two for an emoji and with two for a line break",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			data := c.file(t)
			r := e.load(t, e.Project, data)
			require.ElementsMatch(t, c.coded, e.coded(t, e.Project))
			var lost []string
			for _, s := range r.Skipped {
				lost = append(lost, s.What+": "+s.Name)
				require.NotEmpty(t, s.Reason)
			}
			require.ElementsMatch(t, c.skipped, lost)
			require.Equal(t, len(lost), r.SkippedCount)
			require.Contains(t, strings.Join(r.Warnings, "\n"), c.warned)
			require.Equal(t, []string{"Ana"}, dbtest.Value[[]string](t, e.DB, `
				select array_agg(distinct s.speaker) from import_speakers s join imports i on i.id = s.import_id
				where i.title like 'Ana%' and s.role = 'participant'`), "who speaks is known")
			require.Equal(t, []bool{true}, dbtest.Value[[]bool](t, e.DB, `
				select array_agg(distinct origin = 'human' and match = 'verbatim' and review = 'accepted'
					and created_by = $1) from evidence`, e.Editor))

			again := e.load(t, e.Project, data)
			require.Zero(t, again.Imported+again.Themes+again.Quotes, "nothing is doubled: %+v", again)
			require.ElementsMatch(t, c.coded, e.coded(t, e.Project))
		})
	}
}

func TestMemosAndColors(t *testing.T) {
	t.Parallel()
	e := setup(t)
	e.load(t, e.Project, atlas(t))
	require.Equal(t, "#ff0000 Watch this one.", dbtest.Value[string](t, e.DB,
		`select color || ' ' || memo from themes where name = 'paper'`))
	e.load(t, e.Project, maxqda(t))
	require.Equal(t, "Ask earlier", dbtest.Value[string](t, e.DB,
		`select rationale from evidence where quote = 'Why?'`))
	require.Equal(t, 1, dbtest.Value[int](t, e.DB,
		`select count(*)::int from themes where lower(name) = 'paper'`), "a theme of the same name is the same")
}
