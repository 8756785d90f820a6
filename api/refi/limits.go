package refi

// What an export has at most. A project that has more is refused: a part of it would look like all of it.
const (
	maxRows   = 10_000  // themes, hypotheses, people, imports, comments, questions or users
	maxQuotes = 100_000 // of all interviews
)

// maxFile is the size of the largest file that is imported. Its media are not unpacked.
const maxFile = 32 << 20

// maxListed is how much of each list a response has. skippedCount counts all.
const maxListed = 1000

// few returns rows if there are not too many of them.
func few[T any](rows []T, err error) ([]T, error) {
	if err == nil && len(rows) > maxRows {
		err = errProjectTooLarge
	}
	return rows, err
}
