package e2e

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"research/activities/extract/modeltest"
)

// payloadKey is a key of PAYLOAD_KEYS, made from a letter.
func payloadKey(id string, letter byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{letter}, 32))
}

// payloads returns the payloads of the history of a run that has ended, without headers and search
// attributes, and the messages and stack traces of its failures, which are not payloads.
func (s *service) payloads(
	t *testing.T, workflowID, runID string,
) (payloads []*commonpb.Payload, failureTexts []string) {
	t.Helper()
	// The import has its last status before the run ends; the run may fail.
	_ = s.temporal.GetWorkflow(t.Context(), workflowID, runID).Get(t.Context(), nil)
	var visit func(protoreflect.Message)
	visit = func(m protoreflect.Message) {
		switch m := m.Interface().(type) {
		case *commonpb.Payload:
			payloads = append(payloads, m)
			return
		case *commonpb.Header, *commonpb.SearchAttributes:
			return
		}
		if m.Descriptor().FullName() == "temporal.api.failure.v1.Failure" {
			for _, field := range []protoreflect.Name{"message", "stack_trace"} {
				failureTexts = append(failureTexts, m.Get(m.Descriptor().Fields().ByName(field)).String())
			}
		}
		m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
			switch {
			case field.IsMap() && field.MapValue().Message() != nil:
				value.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					visit(v.Message())
					return true
				})
			case field.IsList() && field.Message() != nil:
				for i := range value.List().Len() {
					visit(value.List().Get(i).Message())
				}
			case !field.IsMap() && !field.IsList() && field.Message() != nil:
				visit(value.Message())
			}
			return true
		})
	}
	for _, event := range s.events(t, workflowID, runID) {
		visit(event.ProtoReflect())
	}
	return payloads, failureTexts
}

// addAndParse uploads the short transcript, and starts its parse.
func (s *service) addAndParse(
	t *testing.T, token string, hypotheses ...uuid.UUID,
) (importID, workflowID, runID string) {
	t.Helper()
	importID = s.add(t, token, "zoom.vtt", []byte(zoom))
	started := s.startParse(t, token, importID, hypotheses...)
	return importID, started["workflowId"].(string), started["runId"].(string)
}

// decode asks the codec endpoint to decrypt payloads, as Temporal's CLI does.
func (s *service) decode(
	t *testing.T, secret string, encrypted []*commonpb.Payload,
) (status int, answer string) {
	t.Helper()
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: encrypted})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, s.url()+"/api/codec/decode", bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

// countByKey counts payloads by their encoding and the id of the key that encrypted them.
func countByKey(payloads []*commonpb.Payload) map[string]int {
	counts := map[string]int{}
	for _, p := range payloads {
		counts[string(p.GetMetadata()["encoding"])+" "+string(p.GetMetadata()["encryption-key-id"])]++
	}
	return counts
}

func TestPayloadsAreEncrypted(t *testing.T) {
	t.Parallel()
	const codecSecret = "codec-secret-codec-secret"
	model := modeltest.New(t)
	s := startAPI(t, "PAYLOAD_KEYS="+payloadKey("k1", 'x'), "CODEC_SECRET="+codecSecret,
		"OPENAI_BASE_URL="+model.URL, "OPENAI_MODEL=m")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	startWorkerWith := func(keys ...string) (stop func()) {
		return s.startWorker(t, "PAYLOAD_KEYS="+strings.Join(keys, ","))
	}

	stop := startWorkerWith(payloadKey("k1", 'x'))
	id, workflowID, runID := s.addAndParse(t, editor, h)
	s.waitForStatus(t, editor, id, "parsed")
	encrypted, _ := s.payloads(t, workflowID, runID)
	require.Greater(t, len(encrypted), 5)
	require.Equal(t, map[string]int{"binary/encrypted k1": len(encrypted)}, countByKey(encrypted))
	for _, p := range encrypted {
		raw, err := proto.Marshal(p)
		require.NoError(t, err)
		for _, plain := range []string{id, s.Workspace.String(), h.String(), "parsed", "chunk", "json"} {
			require.NotContains(t, string(raw), plain)
		}
	}

	// Failures have no plain text either.
	model.Always(modeltest.BadKey())
	failedID, workflowID, runID := s.addAndParse(t, editor, s.Hypothesis(t, s.Tenant, "Receipts are missing"))
	s.waitForStatus(t, editor, failedID, "failed")
	failures, failureTexts := s.payloads(t, workflowID, runID)
	require.NotEmpty(t, failureTexts)
	for _, text := range failureTexts {
		require.Contains(t, []string{"Encoded failure", ""}, text)
	}
	require.Equal(t, map[string]int{"binary/encrypted k1": len(failures)}, countByKey(failures))
	model.Always(modeltest.Honest())

	// An operator's command reads what a worker encrypted.
	require.Contains(t, s.mustCommand(t, "digest", "run", "daily"), "sent:      0")

	// Operators read them through the codec endpoint; nobody else does.
	status, answer := s.decode(t, codecSecret, encrypted)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, decodePayloads([]byte(answer)), id)
	for _, wrong := range []string{"", "codec-secret", serviceKey, editor} {
		status, answer = s.decode(t, wrong, encrypted)
		require.Equal(t, http.StatusUnauthorized, status)
		require.NotContains(t, decodePayloads([]byte(answer)), id)
	}

	// A new key encrypts as soon as it is a worker's first; what the old one encrypted is still read.
	stop()
	stop = startWorkerWith(payloadKey("k2", 'y'), payloadKey("k1", 'x'))
	id, workflowID, runID = s.addAndParse(t, editor, h)
	s.waitForStatus(t, editor, id, "parsed")
	rotated, _ := s.payloads(t, workflowID, runID)
	counts := countByKey(rotated)
	require.Len(t, counts, 2)
	require.NotZero(t, counts["binary/encrypted k1"],
		"the API, which only has the old key, started the run: %v", counts)
	require.NotZero(t, counts["binary/encrypted k2"], "%v", counts)
	status, answer = s.decode(t, codecSecret, rotated)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer, `the key "k2", which is not in PAYLOAD_KEYS`)

	// A worker with another key under the same id reports it, and fails no run: the next worker continues.
	stop()
	stop = startWorkerWith(payloadKey("k1", 'z'))
	id, _, _ = s.addAndParse(t, editor, h)
	eventually(t, "the worker reports its wrong key", func() bool {
		return strings.Contains(s.logs.String(), "in PAYLOAD_KEYS is not the one that encrypted it")
	})
	_, imported := s.get(t, "/api/import/"+id, editor)
	require.Equal(t, "queued", imported["status"])
	stop()
	stop = startWorkerWith(payloadKey("k1", 'x'))
	require.Eventually(t, func() bool { // Temporal waits longer after each task that failed
		_, imported = s.get(t, "/api/import/"+id, editor)
		return imported["status"] == "parsed"
	}, 3*timeout, 50*time.Millisecond)
	stop()
}
