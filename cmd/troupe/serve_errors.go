package main

import (
	"bytes"
	"log"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/plain"
)

// errorLog returns the log of an HTTP server: of connections that failed, as in the
// handshake of TLS, and handlers that panicked. Clients decide about parts of the text.
func errorLog(to *zerolog.Logger) *log.Logger { return log.New(httpErrors{to}, "", 0) }

type httpErrors struct{ to *zerolog.Logger }

func (e httpErrors) Write(line []byte) (int, error) {
	e.to.Warn().Str("error", plain.Line(string(bytes.TrimRight(line, "\n")))).Msg("HTTP connection failed")
	return len(line), nil
}
