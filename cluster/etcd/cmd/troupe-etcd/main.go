// Command troupe-etcd announces workers of a cluster in etcd, and lists those that are there:
//
//	troupe-etcd announce 10.0.0.2:2222 --endpoints 10.0.0.9:2379 -- troupe worker --listen 10.0.0.2:2222
//	troupe cluster discover $(troupe-etcd list --endpoints 10.0.0.9:2379) --tasks ps=1,worker=2
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/troupe-go/troupe/cluster/etcd"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command().ExecuteContext(ctx)
	stop()
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended) && ended.Exited():
		os.Exit(ended.ExitCode())
	case err != nil:
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{Use: "troupe-etcd", Short: "Workers of a cluster, in etcd", SilenceUsage: true}
	root.AddCommand(announceCommand(), listCommand())
	return root
}

// A server is how etcd is reached.
type server struct {
	endpoints     []string
	prefix        string
	ca, cert, key string
}

func (s *server) add(fl *pflag.FlagSet) {
	fl.StringSliceVar(&s.endpoints, "endpoints", []string{"127.0.0.1:2379"}, "addresses of etcd")
	fl.StringVar(&s.prefix, "prefix", etcd.DefaultPrefix, "where in etcd the addresses are")
	fl.StringVar(&s.ca, "ca", "", "use TLS, and trust the authorities of this `FILE`")
	fl.StringVar(&s.cert, "cert", "", "the certificate in this `FILE` is this client's")
	fl.StringVar(&s.key, "key", "", "the key of --cert, a `FILE`")
}

func (s *server) open() (*clientv3.Client, error) {
	c := clientv3.Config{Endpoints: s.endpoints, Logger: zap.NewNop(), DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: 5 * time.Second}
	if s.ca != "" || s.cert != "" || s.key != "" {
		c.TLS = &tls.Config{}
	}
	if s.ca != "" {
		pem, err := os.ReadFile(s.ca)
		if err != nil {
			return nil, err
		}
		c.TLS.RootCAs = x509.NewCertPool()
		if !c.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("--ca %s has no certificate", s.ca)
		}
	}
	if s.cert != "" || s.key != "" {
		own, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return nil, fmt.Errorf("--cert and --key: %w", err)
		}
		c.TLS.Certificates = []tls.Certificate{own}
	}
	return clientv3.New(c)
}

func announceCommand() *cobra.Command {
	var s server
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:   "announce HOST:PORT [-- COMMAND ARGUMENT...]",
		Short: "Announce a worker",
		Long: `Announce writes a worker's address to etcd and keeps it there until it is interrupted, or as
long as a command runs that it starts; then the address is removed. If this process is killed,
the address stays for --ttl. While etcd cannot be reached the command runs on.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.open()
			if err != nil {
				return err
			}
			defer c.Close()
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			announced := make(chan error, 1)
			go func() {
				announced <- etcd.Announce(ctx, c, s.prefix, args[0], ttl, func(err error) {
					if err != nil {
						fmt.Fprintln(cmd.ErrOrStderr(), err)
					} else {
						fmt.Fprintf(cmd.ErrOrStderr(), "%s is announced\n", args[0])
					}
				})
			}()
			if len(args) == 1 {
				return <-announced
			}
			worker := exec.CommandContext(cmd.Context(), args[1], args[2:]...)
			worker.Stdin, worker.Stdout, worker.Stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			worker.Cancel = func() error { return worker.Process.Signal(syscall.SIGTERM) } // it drains
			ended := make(chan error, 1)
			if err := worker.Start(); err != nil {
				return err
			}
			go func() {
				err := worker.Wait()
				if errors.Is(err, context.Canceled) { // it was interrupted, and ended well
					err = nil
				}
				ended <- err
			}()
			select {
			case err = <-ended:
				cancel()
				return errors.Join(err, <-announced)
			case err = <-announced: // interrupted, or an address that is none
				if cmd.Context().Err() == nil {
					worker.Process.Signal(syscall.SIGTERM)
				}
				return errors.Join(<-ended, err)
			}
		},
	}
	cmd.Flags().DurationVar(&ttl, "ttl", etcd.DefaultTTL, "how long the address stays after this process is killed")
	s.add(cmd.Flags())
	return cmd
}

// looksEvery is how often list looks again.
const looksEvery = time.Second

func listCommand() *cobra.Command {
	var s server
	var least int
	var wait time.Duration
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print the workers that are announced, as a target",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := s.open()
			if err != nil {
				return err
			}
			defer c.Close()
			ctx, cancel := context.WithTimeout(cmd.Context(), wait)
			defer cancel()
			look := etcd.LookUp(c, s.prefix)
			for {
				all, err := look(ctx)
				if err == nil && len(all) >= least {
					_, err = fmt.Fprintf(cmd.OutOrStdout(), "troupe://%s\n", strings.Join(all, ","))
					return err
				}
				select {
				case <-ctx.Done():
					if err == nil {
						err = fmt.Errorf("etcd has %d workers below %s, not %d", len(all), s.prefix, least)
					}
					return err
				case <-time.After(looksEvery):
				}
			}
		},
	}
	cmd.Flags().IntVar(&least, "least", 1, "wait until there are so many")
	cmd.Flags().DurationVar(&wait, "wait", time.Minute, "give up after this time")
	s.add(cmd.Flags())
	return cmd
}
