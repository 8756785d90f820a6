//go:build cluster

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/joho/godotenv"
	"github.com/stretchr/testify/require"

	"research/dev"
)

// The command as people use it: it starts over what a killed one left, keeps the data, and ends in order.
func TestClusterLivesAndDies(t *testing.T) {
	dir, first := openFolder(t), freePorts(t)
	command := func() (*exec.Cmd, *bytes.Buffer) {
		bin := binaries(t)
		args := []string{"-dir", dir, "-bin", bin, "-port", strconv.Itoa(int(first))}
		cmd := newCommand(filepath.Join(bin, "cluster"), args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it has ended unless the test failed
			t.Log(out.String())
		})
		return cmd, &out
	}
	env := filepath.Join(dir, "cluster.env")
	ready := func() map[string]string {
		eventually(t, "cluster.env is there", func() bool {
			_, err := os.Stat(env)
			return err == nil
		})
		values, err := godotenv.Read(env)
		require.NoError(t, err)
		return values
	}

	killed, _ := command()
	values := ready()
	m := signUp(t, newAPI(values["API_URL"], values["ANON_KEY"]))
	m.parseAll(t, m.uploadAll(t, 3, interview(420)))
	require.NoError(t, os.Remove(env))
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())

	again, out := command() // waits for what just ends
	ready()
	m.waitUntilParsed(t, 3)

	serve := processes(t, dir, "serve")
	require.Len(t, serve, serves)
	require.NoError(t, syscall.Kill(serve[0], syscall.SIGKILL))
	eventually(t, "a serve that was killed is back", func() bool {
		now := processes(t, dir, "serve")
		return len(now) == serves && now[serves-1] != serve[serves-1]
	})

	require.NoError(t, again.Process.Signal(os.Interrupt))
	require.NoError(t, again.Wait(), out)
	require.NoFileExists(t, env)
	// Each process inherits the lock of the folder: it is free when the last one is gone.
	folder, err := dev.OpenFolder(t.Context(), dir, io.Discard)
	require.NoError(t, err)
	folder.Close()
	require.Empty(t, processes(t, dir, ""))
}

// processes are those with a state folder in their command line or environment, in the order of their ids.
// Empty: all; else our own with this sub-command.
func processes(t *testing.T, dir, program string) (pids []int) {
	t.Helper()
	entries, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, entry := range entries {
		commandLine, _ := os.ReadFile(filepath.Join(entry, "cmdline")) // it may have ended
		environment, _ := os.ReadFile(filepath.Join(entry, "environ"))
		if !bytes.Contains(commandLine, []byte(dir)) && !bytes.Contains(environment, []byte(dir)) {
			continue
		}
		if program != "" && !strings.HasSuffix(string(commandLine), "research\x00"+program+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(entry))
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	return pids
}
