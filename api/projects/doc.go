// Package projects serves /api/project: the guide of a project's next interview, how a question asks, and
// words that no hypothesis has foreseen.
//
// What the guide says is decided in package guide, and which words are named in package unforeseen, from what
// the caller may see.
package projects
