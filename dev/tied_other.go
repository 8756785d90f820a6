//go:build !linux

package dev

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// startTied starts a command, and a shell that reads from a pipe of ours. When we die, however that is, the
// pipe closes, and the shell sends the signal to the command.
func startTied(cmd *exec.Cmd, signal syscall.Signal) (release func(), err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, err
	}
	defer func() { _ = read.Close() }()
	script := fmt.Sprintf("cat >/dev/null; kill -%d %d 2>/dev/null", int(signal), cmd.Process.Pid)
	watcher := exec.CommandContext(context.Background(), "/bin/sh", "-c", script)
	watcher.Stdin = read
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := watcher.Start(); err != nil {
		_ = write.Close()
		_ = cmd.Process.Kill()
		return nil, err
	}
	return func() {
		// Before the pipe closes: the process id may belong to another process by now.
		_ = syscall.Kill(-watcher.Process.Pid, syscall.SIGKILL)
		_ = watcher.Wait()
		_ = write.Close()
	}, nil
}
