package ptx

import "fmt"

// A lexer cuts a module into tokens: words, which may have dots, percent and dollar
// signs inside, numbers, strings and single characters.
type lexer struct {
	text string
	at   int
	line int
	tok  string // the present token; empty at the end
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

// next goes to the next token.
func (x *lexer) next() {
	for x.at < len(x.text) {
		switch c := x.text[x.at]; {
		case c == '\n':
			x.line++
			x.at++
		case c == ' ' || c == '\t' || c == '\r':
			x.at++
		case c == '/' && x.at+1 < len(x.text) && x.text[x.at+1] == '/':
			for x.at < len(x.text) && x.text[x.at] != '\n' {
				x.at++
			}
		case c == '/' && x.at+1 < len(x.text) && x.text[x.at+1] == '*':
			for x.at += 2; x.at < len(x.text) && !(x.text[x.at-1] == '*' && x.text[x.at] == '/'); x.at++ {
				if x.text[x.at] == '\n' {
					x.line++
				}
			}
			x.at++
		default:
			from := x.at
			x.at++
			switch {
			case isWord(c):
				for x.at < len(x.text) && isWord(x.text[x.at]) {
					x.at++
				}
			case c == '"':
				for x.at < len(x.text) && x.text[x.at] != '"' {
					x.at++
				}
				x.at = min(x.at+1, len(x.text))
			}
			x.tok = x.text[from:x.at]
			return
		}
	}
	x.tok = ""
}

// take returns the present token and goes to the next.
func (x *lexer) take() string {
	t := x.tok
	x.next()
	return t
}

// accept goes on if the present token is t.
func (x *lexer) accept(t string) bool {
	if x.tok != t {
		return false
	}
	x.next()
	return true
}

// A syntaxError ends parsing.
type syntaxError struct{ error }

func (x *lexer) fail(format string, args ...any) {
	panic(syntaxError{fmt.Errorf("ptx: line %d: %s", x.line+1, fmt.Sprintf(format, args...))})
}

func (x *lexer) expect(t string) {
	if !x.accept(t) {
		x.fail("%q where %q is expected", x.tok, t)
	}
}
