package qdpx

import (
	"encoding/xml"
	"strconv"
	"strings"
	"time"
)

// The namespaces of the schemas. The version has a dot: nobody reads files with a colon there.
const (
	projectSpace  = "urn:QDA-XML:project:1.0"
	codebookSpace = "urn:QDA-XML:codebook:1.0"
)

// A Project is the content of project.qde. What is written has texts only.
type Project struct {
	Name         string
	Origin       string // the program that wrote it
	CreatingUser GUID
	Created      Time
	Description  string
	NoteRefs     []Ref // notes on the project as a whole

	Users     []User
	Codes     []Code
	Variables []Variable
	Cases     []Case
	Notes     []Source

	Texts    []Source
	Pictures []Media
	PDFs     []Media
	Audios   []Media
	Videos   []Media

	Links, Sets, Graphs []Named // of which only names are read
}

// A User is somebody who works on the project.
type User struct {
	GUID GUID   `xml:"guid,attr"`
	Name string `xml:"name,attr,omitempty"`
}

// A Code is a theme under which words are coded. A codebook alone has no NoteRefs.
type Code struct {
	GUID        GUID   `xml:"guid,attr"`
	Name        string `xml:"name,attr"`
	IsCodable   Flag   `xml:"isCodable,attr"`
	Color       string `xml:"color,attr,omitempty"` // #rrggbb or #rgb
	Description string `xml:"Description,omitempty"`
	NoteRefs    []Ref  `xml:"NoteRef"`
	Codes       []Code `xml:"Code"`
}

// A Variable is a property that cases have.
type Variable struct {
	GUID        GUID   `xml:"guid,attr"`
	Name        string `xml:"name,attr"`
	Type        string `xml:"typeOfVariable,attr"` // Text, Boolean, Integer, Float, Date or DateTime
	Description string `xml:"Description,omitempty"`
}

// A Case is a person or another unit of the analysis.
type Case struct {
	GUID          GUID    `xml:"guid,attr"`
	Name          string  `xml:"name,attr,omitempty"`
	Description   string  `xml:"Description,omitempty"`
	CodeRefs      []Ref   `xml:"CodeRef"`
	Values        []Value `xml:"VariableValue"`
	SourceRefs    []Ref   `xml:"SourceRef"`
	SelectionRefs []Ref   `xml:"SelectionRef"`
}

// A Value is that of a variable. One of the texts is set.
type Value struct {
	Variable Ref    `xml:"VariableRef"`
	Text     string `xml:"TextValue,omitempty"`
	Boolean  string `xml:"BooleanValue,omitempty"`
	Integer  string `xml:"IntegerValue,omitempty"`
	Float    string `xml:"FloatValue,omitempty"`
	Date     string `xml:"DateValue,omitempty"`
	DateTime string `xml:"DateTimeValue,omitempty"`
}

// A Source is a text: an interview, the text of a PDF or of a recording, or a note.
type Source struct {
	GUID          GUID    `xml:"guid,attr"`
	Name          string  `xml:"name,attr,omitempty"`
	RichTextPath  string  `xml:"richTextPath,attr,omitempty"`
	PlainTextPath string  `xml:"plainTextPath,attr,omitempty"`
	CreatingUser  GUID    `xml:"creatingUser,attr,omitempty"`
	Created       Time    `xml:"creationDateTime,attr,omitempty"`
	Description   string  `xml:"Description,omitempty"`
	Content       *string `xml:"PlainTextContent"` // nil if the text is in a file

	SyncPoints  []SyncPoint     `xml:"SyncPoint"`
	Selections  []Selection     `xml:"PlainTextSelection"`
	Transcribed []TimeSelection `xml:"TranscriptSelection"`
	Codings     []Coding        `xml:"Coding"`
	NoteRefs    []Ref           `xml:"NoteRef"`
	Values      []Value         `xml:"VariableValue"`
}

// A Selection is a part of a text. Positions count from zero, and the end is behind the last character.
type Selection struct {
	GUID         GUID     `xml:"guid,attr"`
	Name         string   `xml:"name,attr,omitempty"`
	Start        Position `xml:"startPosition,attr"`
	End          Position `xml:"endPosition,attr"`
	CreatingUser GUID     `xml:"creatingUser,attr,omitempty"`
	Created      Time     `xml:"creationDateTime,attr,omitempty"`
	Description  string   `xml:"Description,omitempty"`
	Codings      []Coding `xml:"Coding"`
	NoteRefs     []Ref    `xml:"NoteRef"`
}

// A Coding puts a selection, or a whole source, under a code.
type Coding struct {
	GUID         GUID  `xml:"guid,attr"`
	CreatingUser GUID  `xml:"creatingUser,attr,omitempty"`
	Created      Time  `xml:"creationDateTime,attr,omitempty"`
	Code         Ref   `xml:"CodeRef"`
	NoteRefs     []Ref `xml:"NoteRef"`
}

// Media is a source other than a text, as far as it is read.
type Media struct {
	GUID           GUID     `xml:"guid,attr"`
	Name           string   `xml:"name,attr,omitempty"`
	Representation *Source  `xml:"Representation"` // the text of a PDF
	Transcripts    []Source `xml:"Transcript"`     // of a recording
	Areas          []Area   `xml:"PDFSelection"`
	PictureAreas   []Area   `xml:"PictureSelection"`
	AudioParts     []Area   `xml:"AudioSelection"`
	VideoParts     []Area   `xml:"VideoSelection"`
	Codings        []Coding `xml:"Coding"`
	NoteRefs       []Ref    `xml:"NoteRef"`
}

// An Area is a part of something other than a text.
type Area struct {
	GUID    GUID     `xml:"guid,attr"`
	Name    string   `xml:"name,attr"`
	Codings []Coding `xml:"Coding"`
}

// A SyncPoint is a moment of a recording in its transcript.
type SyncPoint struct {
	GUID     GUID     `xml:"guid,attr"`
	Time     Position `xml:"timeStamp,attr"` // in milliseconds
	Position Position `xml:"position,attr"`
}

// A TimeSelection is a part of a transcript from one moment to another.
type TimeSelection struct {
	GUID        GUID     `xml:"guid,attr"`
	Name        string   `xml:"name,attr"`
	From        GUID     `xml:"fromSyncPoint,attr"`
	To          GUID     `xml:"toSyncPoint,attr"`
	Description string   `xml:"Description"`
	Codings     []Coding `xml:"Coding"`
	NoteRefs    []Ref    `xml:"NoteRef"`
}

// A Ref refers to something by its guid.
type Ref struct {
	Target GUID `xml:"targetGUID,attr"`
}

// Refs returns references to all targets.
func Refs(targets ...GUID) []Ref {
	refs := make([]Ref, len(targets))
	for i, target := range targets {
		refs[i] = Ref{target}
	}
	return refs
}

// Named is something of which only the name is read.
type Named struct {
	GUID GUID   `xml:"guid,attr"`
	Name string `xml:"name,attr"`
}

// A Position is a number of characters, or of milliseconds. It is -1 where the file has no such number.
type Position int

// UnmarshalXMLAttr reads a number.
func (p *Position) UnmarshalXMLAttr(attr xml.Attr) error {
	n, err := strconv.ParseInt(strings.TrimSpace(attr.Value), 10, 32)
	if err != nil || n < 0 {
		n = -1
	}
	*p = Position(n)
	return nil
}

// A Flag is a truth value. What is neither true nor false is true.
type Flag bool

// UnmarshalXMLAttr reads true, false, 1 or 0.
func (f *Flag) UnmarshalXMLAttr(attr xml.Attr) error {
	text := strings.ToLower(strings.TrimSpace(attr.Value))
	*f = text != "false" && text != "0"
	return nil
}

// A Time is a moment in the form of the schema, or "".
type Time string

// TimeOf returns a moment in UTC, to the second.
func TimeOf(t time.Time) Time { return Time(t.UTC().Format("2006-01-02T15:04:05Z")) }
