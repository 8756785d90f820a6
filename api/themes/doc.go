// Package themes has themes proposed for projects: POST /api/project/{projectId}/themes/propose, with an
// estimate before, and a way to cancel. The themes themselves are rows that clients read and write through
// the data API.
package themes
