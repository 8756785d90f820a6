package qdpx

// Lists of a project. The schema allows no empty ones: a nil list is left out.
type (
	userList struct {
		All []User `xml:"User"`
	}
	codeList struct {
		All []Code `xml:"Code"`
	}
	codeBook struct {
		Codes codeList `xml:"Codes"`
	}
	variableList struct {
		All []Variable `xml:"Variable"`
	}
	caseList struct {
		All []Case `xml:"Case"`
	}
	noteList struct {
		All []Source `xml:"Note"`
	}
	linkList struct {
		All []Named `xml:"Link"`
	}
	setList struct {
		All []Named `xml:"Set"`
	}
	graphList struct {
		All []Named `xml:"Graph"`
	}
)

// A document is project.qde as it is encoded. The order of fields is that of the elements in the schema.
type document struct {
	Name         string `xml:"name,attr"`
	Origin       string `xml:"origin,attr,omitempty"`
	CreatingUser GUID   `xml:"creatingUserGUID,attr,omitempty"`
	Created      Time   `xml:"creationDateTime,attr,omitempty"`

	Users       *userList     `xml:"Users"`
	CodeBook    *codeBook     `xml:"CodeBook"`
	Variables   *variableList `xml:"Variables"`
	Cases       *caseList     `xml:"Cases"`
	Sources     *sources      `xml:"Sources"`
	Notes       *noteList     `xml:"Notes"`
	Links       *linkList     `xml:"Links"`
	Sets        *setList      `xml:"Sets"`
	Graphs      *graphList    `xml:"Graphs"`
	Description string        `xml:"Description,omitempty"`
	NoteRefs    []Ref         `xml:"NoteRef"`
}

// A codebook is a .qdc as it is encoded.
type codebook struct {
	Origin string   `xml:"origin,attr,omitempty"`
	Codes  codeList `xml:"Codes"`
	Sets   *setList `xml:"Sets"`
}

// sources are the elements of Sources. Those of one kind are together, which the schema allows.
type sources struct {
	Texts    []Source `xml:"TextSource"`
	Pictures []Media  `xml:"PictureSource"`
	PDFs     []Media  `xml:"PDFSource"`
	Audios   []Media  `xml:"AudioSource"`
	Videos   []Media  `xml:"VideoSource"`
}

// documentOf returns the document of a project that we write, which has texts only.
func documentOf(p *Project) *document {
	d := &document{
		Name: p.Name, Origin: p.Origin, CreatingUser: p.CreatingUser, Created: p.Created,
		Description: p.Description, NoteRefs: p.NoteRefs,
	}
	if len(p.Users) > 0 {
		d.Users = &userList{p.Users}
	}
	if len(p.Codes) > 0 {
		d.CodeBook = &codeBook{codeList{p.Codes}}
	}
	if len(p.Variables) > 0 {
		d.Variables = &variableList{p.Variables}
	}
	if len(p.Cases) > 0 {
		d.Cases = &caseList{p.Cases}
	}
	if len(p.Texts) > 0 {
		d.Sources = &sources{Texts: p.Texts}
	}
	if len(p.Notes) > 0 {
		d.Notes = &noteList{p.Notes}
	}
	return d
}

// project returns the project of a document that was read.
func (d *document) project() *Project {
	p := &Project{
		Name: d.Name, Origin: d.Origin, CreatingUser: d.CreatingUser, Created: d.Created,
		Description: d.Description, NoteRefs: d.NoteRefs,
	}
	if d.Users != nil {
		p.Users = d.Users.All
	}
	if d.CodeBook != nil {
		p.Codes = d.CodeBook.Codes.All
	}
	if d.Variables != nil {
		p.Variables = d.Variables.All
	}
	if d.Cases != nil {
		p.Cases = d.Cases.All
	}
	if s := d.Sources; s != nil {
		p.Texts, p.Pictures, p.PDFs, p.Audios, p.Videos = s.Texts, s.Pictures, s.PDFs, s.Audios, s.Videos
	}
	if d.Notes != nil {
		p.Notes = d.Notes.All
	}
	if d.Links != nil {
		p.Links = d.Links.All
	}
	if d.Sets != nil {
		p.Sets = d.Sets.All
	}
	if d.Graphs != nil {
		p.Graphs = d.Graphs.All
	}
	return p
}
