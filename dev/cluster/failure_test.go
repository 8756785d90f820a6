//go:build cluster

package main

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// Each worker and each serve is replaced by another build, one after the other, as docs/cluster.md says,
// while members are at work. They send every request once, and none fails.
func TestClusterRollingUpgrade(t *testing.T) {
	c := startCluster(t, settings{"WORKER_BUILD_ID": "v1"})
	temporal := c.dialTemporal(t)
	makeCurrent(t, temporal, "v1")
	crowd := startCrowd(t, c.api(), false)
	crowd.progress(t, 2000)
	began := time.Now()

	for i := range workers {
		next := c.newWorker(workers+i, settings{"WORKER_BUILD_ID": "v2"})
		require.NoError(t, next.Start(t.Context()))
		if i == 0 {
			makeCurrent(t, temporal, "v2")
		}
		if i == workers-1 { // the last worker of v1 ends its runs
			eventually(t, "v1 is drained", func() bool { return running(t, temporal, "v1") == 0 })
		}
		require.NoError(t, c.workers[i].Stop())
		c.workers[i] = next
		crowd.progress(t, 500)
	}
	t.Logf("four workers replaced after %s", time.Since(began).Round(time.Second))

	for i := range serves {
		require.NoError(t, os.WriteFile(c.drainFile(i), nil, 0o600))
		require.NoError(t, c.serve[i].Stop())
		c.serve[i] = c.newServe(i, settings{"WORKER_BUILD_ID": "v2"})
		require.NoError(t, c.serve[i].Start(t.Context()))
		require.NoError(t, os.Remove(c.drainFile(i)))
		crowd.progress(t, 1000)
	}
	t.Logf("three serve replaced after %s", time.Since(began).Round(time.Second))
	crowd.finish(t)
}

// makeCurrent is `temporal worker deployment set-current-version`, once Temporal knows the version's task
// queues: workflows of one, and activities of three.
func makeCurrent(t *testing.T, temporal client.Client, build string) {
	t.Helper()
	deployment := temporal.WorkerDeploymentClient().GetHandle("research")
	eventually(t, build+" is current", func() bool {
		version, err := deployment.DescribeVersion(t.Context(),
			client.WorkerDeploymentDescribeVersionOptions{BuildID: build})
		if err != nil || len(version.Info.TaskQueuesInfos) < 4 {
			return false
		}
		_, err = deployment.SetCurrentVersion(t.Context(),
			client.WorkerDeploymentSetCurrentVersionOptions{BuildID: build})
		return err == nil
	})
}

// running counts the runs that are pinned to a version and go on.
func running(t *testing.T, temporal client.Client, build string) int64 {
	t.Helper()
	count, err := temporal.CountWorkflow(t.Context(), &workflowservice.CountWorkflowExecutionsRequest{
		Namespace: namespace,
		Query:     "ExecutionStatus = 'Running' and TemporalWorkerDeploymentVersion = 'research:" + build + "'",
	})
	require.NoError(t, err)
	return count.GetCount()
}

// Each node of Temporal is killed once, and comes back later. The other one takes over its share. Imports
// wait, and end parsed; members send again what was answered 503.
func TestClusterLosesTemporalNode(t *testing.T) {
	c := startCluster(t, nil)
	crowd := startCrowd(t, c.api(), true)
	crowd.progress(t, 1000)
	for i, node := range c.nodes {
		m := signUp(t, c.api())
		ids := m.uploadAll(t, 60, interview(420))
		m.parseAll(t, ids[:40])
		node.Kill()
		began := time.Now()
		m.parsePatiently(t, ids[40:])
		m.waitUntilParsed(t, 60)
		t.Logf("temporal-%d killed: 40 imports under way and 20 requested later are parsed after %s",
			i+1, time.Since(began).Round(100*time.Millisecond))
		crowd.progress(t, 1000)
		require.NoError(t, node.Start(t.Context()))
	}
	crowd.finish(t)
}

// Each serve is killed once, and comes back later. nginx goes to the others; members send again what broke
// off.
func TestClusterLosesServe(t *testing.T) {
	c := startCluster(t, nil)
	crowd := startCrowd(t, c.api(), true)
	crowd.progress(t, 1000)
	for _, serve := range c.serve {
		serve.Kill()
		crowd.progress(t, 3000)
		require.NoError(t, serve.Start(t.Context()))
		crowd.progress(t, 1000)
	}
	crowd.finish(t)
}

// Each worker is killed once, and comes back later: what it had begun is done by the others.
func TestClusterLosesWorker(t *testing.T) {
	c := startCluster(t, nil)
	crowd := startCrowd(t, c.api(), false)
	crowd.progress(t, 1000)
	for _, worker := range c.workers {
		worker.Kill()
		crowd.progress(t, 1000)
		require.NoError(t, worker.Start(t.Context()))
	}
	crowd.finish(t)
}
