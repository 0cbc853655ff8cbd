package session

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// listening returns the addresses at which this process listens.
func listening(t *testing.T) (all []string) {
	t.Helper()
	own := map[string]bool{} // inodes of sockets
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && strings.HasPrefix(to, "socket:[") {
			own[strings.TrimSuffix(to[len("socket:["):], "]")] = true
		}
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		defer f.Close()
		const listens = "0A"
		for lines := bufio.NewScanner(f); lines.Scan(); {
			field := strings.Fields(lines.Text())
			if len(field) < 10 || field[3] != listens || !own[field[9]] {
				continue
			}
			var port int
			if _, err := fmt.Sscanf(field[1][strings.LastIndexByte(field[1], ':')+1:], "%x", &port); err != nil {
				t.Fatal(err)
			}
			host := "127.0.0.1"
			if len(field[1]) > 13 {
				host = "::1"
			}
			all = append(all, net.JoinHostPort(host, fmt.Sprint(port)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// probes are what scanners of ports send, by the service that they look for.
func probes(rng *rand.Rand) map[string][]byte {
	random := make([]byte, 1+rng.IntN(64<<10))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	frame := func(kind, flags byte, stream uint32, payload ...byte) string {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
		b = append(b, flags)
		return string(append(binary.BigEndian.AppendUint32(b, stream), payload...))
	}
	settings := frame(4, 0, 0)
	return map[string][]byte{
		"nothing":            nil,
		"lines":              []byte("\r\n\r\n"),
		"help":               []byte("HELP\r\nQUIT\r\n"),
		"mail":               []byte("EHLO scanner\r\n"),
		"ssh":                []byte("SSH-2.0-scan\r\n"),
		"http":               []byte("GET / HTTP/1.0\r\n\r\n"),
		"http options":       []byte("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"),
		"http post":          []byte("POST /tensorflow.MasterService/RunStep HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"),
		"http upgrade":       []byte("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n"),
		"http long":          []byte("GET /" + strings.Repeat("a", 64<<10)),
		"tls":                {22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3},
		"tls short":          {22, 3, 3, 0, 0},
		"remote desktop":     {3, 0, 0, 19, 14, 224, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0},
		"file shares":        append([]byte{0, 0, 0, 164, 255}, "SMB\x72\x00\x00\x00\x00\x08\x01\x40"...),
		"names":              {0, 30, 0, 6, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 7, 'v', 'e', 'r', 's', 'i', 'o', 'n'},
		"remote procedures":  {128, 0, 0, 40, 114, 254, 29, 19, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 134, 160},
		"database":           {0, 0, 0, 8, 4, 210, 22, 47},
		"key values":         []byte("*1\r\n$4\r\nPING\r\n"),
		"preface":            []byte(preface),
		"settings":           []byte(preface + settings),
		"settings of a byte": []byte(preface + frame(4, 0, 0, 1)),
		"a window of zero":   []byte(preface + settings + frame(8, 0, 0, 0, 0, 0, 0)),
		"headers":            []byte(preface + settings + frame(1, 4, 1, 0x82, 0x86, 0x84)),
		"headers of rubbish": []byte(preface + settings + frame(1, 5, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)),
		"continued for ever": []byte(preface + settings + frame(1, 0, 1, 0x82) + strings.Repeat(frame(9, 0, 1, 0x82), 200)),
		"pings":              []byte(preface + settings + strings.Repeat(frame(6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8), 500)),
		"resets":             []byte(preface + settings + strings.Repeat(frame(3, 0, 1, 0, 0, 0, 8), 200)),
		"a large frame":      append([]byte(preface+settings), 255, 255, 255, 0, 0, 0, 0, 0, 1),
		"zeros":              make([]byte, 64<<10),
		"random":             random,
		"random frames":      append([]byte(preface+settings), random...),
	}
}

// TestScan connects to every port that a server of sessions, its workers and the process of the
// session have opened, as scanners do: sends what other services would understand, and garbage, and
// closes, resets, halves or leaves the connections. Steps over the workers run all the while.
func TestScan(t *testing.T) {
	o, _ := away(t, workerBound)
	_, clients := startCluster(t, o, 1)
	c := clients[0]
	h := c.create(replicated)
	step := func() {
		t.Helper()
		if _, code, e := c.run(h, map[string]float32{"x:0": 5}, nil, "set"); code != 0 {
			t.Fatal(code, e)
		}
		if got, code, e := c.run(h, nil, []string{"v:0"}); code != 0 || got[0] != 5 {
			t.Fatal(got, code, e)
		}
	}
	step()
	ports := listening(t)
	if len(ports) < 5 { // three workers, the server, and the process of its sessions
		t.Fatalf("only %v listen", ports)
	}
	before := runtime.NumGoroutine()
	rng := rand.New(rand.NewPCG(5, 6))
	connections := 0
	for round, began := 0, time.Now(); round == 0 || time.Since(began) < *noise; round++ {
		for _, port := range ports {
			var left []net.Conn
			for name, b := range probes(rng) {
				for way := range 5 {
					conn, err := net.Dial("tcp", port)
					if err != nil {
						t.Fatalf("%s at %s: %v", name, port, err)
					}
					connections++
					conn.SetDeadline(time.Now().Add(10 * time.Second))
					tcp := conn.(*net.TCPConn)
					switch way {
					case 0:
						conn.Write(b)
					case 1:
						conn.Write(b)
						tcp.SetLinger(0) // resets
					case 2: // in pieces, of which the last does not come
						for len(b) > 1 {
							n := 1 + rng.IntN(min(len(b)-1, 4<<10))
							conn.Write(b[:n])
							b = b[n:]
						}
					case 3:
						conn.Write(b)
						tcp.CloseWrite()
						if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
							t.Errorf("%s at %s: what the other end has closed stays open", name, port)
						}
					case 4:
						conn.Write(b)
						left = append(left, conn)
						continue
					}
					conn.Close()
				}
			}
			step()
			for _, conn := range left {
				conn.Close()
			}
		}
		if round%20 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			t.Logf("round %d, %d connections to %d ports: %d goroutines (%d before), %d MB of heap", round, connections, len(ports), runtime.NumGoroutine(), before, m.HeapInuse>>20)
		}
	}
	c.alive()
}
