package worker

import (
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/activities"
	"research/config"
)

// stopBudget is how long a worker takes to stop at most: the control queue stops after the others, which stop
// at the same time.
func stopBudget(cfg config.Config) time.Duration {
	control, others := newQueues(cfg, Deps{}, activities.Deps{})
	longest := time.Duration(0)
	for _, q := range others {
		longest = max(longest, q.options.WorkerStopTimeout)
	}
	return longest + control.options.WorkerStopTimeout
}

func TestSupervisorsAllowWhatStoppingTakes(t *testing.T) {
	t.Parallel()
	var cfg config.Config
	cfg.Worker.StopTimeout = 130 * time.Second // the default: OPENAI_TIMEOUT and ten seconds
	require.Contains(t, read(t, "../docs/settings.md"), "`0s`: `OPENAI_TIMEOUT` and 10 seconds")
	budget := stopBudget(cfg)
	for file, pattern := range map[string]string{
		"../docker-compose.yml": `stop_grace_period: (\d+)s # above WORKER_STOP_TIMEOUT`,
		"../docs/kubernetes/research.yaml": `(?s)name: research-worker.*?` +
			`terminationGracePeriodSeconds: (\d+)`,
		"../docs/systemd/research-worker@.service": `TimeoutStopSec=(\d+)`,
	} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(t, file))
		require.NotNil(t, found, file)
		seconds, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		require.Greater(t, time.Duration(seconds)*time.Second, budget,
			"%s kills a worker before it has stopped", file)
	}
}

func TestAStoppingWorkerFinishesMails(t *testing.T) {
	t.Parallel()
	for _, timeout := range []time.Duration{time.Second, 130 * time.Second} {
		var cfg config.Config
		cfg.Worker.StopTimeout = timeout
		_, others := newQueues(cfg, Deps{}, activities.Deps{})
		require.Equal(t, max(25*time.Second, timeout), others[0].options.WorkerStopTimeout, "of digests")
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
