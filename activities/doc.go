// Package activities is everything that touches the world on behalf of a workflow: it reads and writes the database and asks models.
//
// Activities run at least once: each one's comment names what makes it safe to repeat. What they take and return holds ids, counts and enums only,
// and their errors hold no transcript text, since Temporal keeps both. Whether an error is retried is decided in errors.go alone.
package activities
