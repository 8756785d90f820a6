package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// packed are the files and folders of the repository that an archive contains beside the binary.
var packed = []string{"README.md", changelogFile, ".env.example", "docs"}

// writeArchive writes a compressed tar file. What could differ between two builds, times and owners, is
// fixed.
func (b build) writeArchive(w io.Writer, binary string) error {
	compressed := gzip.NewWriter(w)
	archive := tar.NewWriter(compressed)
	err := b.add(archive, binary, "research", 0o755)
	for _, root := range packed {
		if err != nil {
			break
		}
		err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			return b.add(archive, file, filepath.ToSlash(file), 0o644)
		})
	}
	return errors.Join(err, archive.Close(), compressed.Close())
}

// add adds a file under a name in the archive's only folder.
func (b build) add(archive *tar.Writer, file, name string, mode int64) error {
	source, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg,
		Name:     path.Join(b.name(), name),
		Mode:     mode,
		Size:     info.Size(),
		ModTime:  b.date,
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, source)
	return err
}
