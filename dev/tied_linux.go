package dev

import (
	"os/exec"
	"runtime"
	"syscall"
)

// startTied starts a command such that the kernel sends it the signal when we die. The kernel does so when
// the thread that started it ends, so that thread is kept until release is called
// (https://github.com/golang/go/issues/27505).
func startTied(cmd *exec.Cmd, signal syscall.Signal) (release func(), err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = signal
	started := make(chan error)
	released := make(chan struct{})
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with the goroutine
		started <- cmd.Start()
		<-released
	}()
	if err := <-started; err != nil {
		close(released)
		return nil, err
	}
	return func() { close(released) }, nil
}
