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

// An account is the user that PostgreSQL runs as. PostgreSQL refuses to run as root, so root uses another
// one.
type account struct {
	uid, gid int
	other    bool // differs from the user we are
}

// nobody is the id of the user that Linux calls nobody, even where it has no name.
const nobody = 65534

// postgresAccount is our own user or, where we are root, postgres or nobody.
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
	return account{uid: nobody, gid: nobody, other: true}
}

// runAs makes a command run as the account.
func (a account) runAs(cmd *exec.Cmd) {
	cmd.Dir = "/" // the account may have no access to our working folder
	if a.other {
		credential := &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	}
}

// chown makes the account the owner of a file or folder.
func (a account) chown(path string) error {
	if !a.other {
		return nil
	}
	return os.Chown(path, a.uid, a.gid)
}

// reaches reports whether the account may pass every folder on the way to path, and enter path where it is a
// folder.
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
		if info.Mode().Perm()&a.executeBit(info) == 0 {
			return false
		}
		parent := filepath.Dir(path)
		if parent == path {
			return true
		}
		path = parent
	}
}

// executeBit is the permission that lets the account enter a folder: the owner's, the group's or the others'.
func (a account) executeBit(info fs.FileInfo) fs.FileMode {
	const owner, group, others = 0o100, 0o010, 0o001
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case ok && int(stat.Uid) == a.uid:
		return owner
	case ok && int(stat.Gid) == a.gid:
		return group
	default:
		return others
	}
}

// fallbackDir contains the clusters of root if the account cannot reach the state folder, such as one below
// /root.
const fallbackDir = "/var/lib/research-dev"

// clusterFolder makes the folder for the cluster of a state folder, which the account owns. It is in the
// state folder or, if the account cannot reach that, in fallbackDir, with a link from the state folder.
func (a account) clusterFolder(ctx context.Context, stateDir string) (string, error) {
	path := filepath.Join(stateDir, "postgres")
	if a.reaches(stateDir) {
		return path, a.ownFolder(path)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil && a.reaches(target) {
		return target, nil
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink == 0 {
		return "", fmt.Errorf("PostgreSQL cannot run as root, and user %d cannot reach %s: "+
			"choose another folder with STATE_DIR", a.uid, path)
	}
	if err := os.MkdirAll(fallbackDir, 0o711); err != nil {
		return "", err
	}
	removeOrphanedClusters(ctx)
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	target := filepath.Join(fallbackDir, hex.EncodeToString(b))
	if err := a.ownFolder(target); err != nil {
		return "", err
	}
	_ = os.Remove(path) // a link whose target was removed
	if err := os.Symlink(target, path); err != nil {
		return "", err
	}
	return target, os.WriteFile(target+linkSuffix, []byte(path), 0o600)
}

// linkSuffix ends the name of the file beside a cluster in fallbackDir that has the path of the link to it.
const linkSuffix = ".of"

// removeOrphanedClusters removes the clusters in fallbackDir whose state folder was removed.
func removeOrphanedClusters(ctx context.Context) {
	files, _ := filepath.Glob(filepath.Join(fallbackDir, "*"+linkSuffix)) // the pattern is well-formed
	for _, file := range files {
		link, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		cluster := strings.TrimSuffix(file, linkSuffix)
		if target, err := os.Readlink(string(link)); err == nil && target == cluster {
			continue
		}
		if removeStalePidFile(ctx, filepath.Join(cluster, "data")) != nil {
			continue // it still runs
		}
		if os.RemoveAll(cluster) == nil {
			_ = os.Remove(file)
		}
	}
}

// ownFolder makes a folder that only the account may enter, unless it exists.
func (a account) ownFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return a.chown(path)
}

// temporaryFolder makes a folder for one run, in a place that the account reaches: in TMPDIR, or else in
// memory if there is enough, or else on a disk.
func (a account) temporaryFolder(pattern string) (string, error) {
	bases := []string{os.TempDir(), "/tmp", "/var/tmp"}
	if os.Getenv("TMPDIR") == "" {
		bases = append([]string{memoryFolder()}, bases...)
	}
	for _, base := range bases {
		if base == "" || !a.reaches(base) {
			continue
		}
		dir, err := os.MkdirTemp(base, pattern)
		if err != nil {
			return "", err
		}
		return dir, os.Chmod(dir, 0o711) // the account may pass it
	}
	return "", fmt.Errorf("PostgreSQL cannot run as root, and user %d cannot reach %s: "+
		"choose another temporary folder with TMPDIR", a.uid, os.TempDir())
}
