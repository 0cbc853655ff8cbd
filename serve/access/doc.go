// Package access decides who may call a server: those with a bearer token, and each
// client only so often.
//
//	gate := access.New(access.Rules{Token: token, Rate: 100})
//	http.ListenAndServe(address, gate.HTTP(handler))
//	grpc.NewServer(grpc.ChainUnaryInterceptor(gate.Unary))
//
// A client is the certificate that it shows, or else the address that it comes from;
// ports do not matter. Only a bounded number of clients is remembered, so that nobody
// can fill memory with addresses. Probes of health are let through.
package access
