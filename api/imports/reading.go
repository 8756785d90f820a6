package imports

import (
	"research/transcript"
)

// A readingResponse says how a file was read, how certain that is, and what a person may decide.
type readingResponse struct {
	Confidence float64             `json:"confidence"`
	NeedsLook  bool                `json:"needsLook"`
	Labels     []labelResponse     `json:"labels"` // the most doubtful first
	Unlabelled *unlabelledResponse `json:"unlabelled"`
	Doubts     []doubtResponse     `json:"doubts"` // the most doubtful turns first
	Edges      edgesResponse       `json:"edges"`
	Decided    transcript.Reading  `json:"decided"` // by the request, and for earlier files of the project

	Remembered           []string `json:"remembered"` // labels that were decided for earlier files
	RememberedUnlabelled bool     `json:"rememberedUnlabelled"`
}

type labelResponse struct {
	Label string               `json:"label"`
	Kind  transcript.LabelKind `json:"kind"`
	Same  string               `json:"same"`
	Count int                  `json:"count"`
	Share float64              `json:"share"`
	Doubt float64              `json:"doubt"`
	Note  bool                 `json:"note"`
	First contextResponse      `json:"first"`
}

type unlabelledResponse struct {
	Count   int             `json:"count"`
	In      string          `json:"in"`
	Speaker string          `json:"speaker"`
	Suggest string          `json:"suggest"`
	Doubt   float64         `json:"doubt"`
	First   contextResponse `json:"first"`
}

type doubtResponse struct {
	Ordinal int `json:"ordinal"`
	previewTurn

	Other      string  `json:"other"`
	Confidence float64 `json:"confidence"`
}

type edgesResponse struct {
	Head []string `json:"head"`
	Tail []string `json:"tail"`
}

type contextResponse struct {
	Before string `json:"before"`
	Line   string `json:"line"`
	After  string `json:"after"`
}

// newReadingResponse describes a reading.
func newReadingResponse(parsed fileReading) readingResponse {
	r := readingResponse{
		Confidence: parsed.Confidence, NeedsLook: parsed.NeedsLook, Decided: parsed.decided,
		Labels: []labelResponse{}, Doubts: []doubtResponse{},
		Remembered: parsed.remembered, RememberedUnlabelled: parsed.rememberedUnlabelled,
		Edges: edgesResponse{
			Head: append([]string{}, parsed.Edges.Head...), Tail: append([]string{}, parsed.Edges.Tail...),
		},
	}
	for _, l := range parsed.Labels[:min(len(parsed.Labels), maxDecidedLabels)] {
		r.Labels = append(r.Labels, labelResponse{
			Label: l.Label, Kind: l.Kind, Same: l.Same, Count: l.Count, Share: l.Share, Doubt: l.Doubt,
			Note:  l.Note,
			First: contextResponse(l.First),
		})
	}
	if u := parsed.Unlabelled; u != nil {
		r.Unlabelled = &unlabelledResponse{
			Count: u.Count, In: u.In, Speaker: u.Speaker, Suggest: u.Suggest, Doubt: u.Doubt,
			First: contextResponse(u.First),
		}
	}
	for _, d := range parsed.Doubts {
		u := parsed.Utterances[d.Ordinal]
		r.Doubts = append(r.Doubts, doubtResponse{
			Ordinal: d.Ordinal, previewTurn: newPreviewTurn(u), Other: d.Other, Confidence: u.Confidence,
		})
	}
	return r
}
