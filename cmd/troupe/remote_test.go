package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// addresses returns the addresses of the model that a server serves.
func addresses(t *testing.T, printed []string, model string) []string {
	t.Helper()
	var all []string
	for _, line := range printed {
		if at := address.FindString(line); at != "" && !strings.HasPrefix(line, "page") {
			all = append(all, at+"/v1/models/"+model, at+"/v2/models/"+model)
		}
		if at, ok := strings.CutPrefix(line, "serving gRPC at "); ok {
			all = append(all, "grpc://"+at+"/"+model)
		}
	}
	if len(all) != 3 {
		t.Fatalf("%q", printed)
	}
	return all
}

// TestRunRemote: a model at an address is run as one in a folder.
func TestRunRemote(t *testing.T) {
	t.Setenv("HTTP_PROXY", "")
	const digits, image = "../../examples/serve/digits", "image=@../../examples/serve/two.png"
	printed, _ := served(t, digits, "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--quiet")
	for _, flags := range [][]string{
		{"--feed", image},
		{"--feed", "image=@../../examples/serve/two.npy", "--format", "json"},
		{"--feed", image, "--fetch", "output_0", "--signature", "serve"},
		{"--feed", "imag=1"},
		{"--feed", image, "--signature", "serve", "--fetch", "output"},
		{"--feed", image, "--format", "csv"},
		{"--feed", "image"},
		{"--feed", "image=@none.npy"},
		{"--feed", image, "--feed", image},
	} {
		want := command(t, append([]string{"run", digits}, flags...)...)
		for _, at := range addresses(t, printed, "digits") {
			if got := command(t, append([]string{"run", at}, flags...)...); got != want {
				t.Errorf("%s %v:\n%s\nwant\n%s", at, flags, got, want)
			}
		}
	}
	at := addresses(t, printed, "digits")[0]
	body, err := os.ReadFile("../../examples/serve/two.json") // of docs/serve.md
	if err != nil {
		t.Fatal(err)
	}
	if got := fetch(t, at+":predict", string(body)); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, ", 0.999994") {
		t.Error(got)
	}
	for line, want := range map[string]string{
		"run " + at + " --engine tokens":                             "--engine needs a MODEL in a file or folder",
		"run " + at + " --record x.html":                             "--record needs a MODEL in a file or folder",
		"run " + digits + " --ca x":                                  "--ca needs a MODEL at an address",
		"show " + digits + " --token-file x":                         "--token-file needs a MODEL at an address",
		"show " + at + " --nodes":                                    "--nodes needs a MODEL in a file or folder",
		"run " + at + " --feed " + image + " --signature serv":       `no signature "serv" (did you mean 'serve' or`,
		"run " + at + " --token-file none":                           "--token-file",
		"run " + at + " --ca none":                                   "--ca",
		"run " + at + " --tls-cert x":                                "need each other",
		"run " + strings.TrimSuffix(at, "digits"):                    "the server has digits",
		"run " + at + "s":                                            "did you mean 'digits'?",
		"run " + at + " --feed " + image + " --timeout 1ns":          "DEADLINE_EXCEEDED",
		"run " + strings.Replace(at, "http://", "grpc://", 1):        "the path is no model's",
		"run http://127.0.0.1:1/v1/models/digits":                    "UNAVAILABLE",
		"run " + at + " --stats --feed " + image:                     "! " + at + ":",
		"check " + at:                                                "run, show and generate take one",
		"show " + at:                                                 "    output  output_0  float [?, 10]       StatefulPartitionedCall_1:0\n",
		"show " + at + " --signature serve":                          "model digits: 1 signature\n  serve  tensorflow/serving/predict\n",
		"show " + strings.Replace(at, "/v1/", "/v2/", 1):             "    input   image     float [?, 8, 8, 1]",
		"show " + strings.Replace(at, "/v1/models/digits", "/v1", 1): "the server has digits",
	} {
		if got := command(t, strings.Fields(line)...); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// certificate writes a certificate for 127.0.0.1, which has signed itself, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestRunRemoteSecurely: mutual TLS and a token, over every protocol.
func TestRunRemoteSecurely(t *testing.T) {
	cert, key := certificate(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	printed, _ := served(t, "../../examples/serve/digits", "--rest", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--quiet",
		"--tls-cert", cert, "--tls-key", key, "--client-ca", cert, "--token-file", token)
	for i, line := range printed { // the pattern of addresses is that of http
		printed[i] = strings.Replace(line, "https://", "http://", 1)
	}
	for _, at := range addresses(t, printed, "digits") {
		at = strings.NewReplacer("http://", "https://", "grpc://", "grpcs://").Replace(at)
		run := func(flags ...string) string {
			return command(t, append([]string{"run", at, "--feed", "image=@../../examples/serve/two.png"}, flags...)...)
		}
		if got := run("--ca", cert, "--tls-cert", cert, "--tls-key", key, "--token-file", token); !strings.HasPrefix(got, "output_0 =\n") {
			t.Errorf("%s: %s", at, got)
		}
		if got := run("--ca", cert, "--tls-cert", cert, "--tls-key", key); !strings.Contains(got, "UNAUTHENTICATED") {
			t.Errorf("%s: %s", at, got)
		}
		if got := run("--ca", cert, "--token-file", token); !strings.Contains(got, "UNAVAILABLE") {
			t.Errorf("%s: %s", at, got)
		}
		if got := run("--tls-cert", cert, "--tls-key", key, "--token-file", token); !strings.Contains(got, "UNAVAILABLE") || !strings.Contains(got, "certificate") {
			t.Errorf("%s: %s", at, got)
		}
	}
}
