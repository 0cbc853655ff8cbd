package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/access"
)

// secrets are the tokens and certificates of a server, which come from files and follow
// them while it runs.
type secrets struct {
	token, cert, key, ca, ssl string // files; "": none
	watch                     time.Duration

	tokens access.Tokens
	config atomic.Pointer[tls.Config]
	last   [][]byte // what the files held when they were read
}

func (s *secrets) add(fl *pflag.FlagSet) {
	fl.StringVar(&s.cert, "tls-cert", "", "serve TLS with the certificate in `FILE` (PEM)")
	fl.StringVar(&s.key, "tls-key", "", "the key of --tls-cert, in `FILE`")
	fl.StringVar(&s.ca, "client-ca", "", "require client certificates signed by one in `FILE`")
	fl.StringVar(&s.token, "token-file", "", "require a token of `FILE`, one a line, as \"authorization: Bearer TOKEN\"")
	fl.DurationVar(&s.watch, "secrets-watch", 10*time.Second, "look whether the files of tokens and certificates have changed every `DURATION`; 0: never")
}

// check finds flags that need others.
func (s *secrets) check() error {
	if (s.cert == "") != (s.key == "") {
		return fmt.Errorf("--tls-cert and --tls-key need each other")
	}
	if s.ca != "" && s.cert == "" {
		return fmt.Errorf("--client-ca needs --tls-cert")
	}
	if s.ssl != "" && s.cert != "" {
		return fmt.Errorf("--ssl_config_file and --tls-cert are given both")
	}
	return nil
}

// known returns what knows an authorization; nil if none is needed.
func (s *secrets) known() func(string) bool {
	if s.token == "" {
		return nil
	}
	return s.tokens.Known
}

// rules returns those of requests, but for their rate.
func (s *secrets) rules() (r access.Rules) {
	if s.token != "" {
		r.Tokens = &s.tokens
	}
	return r
}

// tls returns the configuration of listeners, whose connections begin with what the files
// held last; nil if they are plain.
func (s *secrets) tls() *tls.Config {
	if s.config.Load() == nil {
		return nil
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return s.config.Load(), nil }}
}

// read reads the files. If something is wrong with them, nothing changes.
func (s *secrets) read() error {
	s.last = s.contents() // before they are read again below: what changes meanwhile is seen later
	var tokens []string
	if s.token != "" {
		var err error
		if tokens, err = readTokens("token-file", s.token); err != nil {
			return err
		}
	}
	c, err := s.pair()
	if err != nil {
		return err
	}
	if c != nil {
		s.config.Store(c)
	}
	s.tokens.Set(tokens...)
	return nil
}

// pair reads the certificates; nil: there are none.
func (s *secrets) pair() (c *tls.Config, err error) {
	switch {
	case s.ssl != "":
		if c, err = sslConfig(s.ssl); err != nil {
			return nil, fmt.Errorf("--ssl_config_file: %w", err)
		}
	case s.cert != "":
		c = &tls.Config{MinVersion: tls.VersionTLS12}
		if c.Certificates, err = readPair("tls-cert", s.cert, s.key); err != nil {
			return nil, err
		}
		if s.ca != "" {
			c.ClientAuth = tls.RequireAndVerifyClientCert
			if c.ClientCAs, err = readAuthorities("client-ca", s.ca); err != nil {
				return nil, err
			}
		}
	default:
		return nil, nil
	}
	// A ticket would let a client in whose authority is no longer trusted.
	c.SessionTicketsDisabled = c.ClientAuth != tls.NoClientCert
	return c, nil
}

// contents returns what the files hold.
func (s *secrets) contents() (all [][]byte) {
	for _, name := range []string{s.token, s.cert, s.key, s.ca, s.ssl} {
		var text []byte
		if name != "" {
			var err error
			if text, err = os.ReadFile(name); err != nil {
				text = []byte(err.Error())
			}
		}
		all = append(all, text)
	}
	return all
}

// follow reads the files again when they have changed, until ctx ends. What is wrong with
// them is logged, and the server goes on with what it had.
func (s *secrets) follow(ctx context.Context, tick <-chan time.Time, log *zerolog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		if slices.EqualFunc(s.contents(), s.last, bytes.Equal) {
			continue
		}
		if err := s.read(); err != nil {
			log.Error().Str("error", plain.Line(err.Error())).Msg("tokens and certificates could not be read again; those from before hold")
			continue
		}
		log.Info().Msg("tokens and certificates were read again")
	}
}

// readTokens reads the tokens of a flag's file, one a line.
func readTokens(flag, file string) ([]string, error) {
	text, err := readToken(flag, file)
	if err != nil {
		return nil, err
	}
	var tokens []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			tokens = append(tokens, line)
		}
	}
	return tokens, nil
}
