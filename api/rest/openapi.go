package rest

import (
	"encoding/json"
	"net/http"
	"slices"
)

// openAPI answers the root: what there is, as OpenAPI.
func (h *Handler) openAPI(w http.ResponseWriter, r *http.Request, q *request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return failure(http.StatusMethodNotAllowed, "PGRST117", "Unsupported HTTP method: "+r.Method)
	}
	s := h.schema.Load()
	paths := map[string]any{"/": map[string]any{"get": map[string]any{"summary": "This document", "responses": map[string]any{"200": map[string]any{"description": "OK"}}}}}
	schemas := map[string]any{}
	var names []string
	for name := range s.tables[q.schema] {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := s.tables[q.schema][name]
		properties := map[string]any{}
		var required []string
		for _, c := range t.Columns {
			property := map[string]any{"format": c.Type}
			if c.Comment != "" {
				property["description"] = c.Comment
			}
			if len(c.Enum) > 0 {
				property["enum"] = c.Enum
			}
			properties[c.Name] = property
			if !c.Nullable && c.Default == "" {
				required = append(required, c.Name)
			}
		}
		one := map[string]any{"type": "object", "properties": properties}
		if t.Comment != "" {
			one["description"] = t.Comment
		}
		if required != nil {
			one["required"] = required
		}
		schemas[name] = one
		ok := map[string]any{"200": map[string]any{"description": "OK", "content": map[string]any{typeJSON: map[string]any{"schema": map[string]any{"type": "array", "items": map[string]any{"$ref": "#/components/schemas/" + name}}}}}}
		operations := map[string]any{"get": map[string]any{"tags": []string{name}, "summary": t.Comment, "responses": ok}}
		if t.Insertable {
			operations["post"] = map[string]any{"tags": []string{name}, "responses": map[string]any{"201": map[string]any{"description": "Created"}}}
		}
		if t.Updatable {
			operations["patch"] = map[string]any{"tags": []string{name}, "responses": map[string]any{"204": map[string]any{"description": "No Content"}}}
		}
		if t.Deletable {
			operations["delete"] = map[string]any{"tags": []string{name}, "responses": map[string]any{"204": map[string]any{"description": "No Content"}}}
		}
		paths["/"+name] = operations
	}
	for name := range s.routines[q.schema] {
		paths["/rpc/"+name] = map[string]any{"post": map[string]any{"tags": []string{"(rpc) " + name}, "responses": map[string]any{"200": map[string]any{"description": "OK"}}}}
	}
	w.Header().Set("Content-Type", typeOpenAPI+"; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may be gone
		"openapi": "3.1.0", "info": map[string]any{"title": "Research data API", "version": "1"}, "paths": paths, "components": map[string]any{"schemas": schemas},
	})
	return nil
}
