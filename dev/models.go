package dev

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// modelPorts are where programs that run models usually listen: Ollama, LM Studio, llama.cpp and vLLM.
var modelPorts = []int{11434, 1234, 8080, 8000}

const (
	// modelSearchTimeout bounds the whole search. What listens on this machine answers within milliseconds.
	modelSearchTimeout = time.Second
	// maxModelAnswer is more than a local server's list of models has.
	maxModelAnswer = 256 << 10
	// maxNamedModels is how many models one line names.
	maxNamedModels = 3
)

// A ModelServer is a model server on this machine that nobody has configured.
type ModelServer struct {
	Program string   // "Ollama"; "" if it is not known
	BaseURL string   // with /v1
	Models  []string // that can be used as they are written in a command
}

// FindModelServers asks the usual ports of this machine for model servers, all at once and for a second at
// most. It leaves out the port of our own API, if that runs; with an empty address it asks all. What answers
// is not used, only named.
func FindModelServers(ctx context.Context, ownAddr string) []ModelServer {
	return findModelServers(ctx, modelAddresses(ownAddr))
}

func modelAddresses(ownAddr string) []string {
	_, own, _ := net.SplitHostPort(ownAddr) // config has checked it, unless it is empty
	var addresses []string
	for _, number := range modelPorts {
		if port := strconv.Itoa(number); port != own {
			addresses = append(addresses, "http://"+net.JoinHostPort("127.0.0.1", port))
		}
	}
	return addresses
}

func findModelServers(ctx context.Context, addresses []string) []ModelServer {
	ctx, cancel := context.WithTimeout(ctx, modelSearchTimeout)
	defer cancel()
	found := make([]*ModelServer, len(addresses))
	var asked sync.WaitGroup
	for i, address := range addresses {
		asked.Go(func() { found[i] = askModelServer(ctx, address) })
	}
	asked.Wait()
	var servers []ModelServer
	for _, s := range found {
		if s != nil {
			servers = append(servers, *s)
		}
	}
	return servers
}

// askModelServer returns the model server at an address, or nil. A server is one that lists models as OpenAI
// does; a page with status 200 is none.
func askModelServer(ctx context.Context, address string) *ModelServer {
	var list struct {
		Object string `json:"object"`
		Data   []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if !getJSON(ctx, address+"/v1/models", &list) || list.Object != "list" && list.Data == nil {
		return nil
	}
	s := &ModelServer{BaseURL: address + "/v1", Program: programOf(ctx, address)}
	for _, m := range list.Data {
		if isModelName(m.ID) {
			s.Models = append(s.Models, m.ID)
		}
	}
	return s
}

// programOf tells programs apart by a path that only one of them serves.
func programOf(ctx context.Context, address string) string {
	var info struct {
		Version  string            `json:"version"`
		Settings json.RawMessage   `json:"default_generation_settings"`
		Data     []json.RawMessage `json:"data"`
	}
	switch { // LM Studio answers unknown paths with 200 and an error
	case getJSON(ctx, address+"/api/version", &info) && info.Version != "":
		return "Ollama"
	case getJSON(ctx, address+"/props", &info) && info.Settings != nil:
		return "llama.cpp"
	case getJSON(ctx, address+"/api/v0/models", &info) && info.Data != nil:
		return "LM Studio"
	case getJSON(ctx, address+"/version", &info) && info.Version != "":
		return "vLLM"
	}
	return ""
}

// localClient neither uses a proxy nor follows a server of this machine elsewhere.
var localClient = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// getJSON reports whether a path answers with status 200 and JSON, which it decodes.
func getJSON(ctx context.Context, url string, into any) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := localClient.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode == http.StatusOK &&
		json.NewDecoder(io.LimitReader(resp.Body, maxModelAnswer)).Decode(into) == nil
}

// modelName matches names that mean nothing else to a terminal or a shell. Any program can listen on a port.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,79}$`)

// isModelName reports whether a model can be named, and read interviews.
func isModelName(name string) bool {
	return modelName.MatchString(name) && !strings.Contains(strings.ToLower(name), "embed")
}

// String describes the server: "http://127.0.0.1:11434/v1 (Ollama: llama3.1:8b, qwen3:8b)".
func (s ModelServer) String() string {
	named := s.Models[:min(len(s.Models), maxNamedModels)]
	if len(named) < len(s.Models) {
		named = append(slices.Clone(named), "…")
	}
	what := strings.Join(named, ", ")
	switch {
	case what == "":
		what = strings.TrimSpace(s.Program + " without a model")
	case s.Program != "":
		what = s.Program + ": " + what
	}
	return fmt.Sprintf("%s (%s)", s.BaseURL, what)
}

// Settings are those with which the server is used.
func (s ModelServer) Settings() string {
	model := "NAME"
	if len(s.Models) > 0 {
		model = s.Models[0]
	}
	return "OPENAI_BASE_URL=" + s.BaseURL + " OPENAI_MODEL=" + model
}

// DescribeModelServers says in a line which servers answer, and how the first one with a model is used before
// a command. It is empty if there are none.
func DescribeModelServers(servers []ModelServer, command string) string {
	if len(servers) == 0 {
		return ""
	}
	first := max(slices.IndexFunc(servers, func(s ModelServer) bool { return len(s.Models) > 0 }), 0)
	line := "A model server answers at " + servers[first].String()
	for i, s := range servers {
		if i != first {
			line += " and at " + s.String()
		}
	}
	return line + ". To use it: " + strings.TrimSpace(servers[first].Settings()+" "+command)
}
