package qdpx_test

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/api/refi/qdpx"
	"research/dev/devtest"
)

// validate checks a document against a schema of REFI.
func validate(t *testing.T, schema string, document []byte) {
	t.Helper()
	devtest.NeedPrograms(t, "xmllint")
	file := filepath.Join(t.TempDir(), "document.xml")
	require.NoError(t, os.WriteFile(file, document, 0o600))
	out, err := exec.CommandContext(t.Context(), "xmllint",
		"--noout", "--nonet", "--schema", filepath.Join("testdata", schema), file).CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, document)
}

// entries returns the files of a zip by name.
func entries(t *testing.T, data []byte) map[string][]byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, entry := range archive.File {
		file, err := entry.Open()
		require.NoError(t, err)
		var content bytes.Buffer
		_, err = content.ReadFrom(file)
		require.NoError(t, err)
		all[entry.Name] = content.Bytes()
	}
	return all
}

// zipped makes a zip of files.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		file, err := w.Create(files[i])
		require.NoError(t, err)
		_, err = file.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// full returns a project in which everything occurs that we write.
func full() *qdpx.Project {
	at := qdpx.TimeOf(time.Date(2031, 4, 12, 10, 30, 0, 0, time.UTC))
	guid := func(name string) qdpx.GUID { return qdpx.NewGUID("test", name) }
	text := "Ask her about the second week. 🙂 <b> & \"quotes\""
	return &qdpx.Project{
		Name: "Planning & <routes>", Origin: "Research", CreatingUser: guid("dana"), Created: at,
		Users: []qdpx.User{{GUID: guid("dana"), Name: "Dana"}},
		Codes: []qdpx.Code{{
			GUID: guid("themes"), Name: "Themes",
			Codes: []qdpx.Code{{
				GUID: guid("paper"), Name: "Paper 📄", IsCodable: true, Color: "#a0b1c2", Description: "On\npaper",
				NoteRefs: qdpx.Refs(guid("memo")),
			}},
		}},
		Variables: []qdpx.Variable{{GUID: guid("team"), Name: "Team", Type: "Integer", Description: "People"}},
		Cases: []qdpx.Case{{
			GUID: guid("lea"), Name: "Léa", Description: "A planner",
			Values:     []qdpx.Value{{Variable: qdpx.Ref{Target: guid("team")}, Integer: "7"}},
			SourceRefs: qdpx.Refs(guid("source")), SelectionRefs: qdpx.Refs(guid("selection")),
		}},
		Texts: []qdpx.Source{{
			GUID: guid("source"), Name: "Léa", PlainTextPath: "internal://" + string(guid("source")) + ".txt",
			CreatingUser: guid("dana"), Created: at, Description: "An interview",
			Selections: []qdpx.Selection{{
				GUID: guid("selection"), Name: "On paper", Start: 5, End: 13, CreatingUser: guid("dana"), Created: at,
				Description: "She says so", NoteRefs: qdpx.Refs(guid("memo")),
				Codings: []qdpx.Coding{{
					GUID: guid("coding"), CreatingUser: guid("dana"), Created: at,
					Code: qdpx.Ref{Target: guid("paper")}, NoteRefs: qdpx.Refs(guid("memo")),
				}},
			}},
			NoteRefs: qdpx.Refs(guid("memo")),
		}},
		Notes: []qdpx.Source{{
			GUID: guid("memo"), Name: "Memo", Content: &text, CreatingUser: guid("dana"), Created: at,
		}},
		Description: "How teams plan", NoteRefs: qdpx.Refs(guid("memo")),
	}
}

func TestProjectsFollowTheSchema(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*qdpx.Project{"everything": full(), "nothing": {Name: "Empty"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			w := qdpx.NewWriter(&out, time.Now())
			path, err := w.AddText(qdpx.NewGUID("test", "source"), "Léa: On paper 🙂\nYes")
			require.NoError(t, err)
			require.NoError(t, w.Close(p))
			files := entries(t, out.Bytes())
			validate(t, "Project.xsd", files["project.qde"])
			require.True(t, bytes.HasPrefix(files["project.qde"], []byte("<?xml")), "no byte order mark")
			text := files["Sources/"+strings.TrimPrefix(path, "internal://")]
			require.Equal(t, "\ufeffLéa: On paper 🙂\nYes", string(text))

			read, err := qdpx.Open(out.Bytes())
			require.NoError(t, err)
			require.Equal(t, p, read.Project, "what is written is read")
		})
	}
}

func TestCodebooksFollowTheSchema(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, qdpx.WriteCodebook(&out, "Research", full().Codes))
	validate(t, "Codebook.xsd", out.Bytes())
	require.Contains(t, out.String(), `xmlns="urn:QDA-XML:codebook:1.0"`, "a dot, not a colon")
	require.True(t, qdpx.IsCodebook(out.Bytes()))

	read, err := qdpx.ReadCodebook(out.Bytes())
	require.NoError(t, err)
	require.Equal(t, "Paper 📄", read.Codes[0].Codes[0].Name)
	require.Empty(t, read.Codes[0].Codes[0].NoteRefs)
}
