package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/status"
)

// The methods of our own, which are served on Proto.Actor's port, and the metadata that
// says who calls.
const (
	methodPush  = "/troupe.Cluster/Push"
	methodFetch = "/troupe.Cluster/Fetch"
	methodAsk   = "/troupe.Cluster/Ask"
	fromKey     = "troupe-from"
)

// stream serves the methods.
func (e *Endpoint) stream(_ any, s grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(s)
	md, _ := metadata.FromIncomingContext(s.Context())
	from := ""
	if v := md.Get(fromKey); len(v) == 1 {
		from = v[0]
	}
	if t := md.Get("content-type"); len(t) != 1 || t[0] != "application/grpc+"+codecName {
		return grpcstatus.Errorf(codes.Unimplemented, "%s is not served", method)
	}
	switch method {
	case methodPush:
		return e.servePush(from, s)
	case methodFetch:
		return e.serveFetch(from, s)
	case methodAsk:
		return e.serveAsk(s)
	}
	return grpcstatus.Errorf(codes.Unimplemented, "%s is not served", method)
}

// replyQueue bounds the replies on a stream that wait to be written.
const replyQueue = 64

func (e *Endpoint) servePush(from string, s grpc.ServerStream) error {
	if err := s.SendHeader(nil); err != nil { // tells the other side that it is open
		return err
	}
	replies, end := make(chan []byte, replyQueue), make(chan struct{})
	var done sync.WaitGroup
	defer done.Wait()
	defer close(end)
	done.Go(func() { // as what is sent may have to wait for who reads it
		for {
			select {
			case data := <-replies:
				if s.SendMsg(of(append(binary.AppendUvarint(nil, uint64(len(data))), data...))) != nil {
					return
				}
			case <-end:
				return
			}
		}
	})
	reply := func(data []byte) {
		select {
		case replies <- data:
		default:
		}
	}
	for {
		var f frame
		if err := s.RecvMsg(&f); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if !apart(f.bytes(), func(data []byte) { e.handler.Packet(from, data, reply) }) {
			return grpcstatus.Error(codes.InvalidArgument, "a frame that holds no packets")
		}
	}
}

func (e *Endpoint) serveFetch(from string, s grpc.ServerStream) error {
	var f frame
	if err := s.RecvMsg(&f); err != nil {
		return err
	}
	request := f.bytes()
	ticket, n := binary.Uvarint(request)
	if n <= 0 {
		return grpcstatus.Error(codes.InvalidArgument, "no ticket")
	}
	size, k := binary.Uvarint(request[n:])
	if k <= 0 {
		return grpcstatus.Error(codes.InvalidArgument, "no size")
	}
	buffers, done, err := e.handler.Blob(from, ticket)
	if err != nil {
		return toGRPC(err)
	}
	if all := total(buffers); all == size {
		err = send(s, buffers)
	} else {
		err = grpcstatus.Errorf(codes.DataLoss, "it has %d bytes, not %d", all, size)
	}
	if err == nil {
		// The client closes its side once it has everything.
		if err = s.RecvMsg(&f); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	done(err)
	return err
}

// total returns the bytes in buffers.
func total(buffers [][]byte) (n uint64) {
	for _, b := range buffers {
		n += uint64(len(b))
	}
	return n
}

// send sends buffers in chunks.
func send(s grpc.ServerStream, buffers [][]byte) error {
	for _, b := range buffers {
		for len(b) > 0 {
			n := min(len(b), chunk)
			if err := s.SendMsg(of(b[:n])); err != nil {
				return err
			}
			b = b[n:]
		}
	}
	return nil
}

func (e *Endpoint) serveAsk(s grpc.ServerStream) error {
	var f frame
	if err := s.RecvMsg(&f); err != nil {
		return err
	}
	response, err := e.handler.Ask(s.Context(), f.bytes())
	if err != nil {
		return toGRPC(err)
	}
	return s.SendMsg(of(response))
}

// Fetch reads the buffers of a ticket of another endpoint into buffers of the same sizes. If it
// fails, part of them has been written.
func (e *Endpoint) Fetch(ctx context.Context, from string, ticket uint64, buffers [][]byte) error {
	p := e.peer(from)
	if p == nil {
		return status.Errorf(status.Canceled, "the endpoint is closed")
	}
	conn, err := p.client()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	s, err := p.open(ctx, conn, methodFetch)
	if err == nil {
		err = s.SendMsg(of(binary.AppendUvarint(binary.AppendUvarint(nil, ticket), total(buffers))))
	}
	if err == nil {
		err = receive(s, buffers)
	}
	if err == nil {
		if err = s.CloseSend(); err == nil {
			if err = s.RecvMsg(&frame{}); errors.Is(err, io.EOF) {
				err = nil
			}
		}
	}
	if err == nil {
		return nil
	}
	return status.Within(fromGRPC(err), "a tensor of %s", from)
}

// receive fills buffers with what comes.
func receive(s grpc.ClientStream, buffers [][]byte) error {
	at := 0
	for {
		for at < len(buffers) && len(buffers[at]) == 0 {
			at++
		}
		if at == len(buffers) {
			return nil
		}
		var f frame
		if err := s.RecvMsg(&f); err != nil {
			if errors.Is(err, io.EOF) {
				return grpcstatus.Error(codes.DataLoss, "it ended early")
			}
			return err
		}
		if !fill(buffers, &at, f.got) {
			f.got.Free()
			return grpcstatus.Error(codes.DataLoss, "it is longer than announced")
		}
		f.got.Free()
	}
}

// fill copies data to the next buffers, which it shortens; false if it is too much.
func fill(buffers [][]byte, at *int, data mem.BufferSlice) bool {
	for _, piece := range data {
		b := piece.ReadOnlyData()
		for len(b) > 0 {
			if *at == len(buffers) {
				return false
			}
			n := copy(buffers[*at], b)
			buffers[*at], b = buffers[*at][n:], b[n:]
			if len(buffers[*at]) == 0 {
				*at++
			}
		}
	}
	return true
}

// Ask calls another endpoint. It fails soon if that cannot be reached, unless wait is set: then
// with ctx.
func (e *Endpoint) Ask(ctx context.Context, to string, request []byte, wait bool) ([]byte, error) {
	p := e.peer(to)
	if p == nil {
		return nil, status.Errorf(status.Canceled, "the endpoint is closed")
	}
	conn, err := p.client()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	var f frame
	s, err := p.open(ctx, conn, methodAsk, grpc.WaitForReady(wait))
	if err == nil {
		err = s.SendMsg(of(request))
	}
	if err == nil {
		err = s.RecvMsg(&f)
	}
	if err != nil {
		return nil, fromGRPC(err)
	}
	return f.bytes(), nil
}
