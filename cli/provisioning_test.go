package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"research/config"
	"research/dev/devtest"
)

// requireCommand requires that a command line of an example is one of this binary.
func requireCommand(t *testing.T, args []string) {
	t.Helper()
	r := run(t, nil, "", append(slices.Clone(args), "--help")...)
	require.Zero(t, r.code, "%v: %s", args, r.stderr)
	require.Contains(t, r.stdout, "research "+args[0], args)
}

// requireSetting requires that the name of a setting exists.
func requireSetting(t *testing.T, name string) {
	t.Helper()
	require.True(t, slices.ContainsFunc(config.Settings(), func(s config.Setting) bool {
		return s.Name == name || s.Secret && s.Name+"_FILE" == name
	}), "there is no setting %s", name)
}

func TestSystemdUnits(t *testing.T) {
	t.Parallel()
	services, err := filepath.Glob("../docs/systemd/*.service")
	require.NoError(t, err)
	require.Len(t, services, 5)
	for _, path := range services {
		unit, err := os.ReadFile(path)
		require.NoError(t, err)
		commands := 0
		for line := range strings.Lines(string(unit)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			switch key {
			case "ExecStart":
				commands++
				words := strings.Fields(value)
				require.Equal(t, "/usr/local/bin/research", words[0])
				requireCommand(t, words[1:])
			case "Environment":
				name, _, _ := strings.Cut(value, "=")
				requireSetting(t, name)
			}
		}
		require.Equal(t, 1, commands, path)
	}

	t.Run("systemd accepts them, and finds little to reproach", func(t *testing.T) {
		t.Parallel()
		devtest.NeedPrograms(t, "systemd-analyze")
		timers, err := filepath.Glob("../docs/systemd/*.timer")
		require.NoError(t, err)
		require.Len(t, timers, 2)
		folder := t.TempDir()
		var copies []string
		for _, path := range append(timers, services...) {
			// The binary of the units is not on this machine.
			unit, err := os.ReadFile(path)
			require.NoError(t, err)
			unit = bytes.ReplaceAll(unit, []byte("/usr/local/bin/research"), []byte("/bin/true"))
			copied := filepath.Join(folder, strings.Replace(filepath.Base(path), "@", "@1", 1))
			require.NoError(t, os.WriteFile(copied, unit, 0o600))
			copies = append(copies, copied)
		}
		for _, unit := range copies {
			verify := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", unit)
			out, err := verify.CombinedOutput()
			require.NoError(t, err, "%s: %s", unit, out)
			require.NotContains(t, string(out), folder, "verify warns about this unit")
			if strings.HasSuffix(unit, ".timer") {
				continue
			}
			// Exposure is from 0 to 10 in steps of 0.1; the threshold is ten times that.
			out, err = exec.CommandContext(t.Context(), "systemd-analyze", "security", "--offline=yes", "--no-pager",
				"--threshold=20", unit).CombinedOutput()
			require.NoError(t, err, "%s: %s", unit, out)
		}
	})
}

// nginx has the ports of two instances of research-serve@.
func TestNginxExample(t *testing.T) {
	t.Parallel()
	unit, err := os.ReadFile("../docs/systemd/research-serve@.service")
	require.NoError(t, err)
	listen := regexp.MustCompile(`(?m)^Environment=HTTP_ADDR=(.+)%i$`).FindSubmatch(unit)
	require.NotNil(t, listen)
	site, err := os.ReadFile("../docs/nginx/research.conf")
	require.NoError(t, err)
	used := map[string]bool{}
	for _, server := range regexp.MustCompile(`(?m)^    server (\S+?)[ ;].*$`).FindAllSubmatch(site, -1) {
		used[string(server[1])] = true
	}
	require.Equal(t, map[string]bool{string(listen[1]) + "1": true, string(listen[1]) + "2": true}, used)
}

// A manifest is what is compared of a Kubernetes object.
type manifest struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Data     map[string]string
	Secrets  map[string]string `yaml:"stringData"`
	Spec     struct {
		Selector    any
		Template    podTemplate
		JobTemplate struct {
			Spec struct{ Template podTemplate }
		} `yaml:"jobTemplate"`
	}
}

type podTemplate struct {
	Metadata struct{ Labels map[string]string }
	Spec     struct {
		SecurityContext struct {
			RunAsNonRoot bool `yaml:"runAsNonRoot"`
		} `yaml:"securityContext"`
		Containers []struct {
			Args            []string
			SecurityContext struct {
				ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
			} `yaml:"securityContext"`
		}
	}
}

// `make check` decodes the manifests with Kubernetes' own types as well.
func TestKubernetesManifests(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../docs/kubernetes/*.yaml")
	require.NoError(t, err)
	programs := map[string]bool{}
	for _, path := range paths {
		for _, m := range readManifests(t, path) {
			if m.Kind != "Namespace" {
				require.Equal(t, "research", m.Metadata.Namespace, m.Metadata.Name)
			}
			for _, settings := range []map[string]string{m.Data, m.Secrets} {
				for name := range settings {
					requireSetting(t, name)
				}
			}
			template := m.Spec.Template
			if m.Kind == "CronJob" {
				template = m.Spec.JobTemplate.Spec.Template
			}
			for _, c := range template.Spec.Containers {
				require.True(t, template.Spec.SecurityContext.RunAsNonRoot, m.Metadata.Name)
				require.True(t, c.SecurityContext.ReadOnlyRootFilesystem, m.Metadata.Name)
				require.Equal(t, c.Args[0], template.Metadata.Labels["program"], "selectors find it by this label")
				requireCommand(t, c.Args)
				programs[c.Args[0]] = true
			}
		}
	}
	require.Equal(t, map[string]bool{
		"migrate": true, "serve": true, "worker": true, "backup": true, "drill": true,
	}, programs)
}

func readManifests(t *testing.T, path string) (manifests []manifest) {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for decoder := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var m manifest
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			return manifests
		}
		require.NoError(t, err, path)
		manifests = append(manifests, m)
	}
}

func TestCollectorExample(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../docs/monitoring/collector.yaml")
	require.NoError(t, err)
	var example struct {
		Receivers, Processors, Exporters map[string]any
		Service                          struct {
			Pipelines map[string]struct{ Receivers, Processors, Exporters []string }
		}
	}
	require.NoError(t, yaml.Unmarshal(content, &example))
	used := map[string]bool{}
	for name, pipeline := range example.Service.Pipelines {
		for _, part := range []struct {
			defined map[string]any
			names   []string
		}{
			{example.Receivers, pipeline.Receivers},
			{example.Processors, pipeline.Processors},
			{example.Exporters, pipeline.Exporters},
		} {
			require.NotEmpty(t, part.names, name)
			for _, n := range part.names {
				require.Contains(t, part.defined, n, name)
				used[n] = true
			}
		}
	}
	defined := len(example.Receivers) + len(example.Processors) + len(example.Exporters)
	require.Len(t, used, defined, "each part is used")
}
