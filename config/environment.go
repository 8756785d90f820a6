package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/joho/godotenv"
)

// Environment returns the lookup of the process's environment. Behind it is a .env file, beside the binary or
// else in the working folder: what the environment sets wins. Its error is a *Problems.
func Environment() (func(string) string, error) {
	file, err := readDotEnv(binaryDir(), ".")
	if err != nil {
		return nil, err
	}
	return func(name string) string {
		if value, ok := os.LookupEnv(name); ok {
			return value
		}
		return file[name]
	}, nil
}

// readDotEnv reads the .env file of the first folder that has one.
func readDotEnv(folders ...string) (map[string]string, error) {
	for _, folder := range folders {
		path := filepath.Join(folder, ".env")
		values, err := godotenv.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			// The parser's message repeats the line, which may contain a secret.
			return nil, Invalid(path, "is not a list of NAME=value lines")
		}
		return values, nil
	}
	return nil, nil
}

func binaryDir() string {
	path, err := os.Executable()
	if err != nil {
		return "."
	}
	return filepath.Dir(path)
}
