//go:build !linux

package dev

// memoryFolder returns "": there is no folder whose files are in memory.
func memoryFolder() string { return "" }
