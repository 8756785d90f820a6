package refi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"research/api/refi/qdpx"
	"research/db"
)

// describe returns the description of the project without its sources.
func (p *project) describe() *qdpx.Project {
	d := &qdpx.Project{
		Name: p.name, Origin: origin, Created: qdpx.TimeOf(p.at), Description: p.description,
		Users: p.describeUsers(), Codes: p.codes(),
	}
	d.Variables, d.Cases = p.describePeople()
	for _, t := range p.themes {
		p.noteAbout(d, t.ID, t.Memo)
	}
	for _, one := range p.questions {
		d.NoteRefs = append(d.NoteRefs, addNote(d, qdpx.Source{
			GUID: guidOf("question", one.ID), Name: "Open question", Content: &one.Text,
			Created: qdpx.TimeOf(one.CreatedAt),
		}))
	}
	return d
}

// describeUsers lists the members by name. Addresses are not exported.
func (p *project) describeUsers() []qdpx.User {
	var users []qdpx.User
	for i, m := range p.users {
		name := m.DisplayName
		if name == "" {
			name = fmt.Sprintf("Member %d", i+1)
		}
		users = append(users, qdpx.User{GUID: guidOf("user", m.UserID), Name: name})
	}
	return users
}

// codes returns the themes and the hypotheses as codes. The roots are always there: a codebook without a code
// is invalid.
func (p *project) codes() []qdpx.Code {
	hypotheses := qdpx.Code{GUID: hypothesesRoot, Name: "Hypotheses"}
	for _, h := range p.hypotheses {
		code := qdpx.Code{GUID: guidOf("hypothesis", h.ID), Name: h.Statement, Description: verdictOf(h)}
		for _, side := range stances {
			code.Codes = append(code.Codes, qdpx.Code{
				GUID: guidOfStance(h.ID, side.stance), Name: string(side.stance), IsCodable: true, Color: side.color,
			})
		}
		hypotheses.Codes = append(hypotheses.Codes, code)
	}
	children := map[uuid.UUID][]db.ListRefiThemesRow{}
	shown := map[uuid.UUID]bool{}
	for _, t := range p.themes {
		shown[t.ID] = true
	}
	for _, t := range p.themes {
		parent := uuid.Nil
		if t.ParentID != nil && shown[*t.ParentID] {
			parent = *t.ParentID
		}
		children[parent] = append(children[parent], t)
	}
	return []qdpx.Code{{GUID: themesRoot, Name: "Themes", Codes: p.themeCodes(children, uuid.Nil)}, hypotheses}
}

func (p *project) themeCodes(children map[uuid.UUID][]db.ListRefiThemesRow, parent uuid.UUID) []qdpx.Code {
	var codes []qdpx.Code
	for _, t := range children[parent] {
		codes = append(codes, qdpx.Code{
			GUID: guidOf("theme", t.ID), Name: t.Name, IsCodable: true, Color: t.Color,
			Description: t.Description, NoteRefs: p.noteRefsAbout(t.ID, t.Memo), Codes: p.themeCodes(children, t.ID),
		})
	}
	return codes
}

// noteRefsAbout returns references to the memo and the comments about a quote or a theme.
func (p *project) noteRefsAbout(id uuid.UUID, memo string) []qdpx.Ref {
	var refs []qdpx.Ref
	if memo != "" {
		refs = append(refs, qdpx.Ref{Target: guidOf("memo", id)})
	}
	for _, c := range p.comments[id] {
		refs = append(refs, qdpx.Ref{Target: guidOf("comment", c.ID)})
	}
	return refs
}

// noteAbout adds the notes to which noteRefsAbout refers.
func (p *project) noteAbout(d *qdpx.Project, id uuid.UUID, memo string) {
	if memo != "" {
		addNote(d, qdpx.Source{GUID: guidOf("memo", id), Name: memoName, Content: &memo})
	}
	for _, c := range p.comments[id] {
		addNote(d, qdpx.Source{
			GUID: guidOf("comment", c.ID), Name: commentName, Content: &c.Body, CreatingUser: p.knownUser(c.CreatedBy),
			Created: qdpx.TimeOf(c.CreatedAt),
		})
	}
}

func addNote(d *qdpx.Project, note qdpx.Source) qdpx.Ref {
	d.Notes = append(d.Notes, note)
	return qdpx.Ref{Target: note.GUID}
}

// knownUser returns the guid of a user who is listed, and "" for others.
func (p *project) knownUser(id *uuid.UUID) qdpx.GUID {
	if id == nil || !p.known[*id] {
		return ""
	}
	return guidOf("user", *id)
}

// describePeople returns the participants as cases, and what is known of them as variables.
func (p *project) describePeople() ([]qdpx.Variable, []qdpx.Case) {
	variables := []qdpx.Variable{
		{GUID: dateVariable, Name: "Interview date", Type: "Date"},
		{GUID: personaVariable, Name: "Persona", Type: "Text"},
		{GUID: segmentVariable, Name: "Segment", Type: "Text"},
	}
	attributes := make([]map[string]any, len(p.people))
	values := map[string][]any{}
	for i, one := range p.people {
		_ = json.Unmarshal(one.Attributes, &attributes[i]) // it is an object, or there are none
		for _, name := range slices.Sorted(maps.Keys(attributes[i])) {
			values[name] = append(values[name], attributes[i][name])
		}
	}
	types := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		types[name] = typeOf(values[name])
		variables = append(variables, qdpx.Variable{
			GUID: qdpx.NewGUID("attribute", name), Name: name, Type: types[name],
		})
	}
	sources := map[uuid.UUID][]qdpx.Ref{}
	for _, i := range p.imports {
		for _, one := range p.speakers[i.ID] {
			ref := qdpx.Ref{Target: guidOf("import", i.ID)}
			if one.ParticipantID != nil && !slices.Contains(sources[*one.ParticipantID], ref) {
				sources[*one.ParticipantID] = append(sources[*one.ParticipantID], ref)
			}
		}
	}
	var cases []qdpx.Case
	for i, one := range p.people {
		c := qdpx.Case{GUID: guidOf("participant", one.ID), Name: one.Name, SourceRefs: sources[one.ID]}
		c.Values = append(textValue(personaVariable, one.Persona), textValue(segmentVariable, one.Segment)...)
		for _, name := range slices.Sorted(maps.Keys(attributes[i])) {
			c.Values = append(c.Values, valueOf(qdpx.NewGUID("attribute", name), types[name], attributes[i][name]))
		}
		cases = append(cases, c)
	}
	return variables, cases
}

func textValue(variable qdpx.GUID, text *string) []qdpx.Value {
	if text == nil || *text == "" {
		return nil
	}
	return []qdpx.Value{{Variable: qdpx.Ref{Target: variable}, Text: *text}}
}

// typeOf returns the type of a variable that fits all values.
func typeOf(values []any) string {
	types := map[string]bool{}
	for _, value := range values {
		switch value := value.(type) {
		case bool:
			types["Boolean"] = true
		case float64:
			if value == float64(int64(value)) && value < 1e15 && value > -1e15 {
				types["Integer"] = true
			} else {
				types["Float"] = true
			}
		default:
			types["Text"] = true
		}
	}
	switch {
	case len(types) == 1:
		return slices.Collect(maps.Keys(types))[0]
	case len(types) == 2 && types["Integer"] && types["Float"]:
		return "Float"
	}
	return "Text"
}

// valueOf returns a value of a variable with a type that fits it.
func valueOf(variable qdpx.GUID, kind string, value any) qdpx.Value {
	v := qdpx.Value{Variable: qdpx.Ref{Target: variable}}
	number, _ := value.(float64)
	switch kind {
	case "Boolean":
		v.Boolean = fmt.Sprint(value)
	case "Integer":
		v.Integer = strconv.FormatInt(int64(number), 10)
	case "Float":
		v.Float = strconv.FormatFloat(number, 'f', -1, 64)
	default:
		if text, ok := value.(string); ok {
			v.Text = text
			break
		}
		text, _ := json.Marshal(value) // it was JSON
		v.Text = string(text)
	}
	return v
}

// addSelections adds the quotes of people to their cases.
func (p *project) addSelections(d *qdpx.Project) {
	for i, one := range p.people {
		d.Cases[i].SelectionRefs = qdpx.Refs(p.selections[one.ID]...)
	}
}
