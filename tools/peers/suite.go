package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A result is that of one test.
type result struct {
	FullName string   `json:"fullName"`
	Status   string   `json:"status"` // passed, failed, pending or todo
	Messages []string `json:"failureMessages"`
}

// run copies the suite, starts the service for it, and runs it.
func (s suite) run(ctx context.Context, checkout, folder string) ([]result, error) {
	root, err := copySuite(checkout, folder, s.name)
	if err != nil {
		return nil, err
	}
	if len(s.prepare) > 0 {
		if err := command(ctx, root, s.prepare...); err != nil {
			return nil, err
		}
	}
	fixtures := make([]string, len(s.fixtures))
	for i, file := range s.fixtures {
		fixtures[i] = filepath.Join(root, file)
	}
	stop, err := startService(ctx, s.name, s.settings, fixtures)
	if err != nil {
		return nil, err
	}
	defer stop()
	return s.test(ctx, root, folder)
}

// test runs jest, which exits with 1 if a test fails.
func (s suite) test(ctx context.Context, root, folder string) ([]result, error) {
	report := filepath.Join(folder, s.name+".json")
	if err := os.Remove(report); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	jest := append([]string{
		filepath.Join(folder, "node_modules/.bin/jest"), "--ci", "--runInBand", "--coverage=false", "--silent",
		"--json", "--outputFile", report,
	}, s.args...)
	failed := command(ctx, root, jest...)
	raw, err := os.ReadFile(report)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	var run struct {
		TestResults []struct {
			Name             string   `json:"name"`
			Message          string   `json:"message"`
			AssertionResults []result `json:"assertionResults"`
		} `json:"testResults"`
	}
	if err := json.Unmarshal(raw, &run); err != nil {
		return nil, fmt.Errorf("jest's report: %w", err)
	}
	var results []result
	for _, file := range run.TestResults {
		if len(file.AssertionResults) == 0 { // it does not compile, or has an empty name
			return nil, fmt.Errorf("%s did not run: %.2000s", filepath.Base(file.Name), file.Message)
		}
		results = append(results, file.AssertionResults...)
	}
	return results, nil
}

// copySuite copies a suite of the checkout, since tests write files, and returns its folder.
func copySuite(checkout, folder, name string) (string, error) {
	target := filepath.Join(folder, "checkout")
	root := filepath.Join(target, "packages/core", name)
	if err := os.RemoveAll(root); err != nil {
		return "", err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", err
	}
	if err := os.CopyFS(root, os.DirFS(filepath.Join(checkout, "packages/core", name))); err != nil {
		return "", fmt.Errorf("%s is no checkout of supabase/supabase-js: %w", checkout, err)
	}
	for _, file := range []string{"tsconfig.base.json", "tsconfig.json"} {
		content, err := os.ReadFile(filepath.Join(checkout, file))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(target, file), content, 0o600); err != nil {
			return "", err
		}
	}
	return root, nil
}

// command runs a program in a folder. Its output is in the error.
func command(ctx context.Context, folder string, args ...string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = folder
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.4000s", filepath.Base(args[0]), err, output)
	}
	return nil
}
