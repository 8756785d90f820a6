// Package refi serves the exchange of projects with other programs for qualitative analysis, in the formats
// of REFI-QDA: GET /api/project/{projectId}/refi.qdpx and codebook.qdc, and POST
// /api/project/{projectId}/refi.
//
// Themes and hypotheses are codes, quotes are codings, interviews are sources, people are cases. Package qdpx
// has the formats; docs/refi.md says what becomes of what.
package refi
