package dev

import (
	"os/exec"
	"runtime"
	"syscall"
)

// tie starts a command such that the kernel sends it the signal when we die. The kernel means the thread that started it, so that thread is kept until release
// (https://github.com/golang/go/issues/27505).
func tie(cmd *exec.Cmd, signal syscall.Signal) (release func(), err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = signal
	started := make(chan error)
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		started <- cmd.Start()
		<-ended
	}()
	if err := <-started; err != nil {
		close(ended)
		return nil, err
	}
	return func() { close(ended) }, nil
}
