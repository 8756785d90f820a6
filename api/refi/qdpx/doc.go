// Package qdpx writes and reads the files of REFI-QDA, in which programs for qualitative analysis exchange
// projects (.qdpx) and codebooks (.qdc).
//
// A .qdpx is a zip with the description of the project in project.qde, and the sources in the folder Sources.
// A .qdc is a codebook alone. Both are XML; testdata has the schemas of 18 March 2019, which REFI publishes
// (www.qdasoftware.org).
//
// What is written follows the schemas to the letter. What is read may have the habits of NVivo, MAXQDA,
// ATLAS.ti and others: guids in braces, paths in any case, positions in units of their own.
package qdpx
