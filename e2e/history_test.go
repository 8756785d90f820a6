package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// events returns the history of a run. An empty runID means the last run.
func (s *service) events(t testing.TB, workflowID, runID string) (events []*historypb.HistoryEvent) {
	t.Helper()
	history := s.temporal.GetWorkflowHistory(
		t.Context(), workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		events = append(events, event)
	}
	return events
}

// historyText returns everything that Temporal stores of a run, as JSON, followed by its decoded payloads.
func (s *service) historyText(t testing.TB, workflowID, runID string) string {
	t.Helper()
	var b strings.Builder
	for _, event := range s.events(t, workflowID, runID) {
		raw, err := protojson.Marshal(event)
		require.NoError(t, err)
		b.Write(raw)
		b.WriteString(decodePayloads(raw))
	}
	return b.String()
}

// decodePayloads returns the base64 texts of the payloads in a JSON document, decoded.
func decodePayloads(document []byte) string {
	var parsed any
	if json.Unmarshal(document, &parsed) != nil {
		return ""
	}
	var b strings.Builder
	var visit func(any)
	visit = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				if text, ok := inner.(string); ok && name == "data" {
					var decoded []byte
					if json.Unmarshal([]byte(`"`+text+`"`), &decoded) == nil {
						b.Write(decoded)
					}
				}
				visit(inner)
			}
		case []any:
			for _, inner := range value {
				visit(inner)
			}
		}
	}
	visit(parsed)
	return b.String()
}
