package config

import (
	"os"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/config/messages"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// TLS is what an SSLConfig holds, of --ssl_config_file: PEM texts.
type TLS struct {
	Key, Certificate, ClientCA []byte
	Verify                     bool // clients need certificates
}

// ReadTLS reads the text of an SSLConfig from a file.
func ReadTLS(name string) (TLS, error) {
	m := new(messages.SSLConfig)
	if err := text(name, m); err != nil {
		return TLS{}, err
	}
	return TLS{[]byte(m.GetServerKey()), []byte(m.GetServerCert()), []byte(m.GetCustomCa()), m.GetClientVerify()}, nil
}

// ReadMonitoring reads the text of a MonitoringConfig, of --monitoring_config_file: the
// path at which metrics are wanted, "" if they are not.
func ReadMonitoring(name string) (path string, err error) {
	m := new(messages.MonitoringConfig)
	if err := text(name, m); err != nil {
		return "", err
	}
	p := m.GetPrometheusConfig()
	switch {
	case !p.GetEnable():
		return "", nil
	case p.GetPath() == "":
		return "/monitoring/prometheus/metrics", nil
	case p.GetPath()[0] != '/':
		return "", status.Invalid("%s: the path %q does not begin with /", name, p.GetPath())
	}
	return p.GetPath(), nil
}

func text(name string, m proto.Message) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return status.From(err)
	}
	if err := wire.UnmarshalText(prototext.UnmarshalOptions{}, b, m); err != nil {
		return status.Invalid("%s: %v", name, err)
	}
	return nil
}
