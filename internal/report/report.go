// Package report gives results the forms in which people and programs read them: tables as aligned text and as
// Markdown, one JSON object per result, charts, confusion matrices and pages of pictures as SVG, progress of long work,
// and files that are written whole or not at all. It knows no other package of the project: callers bring strings,
// numbers, series and images.
package report
