// Package projects serves /api/project: the guide of a project's next interview, and how a question asks.
//
// What the guide says is decided in package guide, from what the caller may see.
package projects
