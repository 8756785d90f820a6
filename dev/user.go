package dev

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// An account is the user that PostgreSQL runs as. It refuses to run as root, so that root lends it to another one.
type account struct {
	uid, gid int
	other    bool // than the user we are
}

// postgresAccount is our own user, or where we are root, postgres or nobody.
func postgresAccount() account {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil || uid <= 0 {
			continue
		}
		if gid, err := strconv.Atoi(u.Gid); err == nil {
			return account{uid: uid, gid: gid, other: true}
		}
	}
	return account{uid: 65534, gid: 65534, other: true} // what Linux calls nobody, named or not
}

// lend makes a command run as the account.
func (a account) lend(cmd *exec.Cmd) {
	cmd.Dir = "/" // our own working folder may be closed to it
	if a.other {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}}
	}
}

// give makes the account the owner of a file or folder.
func (a account) give(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// reaches tells whether the account may pass every folder on the way to path, and enter path itself where it is one.
func (a account) reaches(path string) bool {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	for {
		info, err := os.Stat(path)
		if err != nil {
			return false
		}
		bit := fs.FileMode(0o001)
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			switch {
			case int(stat.Uid) == a.uid:
				bit = 0o100
			case int(stat.Gid) == a.gid:
				bit = 0o010
			}
		}
		if info.Mode().Perm()&bit == 0 {
			return false
		}
		parent := filepath.Dir(path)
		if parent == path {
			return true
		}
		path = parent
	}
}

// homeless is where root's clusters live whose state folder the account cannot reach, as below /root.
const homeless = "/var/lib/research-dev"

// clusterFolder is where the cluster of a state folder is: in it, or where the account cannot reach that, elsewhere behind a link in it. The folder's owner is the
// account.
func (a account) clusterFolder(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "postgres")
	if a.reaches(dir) {
		return path, a.ownFolder(path)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil && a.reaches(target) {
		return target, nil
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return "", fmt.Errorf("PostgreSQL may not run as root, and user %d cannot reach %s: choose another folder by STATE_DIR", a.uid, path)
	}
	if err := os.MkdirAll(homeless, 0o711); err != nil {
		return "", err
	}
	sweepHomeless(ctx)
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	target := filepath.Join(homeless, hex.EncodeToString(b))
	if err := a.ownFolder(target); err != nil {
		return "", err
	}
	_ = os.Remove(path) // a link whose target is gone
	if err := os.Symlink(target, path); err != nil {
		return "", err
	}
	return target, os.WriteFile(target+".of", []byte(path), 0o600)
}

// sweepHomeless removes the clusters whose state folder is gone.
func sweepHomeless(ctx context.Context) {
	owners, _ := filepath.Glob(filepath.Join(homeless, "*.of")) // the pattern is well-formed
	for _, owner := range owners {
		link, err := os.ReadFile(owner)
		if err != nil {
			continue
		}
		target := strings.TrimSuffix(owner, ".of")
		if now, err := os.Readlink(string(link)); err == nil && now == target {
			continue
		}
		if dropStalePid(ctx, filepath.Join(target, "data")) != nil {
			continue // it still runs
		}
		if os.RemoveAll(target) == nil {
			_ = os.Remove(owner)
		}
	}
}

func (a account) ownFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return a.give(path)
}

// temporaryFolder makes a folder for one run in a place that the account reaches.
func (a account) temporaryFolder(pattern string) (string, error) {
	for _, base := range []string{os.TempDir(), "/tmp", "/var/tmp"} {
		if !a.reaches(base) {
			continue
		}
		dir, err := os.MkdirTemp(base, pattern)
		if err != nil {
			return "", err
		}
		return dir, os.Chmod(dir, 0o711) // the account passes; only what it owns is open to it
	}
	return "", fmt.Errorf("PostgreSQL may not run as root, and user %d cannot reach %s: choose another temporary folder by TMPDIR", a.uid, os.TempDir())
}
