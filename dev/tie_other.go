//go:build !linux

package dev

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// tie starts a command and a watcher beside it, which holds the end of a pipe of ours: when we die, however that is, the pipe closes and the watcher sends the
// signal.
func tie(cmd *exec.Cmd, signal syscall.Signal) (release func(), err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, err
	}
	defer func() { _ = read.Close() }()
	watcher := exec.Command("/bin/sh", "-c", fmt.Sprintf("cat >/dev/null; kill -%d %d 2>/dev/null", int(signal), cmd.Process.Pid))
	watcher.Stdin = read
	watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := watcher.Start(); err != nil {
		_ = write.Close()
		_ = cmd.Process.Kill()
		return nil, err
	}
	return func() {
		_ = syscall.Kill(-watcher.Process.Pid, syscall.SIGKILL) // before the pipe closes: the pid may be somebody else's by now
		_ = watcher.Wait()
		_ = write.Close()
	}, nil
}
