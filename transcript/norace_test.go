//go:build !race

package transcript_test

const raceDetector = false
