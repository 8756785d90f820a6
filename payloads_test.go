package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"research/activities/extract/modeltest"
)

// payloadKey is a key of PAYLOAD_KEYS, made from a letter.
func payloadKey(id string, letter byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{letter}, 32))
}

// payloads collects those of a run's history, without headers and search attributes, and what failures say in plain text.
func (s *service) payloads(t *testing.T, workflowID, runID string) (payloads []*commonpb.Payload, said []string) {
	t.Helper()
	var walk func(protoreflect.Message)
	walk = func(m protoreflect.Message) {
		switch m := m.Interface().(type) {
		case *commonpb.Payload:
			payloads = append(payloads, m)
			return
		case *commonpb.Header, *commonpb.SearchAttributes:
			return
		}
		if m.Descriptor().FullName() == "temporal.api.failure.v1.Failure" {
			said = append(said, m.Get(m.Descriptor().Fields().ByName("message")).String(), m.Get(m.Descriptor().Fields().ByName("stack_trace")).String())
		}
		m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
			switch {
			case field.IsMap() && field.MapValue().Message() != nil:
				value.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					walk(v.Message())
					return true
				})
			case field.IsList() && field.Message() != nil:
				for i := range value.List().Len() {
					walk(value.List().Get(i).Message())
				}
			case !field.IsMap() && !field.IsList() && field.Message() != nil:
				walk(value.Message())
			}
			return true
		})
	}
	events := s.temporal.GetWorkflowHistory(t.Context(), workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		walk(event.ProtoReflect())
	}
	return payloads, said
}

func (s *service) startParse(t *testing.T, bearer string, hypotheses ...uuid.UUID) (id string, started map[string]any) {
	t.Helper()
	_, uploaded := s.upload(t, bearer, "zoom.vtt", []byte(zoom))
	id = uploaded["importId"].(string)
	status, started := s.post(t, "/api/import/"+id+"/parse", bearer, map[string]any{"hypothesisIds": hypotheses})
	require.Equal(t, http.StatusOK, status, "%v", started)
	return id, started
}

// decode asks the codec endpoint, as Temporal's CLI does.
func (s *service) decode(t *testing.T, secret string, sealed []*commonpb.Payload) (int, string) {
	t.Helper()
	body, err := protojson.Marshal(&commonpb.Payloads{Payloads: sealed})
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.cfg.HTTP.PublicURL+"/api/codec/decode", bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

func keysOf(payloads []*commonpb.Payload) map[string]int {
	keys := map[string]int{}
	for _, p := range payloads {
		keys[string(p.GetMetadata()["encoding"])+" "+string(p.GetMetadata()["encryption-key-id"])]++
	}
	return keys
}

func TestPayloadsAreEncrypted(t *testing.T) {
	t.Parallel()
	const secret = "codec-secret-codec-secret"
	model := modeltest.New(t)
	s := startAPI(t, "PAYLOAD_KEYS", payloadKey("k1", 'x'), "CODEC_SECRET", secret, "OPENAI_BASE_URL", model.URL, "OPENAI_MODEL", "m")
	h := s.Hypothesis(t, s.Tenant, "Closing the books takes days")
	editor := s.signIn(t, s.Editor)
	// workWith runs a worker that has these keys, until stop is called.
	workWith := func(keys ...string) (stop func()) {
		cfg := s.cfg
		cfg.Temporal.PayloadKeys = strings.Join(keys, ",")
		return background(t, func(ctx context.Context) error { return work(ctx, cfg, s.log) })
	}

	stop := workWith(payloadKey("k1", 'x'))
	id, run := s.startParse(t, editor, h)
	s.waitForStatus(t, editor, id, "parsed")
	sealed, _ := s.payloads(t, run["workflowId"].(string), run["runId"].(string))
	require.Greater(t, len(sealed), 5)
	require.Equal(t, map[string]int{"binary/encrypted k1": len(sealed)}, keysOf(sealed))
	for _, p := range sealed {
		raw, err := proto.Marshal(p)
		require.NoError(t, err)
		for _, plain := range []string{id, s.Workspace.String(), h.String(), "parsed", "chunk", "json"} {
			require.NotContains(t, string(raw), plain)
		}
	}

	// A failure says nothing in plain text either.
	model.Always(modeltest.BadKey())
	failed, run2 := s.startParse(t, editor, s.Hypothesis(t, s.Tenant, "Receipts are missing"))
	s.waitForStatus(t, editor, failed, "failed")
	failures, said := s.payloads(t, run2["workflowId"].(string), run2["runId"].(string))
	require.NotEmpty(t, said)
	for _, text := range said {
		require.Contains(t, []string{"Encoded failure", ""}, text)
	}
	require.Equal(t, map[string]int{"binary/encrypted k1": len(failures)}, keysOf(failures))
	model.Always(modeltest.Honest())

	// An operator's tool reads what a worker encrypted.
	var digests bytes.Buffer
	require.NoError(t, digestCommand(t.Context(), s.cfg, []string{"run", "daily"}, &digests, s.log))
	require.Contains(t, digests.String(), "sent:      0")

	// Operators see it by the codec endpoint; nobody else does.
	status, body := s.decode(t, secret, sealed)
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, decodePayloads([]byte(body)), id)
	for _, wrong := range []string{"", "codec-secret", s.cfg.Keys.Service, editor} {
		status, body = s.decode(t, wrong, sealed)
		require.Equal(t, http.StatusUnauthorized, status)
		require.NotContains(t, decodePayloads([]byte(body)), id)
	}

	// A new key encrypts as soon as a worker has it first; what the old one encrypted is still read.
	stop()
	stop = workWith(payloadKey("k2", 'y'), payloadKey("k1", 'x'))
	id, run = s.startParse(t, editor, h)
	s.waitForStatus(t, editor, id, "parsed")
	rotated, _ := s.payloads(t, run["workflowId"].(string), run["runId"].(string))
	keys := keysOf(rotated)
	require.Len(t, keys, 2)
	require.NotZero(t, keys["binary/encrypted k1"], "%v", keys) // what the API, which has the old key alone, started it with
	require.NotZero(t, keys["binary/encrypted k2"], "%v", keys)
	status, body = s.decode(t, secret, rotated)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, body, `the key "k2", which is not in PAYLOAD_KEYS`)

	// A worker with another key says so, and ends nothing: the next one goes on.
	stop()
	stop = workWith(payloadKey("k1", 'z'))
	id, _ = s.startParse(t, editor, h)
	s.eventually(t, func() bool {
		return strings.Contains(s.logs.String(), "in PAYLOAD_KEYS is not the one that encrypted it")
	})
	_, mirror := s.do(t, http.MethodGet, "/api/import/"+id, editor, "", nil)
	require.Equal(t, "queued", mirror["status"])
	stop()
	stop = workWith(payloadKey("k1", 'x'))
	require.Eventually(t, func() bool { // Temporal waits longer after each task that failed
		_, mirror = s.do(t, http.MethodGet, "/api/import/"+id, editor, "", nil)
		return mirror["status"] == "parsed"
	}, 3*patience, 50*time.Millisecond)
	stop()
}
