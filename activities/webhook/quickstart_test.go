package webhook

import (
	"bytes"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"research/dev/devtest"
)

const (
	exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	anotherSecret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	exampleEvent  = `{"id": "0c1f7a52-5f0b-4a8e-9d3c-2f1f8f3a6b10", "type": "import.parsed", "data": {}}`
)

var quickStarts = filepath.Join("..", "..", "docs", "quickstart")

// Receivers of docs/quickstart, run as they are.
func TestQuickStartsOfReceivers(t *testing.T) {
	t.Parallel()

	t.Run("Go", func(t *testing.T) {
		t.Parallel()
		devtest.NeedPrograms(t, "go")
		program := filepath.Join(t.TempDir(), "webhook")
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program,
			"research/docs/quickstart/webhook").CombinedOutput()
		require.NoError(t, err, "%s", out)
		requireVerifies(t, quickStarts, program)
	})

	t.Run("Python", func(t *testing.T) {
		t.Parallel()
		devtest.NeedPrograms(t, "python3")
		requireVerifies(t, quickStarts, "python3", "webhook.py")
	})
}

// requireVerifies runs a receiver, and requires that it accepts events that are signed with its secret just
// now, and no others.
func requireVerifies(t *testing.T, dir string, command ...string) {
	t.Helper()
	port := devtest.FreePort(t)
	requireExplains(t, dir, append(command, port)...)
	receiver := exec.CommandContext(t.Context(), command[0], append(command[1:], port)...)
	receiver.Dir = dir
	receiver.Env = append(receiver.Environ(), "WEBHOOK_SECRET="+exampleSecret)
	var out bytes.Buffer
	receiver.Stdout, receiver.Stderr = &out, &out
	require.NoError(t, receiver.Start())
	end := func() {
		_ = receiver.Process.Kill()
		_ = receiver.Wait()
	}
	t.Cleanup(end)

	require.Eventually(t, func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
		return err == nil && conn.Close() == nil
	}, time.Minute, 20*time.Millisecond, "the receiver listens")

	sender := NewSender(Config{AllowedHosts: []string{"127.0.0.1"}, Timeout: 5 * time.Minute})
	message := Message{
		URL: "http://127.0.0.1:" + port, ID: "0c1f7a52-5f0b-4a8e-9d3c-2f1f8f3a6b10", Body: []byte(exampleEvent),
		Secrets: []string{anotherSecret, exampleSecret}, // the former of which has just replaced the latter
	}
	response, err := sender.Send(t.Context(), message)
	require.NoError(t, err)
	require.True(t, response.Accepted(), "%+v", response)

	forged := message
	forged.Secrets = []string{anotherSecret}
	response, err = sender.Send(t.Context(), forged)
	require.NoError(t, err)
	require.Equal(t, 400, response.Status, "signed with another secret")

	sender.now = func() time.Time { return time.Now().Add(-10 * time.Minute) }
	response, err = sender.Send(t.Context(), message)
	require.NoError(t, err)
	require.Equal(t, 400, response.Status, "signed ten minutes ago")

	end()
	require.Equal(t, 1, strings.Count(out.String(), "import.parsed"), out.String())
}

// requireExplains requires that a command says what is missing, and ends: with an empty key, anybody could
// sign.
func requireExplains(t *testing.T, dir string, command ...string) {
	t.Helper()
	run := func(secret string, command ...string) string {
		program := exec.CommandContext(t.Context(), command[0], command[1:]...)
		program.Dir = dir
		program.Env = append(program.Environ(), "WEBHOOK_SECRET="+secret)
		out, err := program.CombinedOutput()
		require.Error(t, err, "%s", out)
		require.Equal(t, 1, strings.Count(string(out), "\n"), "%s", out)
		return string(out)
	}
	for _, secret := range []string{"", "whsec_", "whsec_…"} {
		require.Contains(t, run(secret, command...), "WEBHOOK_SECRET must be")
	}
	require.Contains(t, run(exampleSecret, command[:len(command)-1]...), "usage: ")
}

func TestQuickStartOfSignatures(t *testing.T) {
	t.Parallel()
	devtest.NeedPrograms(t, "bash", "openssl")
	verify := func(id string, at time.Time, body, secret string) error {
		signature, err := sign([]string{secret}, "event", at, []byte(exampleEvent))
		require.NoError(t, err)
		script := exec.CommandContext(t.Context(), "bash", "webhook.sh", id, timestamp(at), "v1,another "+signature)
		script.Dir = quickStarts
		script.Env = append(script.Environ(), "WEBHOOK_SECRET="+exampleSecret)
		script.Stdin = strings.NewReader(body)
		return script.Run()
	}
	requireExplains(t, quickStarts, "bash", "webhook.sh", "id", "1", "v1,signature")
	now := time.Now()
	require.NoError(t, verify("event", now, exampleEvent, exampleSecret))
	require.Error(t, verify("another", now, exampleEvent, exampleSecret))
	require.Error(t, verify("event", now, exampleEvent+" ", exampleSecret))
	require.Error(t, verify("event", now.Add(-10*time.Minute), exampleEvent, exampleSecret))
	require.Error(t, verify("event", now, exampleEvent, anotherSecret))
}
