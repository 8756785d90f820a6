//go:build race

package transcript_test

// raceDetector tells that this build is about ten times slower.
const raceDetector = true
