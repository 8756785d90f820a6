package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	settingsof "research/config"
)

// In docker-compose.yml services have the names of their hosts, and the ports that they have by default.
var composeAddresses = addresses{
	api: "127.0.0.1:8080", temporal: "nginx:7233", temporalUI: "127.0.0.1:8233",
	postgres: "postgres:5432", temporalPostgres: "temporal-postgres:5432",
	serve:     [serves]string{"serve-1:8080", "serve-2:8080", "serve-3:8080"},
	frontends: [nodes]string{"temporal-1:7233", "temporal-2:7233"},
}

// Fields that these types lack are refused.
type composeService struct {
	Image       string
	Build       any
	Profiles    []string
	Restart     string
	Environment settings
	Entrypoint  []string
	Command     []string
	Ports       []string
	Volumes     []string
	Deploy      struct{ Replicas int }
	DependsOn   any `yaml:"depends_on"` // names, or a condition for each
	Healthcheck composeHealth
	Logging     struct {
		Driver  string
		Options map[string]string
	}
	StopGracePeriod string   `yaml:"stop_grace_period"`
	ReadOnly        bool     `yaml:"read_only"`
	CapDrop         []string `yaml:"cap_drop"`
	SecurityOpt     []string `yaml:"security_opt"`
	Init            bool
	StdinOpen       bool `yaml:"stdin_open"`
	TTY             bool
}

type composeHealth struct {
	Test        []string
	Interval    time.Duration
	Timeout     time.Duration
	StartPeriod time.Duration `yaml:"start_period"`
	Retries     int
}

type composeFile struct {
	Services   map[string]composeService
	Volumes    map[string]any
	Extensions map[string]any `yaml:",inline"` // x-…
}

// dependencies returns the services that a service waits for, each with its condition.
func (s composeService) dependencies(t *testing.T) map[string]string {
	t.Helper()
	conditions := map[string]string{}
	switch on := s.DependsOn.(type) {
	case nil:
	case []any:
		for _, name := range on {
			conditions[name.(string)] = "service_started"
		}
	case map[string]any:
		for name, options := range on {
			conditions[name] = options.(map[string]any)["condition"].(string)
		}
	default:
		require.Failf(t, "depends_on is neither a list nor a map", "%v", on)
	}
	return conditions
}

// readCompose reads docker-compose.yml as Compose does with these variables. ${NAME:+text} is the text if
// NAME is set.
func readCompose(t *testing.T, variables settings) map[string]composeService {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docker-compose.yml"))
	require.NoError(t, err)
	innermost := regexp.MustCompile(`\$\{([A-Z0-9_]+):([-+])([^${}]*)\}`)
	text := string(raw)
	for innermost.MatchString(text) {
		text = innermost.ReplaceAllStringFunc(text, func(reference string) string {
			parts := innermost.FindStringSubmatch(reference)
			value, isDefault := variables[parts[1]], parts[2] == "-"
			if isDefault == (value == "") {
				return parts[3]
			}
			return value
		})
	}
	require.NotContains(t, text, "${", "a variable without a default")
	var file composeFile
	decoder := yaml.NewDecoder(strings.NewReader(text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&file))
	for name := range file.Extensions {
		require.True(t, strings.HasPrefix(name, "x-"), "%s is not part of a compose file", name)
	}
	for name, service := range file.Services {
		require.NotEmpty(t, service.Image, name)
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if !strings.HasPrefix(source, "./") {
				require.Contains(t, file.Volumes, source, "%s mounts a volume that is not declared", name)
				continue
			}
			_, err := os.Stat(filepath.Join("..", "..", source))
			require.NoError(t, err, name)
		}
		for other, condition := range service.dependencies(t) {
			require.Contains(t, file.Services, other, "%s depends on what is missing", name)
			switch condition {
			case "service_healthy":
				require.NotEmpty(t, file.Services[other].Healthcheck.Test, "%s waits for %s", name, other)
			case "service_started", "service_completed_successfully":
			default:
				require.Failf(t, "unknown condition", "%s of %s", condition, name)
			}
		}
	}
	return file.Services
}

// jobs run to their end, and have no health.
var jobs = []string{"temporal-schema", "temporal-namespace", "migrate", "operator"}

func TestComposeChecksTheHealthOfEveryService(t *testing.T) {
	t.Parallel()
	for name, service := range readCompose(t, nil) {
		if slices.Contains(jobs, name) {
			continue
		}
		health := service.Healthcheck
		require.NotEmpty(t, health.Test, name)
		require.Contains(t, []string{"CMD", "CMD-SHELL"}, health.Test[0], name)
		require.Positive(t, health.Interval, name)
		require.Positive(t, health.Timeout, name)
		require.Positive(t, health.Retries, name)
		require.Contains(t, []string{"unless-stopped", "always"}, service.Restart, name)
	}
}

func TestComposeRotatesLogs(t *testing.T) {
	t.Parallel()
	for name, service := range readCompose(t, nil) {
		require.Equal(t, "json-file", service.Logging.Driver, name)
		require.NotEmpty(t, service.Logging.Options["max-size"], name)
		require.NotEmpty(t, service.Logging.Options["max-file"], name)
	}
}

func TestComposeHasAnOperator(t *testing.T) {
	t.Parallel()
	compose := readCompose(t, nil)
	operator, backup := compose["operator"], compose["backup"]
	require.Equal(t, []string{"operator"}, operator.Profiles, "it does not start with the others")
	require.Equal(t, composeAddresses.temporal, operator.Environment["TEMPORAL_ADDRESS"])
	owner := compose["migrate"].Environment["DATABASE_URL"]
	require.Equal(t, owner, operator.Environment["DATABASE_URL"])
	require.Equal(t, owner, backup.Environment["DATABASE_URL"])
	require.Equal(t, backup.Volumes, operator.Volumes, "so that it can restore what was backed up")
	require.Contains(t, backup.Command[0], "research backup /backups")

	dockerfile, err := os.ReadFile(filepath.Join("..", "..", "Dockerfile"))
	require.NoError(t, err)
	require.Contains(t, string(dockerfile), "FROM "+compose["temporal-schema"].Image+" AS temporal\n")
	_, version, _ := strings.Cut(compose["postgres"].Image, ":")
	major, _, _ := strings.Cut(version, ".")
	require.Contains(t, string(dockerfile), "ARG POSTGRES="+major+"\n", "pg_dump has the version of the server")
}

// The estimate of serve is that of the worker only if both know the same settings.
func TestComposeGivesServeTheSettingsOfTheModelButNotItsKey(t *testing.T) {
	t.Parallel()
	variables := settings{"OPENAI_API_KEY": "key"}
	for _, s := range settingsof.Settings() {
		if (s.Group == "Model" || s.Group == "Parsing") && !s.Secret {
			variables[s.Name] = "set-" + s.Name
		}
	}
	require.Contains(t, variables, "PARSE_CONCURRENCY")
	compose := readCompose(t, variables)
	require.Equal(t, "key", compose["worker"].Environment["OPENAI_API_KEY"])
	for name, value := range variables {
		require.Equal(t, value, compose["worker"].Environment[name], name)
		if name != "OPENAI_API_KEY" {
			require.Equal(t, value, compose["serve-1"].Environment[name], name)
		}
	}
	require.NotContains(t, compose["serve-1"].Environment, "OPENAI_API_KEY")

	const openAI = "https://api.openai.com/v1"
	withKey := readCompose(t, settings{"OPENAI_API_KEY": "key", "OPENAI_MODEL": "m"})
	require.Equal(t, openAI, withKey["serve-1"].Environment["OPENAI_BASE_URL"],
		"serve knows that there is a model")
	require.Equal(t, openAI, withKey["worker"].Environment["OPENAI_BASE_URL"])
	require.Empty(t, readCompose(t, nil)["serve-1"].Environment["OPENAI_BASE_URL"], "the keyword extractor")
}

// ofNoContainer are settings that docker-compose.yml does not take from .env under their own names.
var ofNoContainer = map[string]string{
	"DATABASE_DIRECT_URL": "there is no pooler",
	"HTTP_ADDR":           "the containers have addresses of their own",
	"METRICS_ADDR":        "the same",
	"MAIL_DIR":            "mails go to Mailpit",
	"STATE_DIR":           "of research dev",
	"POSTGRES_PORT":       "of research dev",
	"TEMPORAL_PORT":       "of research dev",
	"TEMPORAL_UI_PORT":    "of research dev",
	"RESEARCH_TOKEN":      "of people",
}

// A line of .env that no container gets would change nothing, without a word.
func TestComposePassesEverySettingOn(t *testing.T) {
	t.Parallel()
	variables, empty := settings{}, settings{}
	for _, s := range settingsof.Settings() {
		variables[s.Name], empty[s.Name] = "set-"+s.Name, ""
	}
	compose := readCompose(t, variables)
	for name := range variables {
		passed := false
		for _, program := range []string{"serve-1", "serve-2", "serve-3", "worker", "migrate"} {
			value := compose[program].Environment[name]
			passed = passed || value == variables[name]
		}
		require.NotEqual(t, ofNoContainer[name] != "", passed, "%s", name)
	}
	require.Equal(t, effective(t, nil), effective(t, empty), "a setting that .env lacks has its default")
}

func TestComposeGivesServeAndTheOperatorTheProviders(t *testing.T) {
	t.Parallel()
	variables := settings{}
	for _, s := range settingsof.Settings() {
		if s.Group == "Sign-in with providers" {
			variables[s.Name] = "set-" + s.Name
		}
	}
	require.Contains(t, variables, "EXTERNAL_PROVIDERS")
	variables["EXTERNAL_PROVIDERS_FILE"] = "/run/providers/providers.json"
	variables["SSL_CERT_FILE"] = "/run/providers/ca.pem"
	compose := readCompose(t, variables)
	for name, value := range variables {
		require.Equal(t, value, compose["serve-3"].Environment[name], name)
		require.Equal(t, value, compose["operator"].Environment[name], "research doctor asks them: %s", name)
		require.NotContains(t, compose["worker"].Environment, name)
	}
}

// docker-compose.yml and `make cluster` start the same: what is tried with one of them holds for the other.
func TestCompose(t *testing.T) {
	t.Parallel()
	compose := readCompose(t, nil)

	t.Run("has the same processes", func(t *testing.T) {
		t.Parallel()
		want := map[string]int{
			"postgres": 1, "temporal-postgres": 1, "temporal-ui": 1, "nginx": 1, "worker": workers,
			"temporal-schema": 1, "temporal-namespace": 1, "migrate": 1, // run to their end
			"mailpit": 1, "backup": 1, "operator": 1, // only here: `make cluster` writes mails to files
		}
		for i := range serves {
			want[fmt.Sprintf("serve-%d", i+1)] = 1
		}
		for i := range nodes {
			want[fmt.Sprintf("temporal-%d", i+1)] = 1
		}
		got := map[string]int{}
		for name, service := range compose {
			got[name] = max(1, service.Deploy.Replicas)
		}
		require.Equal(t, want, got)
	})

	t.Run("has the versions of the pinned tools", func(t *testing.T) {
		t.Parallel()
		server, ui := toolVersion(t, "go.temporal.io/server"), toolVersion(t, "github.com/temporalio/ui-server/v2")
		for i := range nodes {
			require.Equal(t, "temporalio/server:"+server, compose[fmt.Sprintf("temporal-%d", i+1)].Image)
		}
		for _, job := range []string{"temporal-schema", "temporal-namespace"} {
			require.Regexp(t, "^temporalio/admin-tools:"+regexp.QuoteMeta(server)+"-", compose[job].Image)
		}
		require.Equal(t, "temporalio/ui:"+ui, compose["temporal-ui"].Image)
		require.Equal(t, compose["postgres"].Image, compose["temporal-postgres"].Image)
	})

	t.Run("gives our programs the same settings", func(t *testing.T) {
		t.Parallel()
		secrets := settings{"ANON_KEY": "", "SERVICE_ROLE_KEY": "", "CRON_SECRET": ""} // from the .env file
		logins := map[string]string{"serve": "authenticator", "worker": "research_worker"}
		database := "postgres://postgres:5432/research"
		want := effective(t, composeAddresses.researchSettings(database, secrets))
		names := []string{"worker"}
		for i := range serves {
			names = append(names, fmt.Sprintf("serve-%d", i+1))
		}
		for _, name := range names {
			got := effective(t, compose[name].Environment)
			for setting := range maps.Keys(got) {
				switch setting {
				case "DATABASE_URL": // each program has a login of its own
					program, _, _ := strings.Cut(name, "-")
					require.Contains(t, compose[name].Environment[setting], "://"+logins[program]+":")
				case "SMTP_URL": // Mailpit
				case "HTTP_ADDR", "METRICS_ADDR": // each process of `make cluster` has its own
				default:
					require.Equal(t, want[setting], got[setting], "%s of %s", setting, name)
				}
			}
		}
	})

	t.Run("lets services find each other", func(t *testing.T) {
		t.Parallel()
		port := func(address string) string {
			_, port, err := net.SplitHostPort(address)
			require.NoError(t, err)
			return port
		}
		for i, address := range composeAddresses.serve {
			service := compose[fmt.Sprintf("serve-%d", i+1)]
			require.Equal(t, []string{"serve"}, service.Command)
			require.Equal(t, ":"+port(address), service.Environment["HTTP_ADDR"])
		}
		balancer := compose["nginx"]
		require.Equal(t, port(composeAddresses.temporal), balancer.Environment["TEMPORAL_LISTEN"])
		require.Equal(t, []string{composeAddresses.api + ":" + balancer.Environment["API_LISTEN"]}, balancer.Ports)
		require.Equal(t, []string{composeAddresses.temporalUI + ":8080"}, compose["temporal-ui"].Ports)
		for _, service := range compose {
			for _, published := range service.Ports {
				require.True(t, strings.HasPrefix(published, "127.0.0.1:"), published)
			}
		}
	})

	t.Run("configures Temporal the same way", func(t *testing.T) {
		t.Parallel()
		sql := composeAddresses.sqlSettings("temporal", "temporal")
		require.Equal(t, sql, compose["temporal-schema"].Environment)
		require.Equal(t, []string{"/bin/sh", "/etc/temporal/cluster/schema.sh"},
			compose["temporal-schema"].Entrypoint)
		for i := range nodes {
			name := fmt.Sprintf("temporal-%d", i+1)
			node := compose[name]
			own := settings{"NODE_HOST": name, "DYNAMIC_CONFIG": "/etc/temporal/cluster/dynamic.yaml"}
			require.Equal(t, sql.with(own), node.Environment)
			require.Equal(t, []string{"./dev/cluster/temporal:/etc/temporal/cluster:ro"}, node.Volumes)
			require.Equal(t, []string{
				"temporal-server", "--root", "/etc/temporal", "--config", "cluster", "--env", "server",
				"--allow-no-auth", "start",
			}, slices.Concat(node.Entrypoint, node.Command))
		}
		require.Equal(t, composeAddresses.uiSettings(), compose["temporal-ui"].Environment)
		job := compose["temporal-namespace"]
		require.Equal(t, settings{"TEMPORAL_ADDRESS": composeAddresses.temporal}, job.Environment)
		require.Contains(t, job.Command[0], "create --namespace "+namespace+" --retention "+retention)
	})

	t.Run("configures nginx the same way", func(t *testing.T) {
		t.Parallel()
		got := compose["nginx"].Environment
		for name, address := range composeAddresses.upstreams() {
			require.Equal(t, address+" resolve", got[name])
		}
		conf, err := nginxConf(got)
		require.NoError(t, err)
		for name := range composeAddresses.upstreams() {
			require.Contains(t, conf, "server "+got[name]+" max_fails=1", "nginx.conf.template does not use %s", name)
		}
		require.Equal(t, []string{"./dev/cluster/nginx.conf.template:/etc/nginx/templates/nginx.conf.template:ro"},
			compose["nginx"].Volumes)
	})

	t.Run("has room for all connections", func(t *testing.T) {
		t.Parallel()
		limit := func(service string) int {
			command := compose[service].Command
			number, found := strings.CutPrefix(command[len(command)-1], "max_connections=")
			require.True(t, found, "%v", command)
			n, err := strconv.Atoi(number)
			require.NoError(t, err)
			return n
		}
		pool, err := strconv.Atoi(effective(t, nil)["DATABASE_MAX_CONNS"])
		require.NoError(t, err)
		replaced := 1 // a worker beside its successor
		require.Greater(t, limit("postgres"), (serves+workers+replaced)*pool)

		server, err := files.ReadFile("temporal/server.yaml")
		require.NoError(t, err)
		pools := 0
		for _, match := range regexp.MustCompile(`(?m)^ +maxConns: (\d+)$`).FindAllSubmatch(server, -1) {
			n, err := strconv.Atoi(string(match[1]))
			require.NoError(t, err)
			pools += n
		}
		require.Positive(t, pools)
		const services = 4 // frontend, history, matching and worker
		require.Greater(t, limit("temporal-postgres"), nodes*services*pools)
	})
}

// toolVersion is the version of a module in tools/go.mod, without the v.
func toolVersion(t *testing.T, module string) string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join("..", "..", "tools", "go.mod"))
	require.NoError(t, err)
	match := regexp.MustCompile(`(?m)^\t` + regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(mod)
	require.NotNil(t, match, module)
	return string(match[1])
}

// effective are all settings of one of our programs, with defaults for those that are not set.
func effective(t *testing.T, set settings) settings {
	t.Helper()
	loaded, err := settingsof.Load(func(name string) string { return set[name] })
	require.NoError(t, err)
	all := settings{}
	for line := range strings.Lines(loaded.String()) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		all[name] = value
	}
	return all
}

// Nobody can change the number of shards later.
func TestTemporalHasShardsForALargeInstallation(t *testing.T) {
	t.Parallel()
	server, err := files.ReadFile("temporal/server.yaml")
	require.NoError(t, err)
	require.Regexp(t, `(?m)^  numHistoryShards: 512$`, string(server))
	require.Regexp(t, `(?m)^  metrics:\n    prometheus:\n      listenAddress: `, string(server))
}

func TestPortsDoNotCollide(t *testing.T) {
	t.Parallel()
	all := ports(defaultPort).all()
	slices.Sort(all)
	require.Equal(t, slices.Compact(slices.Clone(all)), all)
	require.Less(t, all[len(all)-1], defaultPort+100)
}
