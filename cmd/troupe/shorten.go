package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// shortened returns a writer that cuts the long names of a table on a terminal, and w itself
// elsewhere.
func shortened(w io.Writer) io.Writer {
	if width, _ := terminalSize(w); width >= 20 {
		return &shortener{w: w, width: width}
	}
	return w
}

// A shortener fits lines into a width. A line that is longer loses the function of its name,
// then what the name begins with: its last parts and the columns in front of it are kept.
type shortener struct {
	w     io.Writer
	width int
	begun []byte // a line that has not ended
}

func (s *shortener) Write(b []byte) (int, error) {
	s.begun = append(s.begun, b...)
	end := bytes.LastIndexByte(s.begun, '\n') + 1
	var out strings.Builder
	for line := range strings.Lines(string(s.begun[:end])) {
		out.WriteString(shorten(strings.TrimSuffix(line, "\n"), s.width) + "\n")
	}
	s.begun = append(s.begun[:0], s.begun[end:]...)
	if _, err := io.WriteString(s.w, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

func shorten(line string, width int) string {
	if runewidth.StringWidth(line) <= width {
		return line
	}
	name := strings.LastIndex(line, "  ") + 2
	if name < 2 {
		return line // a sentence
	}
	columns, rest := line[:name], line[name:]
	rest, _, _ = strings.Cut(rest, " of function ")
	room := width - runewidth.StringWidth(columns)
	if over := runewidth.StringWidth(rest) - room; over > 0 && room > 1 {
		rest = runewidth.TruncateLeft(rest, over+1, "…")
	}
	return columns + rest
}
