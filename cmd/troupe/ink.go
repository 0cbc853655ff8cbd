package main

import (
	"cmp"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/sorted"
)

// Styles of text on a terminal, as parameters of its escape sequences, by what they mean.
const (
	inkBold  = "1"
	inkFaint = "2"
	inkGood  = "32"
	inkBad   = "31"
	inkHot   = "33"
	inkCalm  = "36"
)

// coloured reports whether what is written is for a terminal with colours, and someone who
// wants them: https://no-color.org.
func coloured(w io.Writer) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// terminalSize returns the size of the terminal that is written to, or 0.
func terminalSize(w io.Writer) (width, height int) {
	if file, ok := raw(w).(*os.File); ok {
		if w, h, err := term.GetSize(int(file.Fd())); err == nil {
			return w, h
		}
	}
	return 0, 0
}

// An ink writes the description of a graph on a terminal: with colours by what the words of
// a line are, and lines that are too long continued below, further in.
type ink struct {
	w      io.Writer // raw
	width  int
	colour bool
	begun  []byte // a line that has not ended
}

// paint has what a command prints go through an ink, if it prints on a terminal. What it
// returns is called at the end.
func paint(cmd *cobra.Command) (end func()) {
	out := cmd.OutOrStdout()
	width, _ := terminalSize(out)
	if !isTerminal(out) || width < 20 {
		return func() {}
	}
	k := &ink{w: raw(out), width: width, colour: coloured(out)}
	cmd.SetOut(k)
	return func() {
		if len(k.begun) > 0 {
			k.Write([]byte("\n"))
		}
		cmd.SetOut(out)
	}
}

func (k *ink) Write(b []byte) (int, error) {
	k.begun = append(k.begun, b...)
	end := slices.Index(k.begun, '\n')
	if end < 0 {
		return len(b), nil
	}
	var text strings.Builder
	for ; end >= 0; end = slices.Index(k.begun, '\n') {
		text.WriteString(k.line(string(k.begun[:end])))
		k.begun = k.begun[end+1:]
	}
	_, err := io.WriteString(k.w, text.String())
	return len(b), err
}

// A span is a part of a line in a style.
type span struct {
	from, to int
	style    string
}

var (
	inkFrame   = regexp.MustCompile(`^(?:│ )*(?:┌─.*|└─)$`)
	inkScope   = regexp.MustCompile(`^(?:│ )* *(\S+/)$`)
	inkHead    = regexp.MustCompile(`^(?:  )*[A-Z]{2,}(?: +[A-Z]{2,})+$|^function .*:|^serving_.*:?$|^step \d+$`)
	inkMargin  = regexp.MustCompile(`^[│ ]+`)
	inkNode    = regexp.MustCompile(` = ([A-Za-z]\w*)\([^)]*\)`)
	inkComment = regexp.MustCompile(`  # .*$`)
	inkDevice  = regexp.MustCompile(` @ \S+$`)
	inkControl = regexp.MustCompile(`\^[^,)\s]+`)
)

// spans returns the parts of a line that have a style, in their order.
func spans(line string) (all []span) {
	whole := func(style string) []span { return []span{{0, len(line), style}} }
	switch {
	case inkFrame.MatchString(line):
		return whole(inkHot)
	case inkHead.MatchString(line), inkScope.MatchString(line):
		all = whole(inkBold)
	default:
		end := len(line)
		if at := inkComment.FindStringIndex(line); at != nil {
			end = at[0]
			all = append(all, span{at[0], at[1], inkFaint})
		}
		if at := inkNode.FindStringSubmatchIndex(line[:end]); at != nil {
			all = append(all, span{at[2], at[3], inkCalm})
			for _, c := range inkControl.FindAllStringIndex(line[at[3]:at[1]], -1) {
				all = append(all, span{at[3] + c[0], at[3] + c[1], inkFaint})
			}
			values := at[1]
			if at := inkDevice.FindStringIndex(line[values:end]); at != nil {
				all = append(all, span{values + at[0], values + at[1], inkFaint})
				end = values + at[0]
			}
			if values < end {
				all = append(all, span{values, end, inkGood})
			}
		}
	}
	if margin := inkMargin.FindString(line); strings.Contains(margin, "│") {
		for i := range all {
			all[i].from = max(all[i].from, len(margin))
		}
		all = append(all, span{0, len(margin), inkHot})
	}
	sorted.By(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return all
}

// line returns a line as the terminal shows it, with its end.
func (k *ink) line(text string) string {
	deep := len(text) - len(strings.TrimLeft(text, "\t"))
	text = strings.Repeat("  ", deep) + strings.ReplaceAll(text[deep:], "\t", "  ")
	text = plain.Line(strings.TrimSuffix(text, "\r"))
	all := spans(text)
	if !k.colour {
		all = nil
	}
	margin := inkMargin.FindString(text)
	for runewidth.StringWidth(margin) > k.width/2 {
		_, last := utf8.DecodeLastRuneInString(margin)
		margin = margin[:len(margin)-last]
	}
	var b strings.Builder
	for at, row := 0, 0; ; row++ {
		room := k.width
		if row > 0 {
			more := margin + "    "
			if k.colour && strings.Contains(margin, "│") {
				b.WriteString("\x1b[" + inkHot + "m" + more + "\x1b[0m")
			} else {
				b.WriteString(more)
			}
			room -= runewidth.StringWidth(more)
		}
		end := fold(text[at:], room) + at
		styled(&b, text, at, end, all)
		b.WriteByte('\n')
		if at = end; at >= len(text) {
			return b.String()
		}
	}
}

// fold returns how many bytes of a text stand in a row: up to a space if there is one
// behind its first half.
func fold(text string, room int) int {
	width, space := 0, 0
	for i, r := range text {
		if width += runewidth.RuneWidth(r); width > room && i > 0 {
			if space > 0 {
				return space
			}
			return i
		}
		if r == ' ' && width > room/2 && width < room {
			space = i + 1
		}
	}
	return len(text)
}

// styled writes a part of a line with the styles of its spans.
func styled(b *strings.Builder, text string, from, to int, all []span) {
	at := from
	for _, s := range all {
		begin, end := max(at, s.from), min(to, s.to)
		if begin >= end {
			continue
		}
		b.WriteString(text[at:begin])
		b.WriteString("\x1b[" + s.style + "m" + text[begin:end] + "\x1b[0m")
		at = end
	}
	b.WriteString(text[at:to])
}
