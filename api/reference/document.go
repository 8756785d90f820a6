// Package reference describes /api and /auth/v1 to clients: an OpenAPI 3.1 document at /api/openapi.json, and
// a page at /docs that renders it and the guides of package docs. The data API describes itself.
//
// The document is written by hand, in the files of spec. Tests compare it with the routes and the responses
// of the service: see package contract.
package reference

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"

	"go.yaml.in/yaml/v3"
)

//go:embed spec
var spec embed.FS

// Document returns the OpenAPI document as JSON.
func Document() ([]byte, error) {
	files, err := spec.ReadDir("spec")
	if err != nil {
		return nil, err
	}
	document := map[string]any{}
	for _, file := range files {
		content, err := spec.ReadFile(path.Join("spec", file.Name()))
		if err != nil {
			return nil, err
		}
		var part map[string]any
		if err := yaml.Unmarshal(content, &part); err != nil {
			return nil, fmt.Errorf("read %s: %w", file.Name(), err)
		}
		if err := merge(document, part); err != nil {
			return nil, fmt.Errorf("merge %s: %w", file.Name(), err)
		}
	}
	return json.Marshal(document)
}

// merge adds the keys of part to whole. Objects that both have are merged; anything else may be in one only.
func merge(whole, part map[string]any) error {
	for key, value := range part {
		existing, exists := whole[key]
		if !exists {
			whole[key] = value
			continue
		}
		into, ok := existing.(map[string]any)
		from, alsoOK := value.(map[string]any)
		if !ok || !alsoOK {
			return fmt.Errorf("%s is defined twice", key)
		}
		if err := merge(into, from); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}
