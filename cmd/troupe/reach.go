package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strings"
)

// readToken reads the token that a flag's file holds; "" without a file.
func readToken(flag, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--%s: %w", flag, err)
	}
	token := strings.TrimSpace(string(b))
	if token == "" {
		return "", fmt.Errorf("--%s %s is empty", flag, file)
	}
	return token, nil
}

// readPair reads a certificate and its key, both PEM; flag names the certificate's file.
func readPair(flag, cert, key string) ([]tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return []tls.Certificate{pair}, nil
}

// readAuthorities reads the certificates of a flag's file, PEM, that sign others.
func readAuthorities(flag, file string) (*x509.CertPool, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		return nil, fmt.Errorf("--%s %s has no certificate in PEM", flag, file)
	}
	return pool, nil
}

// listen listens at an address, of this machine if it has no host.
func listen(address string) (net.Listener, error) {
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, failure{err}
	}
	return l, nil
}

// loopback reports whether only this machine reaches what listens at an address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "" || host == "localhost" || ip != nil && ip.IsLoopback())
}
