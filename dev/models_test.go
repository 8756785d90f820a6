package dev

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The paths that tell local model servers apart, as their documentation describes them. LM Studio answers
// other paths with status 200 and an error.
var localServers = map[string]map[string]string{
	"Ollama": {
		"/v1/models":   `{"object":"list","data":[{"id":"llama3.1:8b","object":"model"},{"id":"qwen3:8b"}]}`,
		"/api/version": `{"version":"0.6.2"}`,
	},
	"llama.cpp": {
		"/v1/models": `{"object":"list","data":[{"id":"gpt-oss-20b.gguf","owned_by":"llamacpp"}]}`,
		"/props":     `{"default_generation_settings":{"n_ctx":4096},"total_slots":1}`,
	},
	"LM Studio": {
		"/v1/models":     `{"data":[{"id":"text-embedding-nomic"},{"id":"qwen2.5-7b-instruct"}],"object":"list"}`,
		"/api/v0/models": `{"object":"list","data":[{"id":"qwen2.5-7b-instruct","state":"loaded"}]}`,
		"/api/version":   `{"error":"Unexpected endpoint or method. (GET /api/version)"}`,
		"/props":         `{"error":"Unexpected endpoint or method. (GET /props)"}`,
	},
	"vLLM": {
		"/v1/models": `{"object":"list","data":[{"id":"meta-llama/Llama-3.1-8B-Instruct","owned_by":"vllm"}]}`,
		"/version":   `{"version":"0.8.5"}`,
	},
}

func serveLocal(t *testing.T, answers map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, ok := answers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestLocalModelServersAreToldApart(t *testing.T) {
	t.Parallel()
	for program, answers := range localServers {
		address := serveLocal(t, answers)
		found := findModelServers(t.Context(), []string{"http://127.0.0.1:1", address})
		require.Len(t, found, 1, program)
		require.Equal(t, program, found[0].Program)
		require.Equal(t, address+"/v1", found[0].BaseURL)
		require.NotContains(t, found[0].Models, "text-embedding-nomic", "it cannot read interviews")
	}
}

func TestOtherServersAreNoModelServers(t *testing.T) {
	t.Parallel()
	for what, answers := range map[string]map[string]string{
		"a page":      {"/v1/models": "<!doctype html><title>Hello</title>"},
		"another API": {"/v1/models": `{"error":"not found"}`},
		"ours":        {"/": "<!doctype html>"},
		"an answer without end": {
			"/v1/models": `{"object":"list","data":[{"id":"` + strings.Repeat("a", maxModelAnswer),
		},
	} {
		require.Empty(t, findModelServers(t.Context(), []string{serveLocal(t, answers)}), what)
	}
	ollama := serveLocal(t, localServers["Ollama"])
	elsewhere := httptest.NewServer(http.RedirectHandler(ollama, http.StatusFound))
	t.Cleanup(elsewhere.Close)
	require.Empty(t, findModelServers(t.Context(), []string{elsewhere.URL}), "a redirection")
}

func TestALineSaysHowToUseALocalModelServer(t *testing.T) {
	t.Parallel()
	ollama := ModelServer{"Ollama", "http://127.0.0.1:11434/v1", []string{"llama3.1:8b", "qwen3:8b"}}
	require.Equal(t, "A model server answers at http://127.0.0.1:11434/v1 (Ollama: llama3.1:8b, qwen3:8b). "+
		"To use it: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=llama3.1:8b make dev",
		DescribeModelServers([]ModelServer{ollama}, "make dev"))

	empty := ModelServer{"LM Studio", "http://127.0.0.1:1234/v1", nil}
	require.Equal(t, "A model server answers at http://127.0.0.1:1234/v1 (LM Studio without a model). "+
		"To use it: OPENAI_BASE_URL=http://127.0.0.1:1234/v1 OPENAI_MODEL=NAME make dev",
		DescribeModelServers([]ModelServer{empty}, "make dev"))
	require.Contains(t, DescribeModelServers([]ModelServer{empty, ollama}, ""), "OPENAI_MODEL=llama3.1:8b")

	ollama.Models = []string{"a", "b", "c", "d"}
	require.Contains(t, ollama.String(), "(Ollama: a, b, c, …)")
	require.Empty(t, DescribeModelServers(nil, "make dev"))
}

// Any program can listen on a port, and people copy what a terminal shows.
func TestNamesOfModelsCannotHarmATerminalOrAShell(t *testing.T) {
	t.Parallel()
	address := serveLocal(t, map[string]string{"/v1/models": `{"object":"list","data":[
		{"id":"$(reboot)"}, {"id":"a; reboot"}, {"id":"\u001b[31mred"}, {"id":"-rf"}, {"id":"two\nlines"},
		{"id":"` + strings.Repeat("x", 200) + `"}, {"id":"org/model-7b@q4_K_M:latest"}]}`})
	found := findModelServers(t.Context(), []string{address})
	require.Equal(t, []string{"org/model-7b@q4_K_M:latest"}, found[0].Models)
}

func TestTheAddressOfOurOwnAPIIsNotAsked(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"http://127.0.0.1:11434", "http://127.0.0.1:1234", "http://127.0.0.1:8000"},
		modelAddresses("127.0.0.1:8080"))
	require.Len(t, modelAddresses(":9000"), len(modelPorts))
	require.Len(t, modelAddresses(""), len(modelPorts))
}
