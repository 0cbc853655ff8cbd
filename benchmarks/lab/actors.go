package main

import (
	"log/slog"
	"sync"

	hollywood "github.com/anthdm/hollywood/actor"
	proto "github.com/asynkron/protoactor-go/actor"

	_ "github.com/troupe-go/troupe/benchmarks/lab/conflict" // or the two cannot be in one program
)

// The two actor libraries have similar interfaces, so programs are written once, against
// their common part. It costs a call through an interface for each message.

// An address identifies an actor, for messages to it.
type address any

// A behaviour is an actor: it handles one message at a time. Its state is in the variables of its closure.
type behaviour func(c turn, message any)

// A turn has the operations of an actor while it handles a message.
type turn interface {
	Self() address
	Send(to address, message any)
	Spawn(b behaviour) address // one that stops itself
	Stop()                     // ends the actor after this turn
}

// A stage has the actors of one run.
type stage interface {
	Spawn(b behaviour) address
	Send(to address, message any)
	Close() // stops the actors that were spawned by the stage, and waits for that
}

// protoSystem is the process's: making one takes milliseconds.
var protoSystem = sync.OnceValue(func() *proto.ActorSystem {
	return proto.NewActorSystem(proto.WithLoggerFactory(func(*proto.ActorSystem) *slog.Logger {
		return slog.New(slog.DiscardHandler)
	}))
})

// protoStage is Proto.Actor as its manual shows it: default mailboxes and dispatcher.
type protoStage struct {
	root *proto.RootContext
	pids []*proto.PID
}

func newProtoStage() stage { return &protoStage{root: protoSystem().Root} }

func (s *protoStage) Spawn(b behaviour) address {
	pid := s.root.Spawn(protoProps(b))
	s.pids = append(s.pids, pid)
	return pid
}

func (s *protoStage) Send(to address, message any) { s.root.Send(to.(*proto.PID), message) }

func (s *protoStage) Close() {
	var stopping []*proto.Future
	for _, pid := range s.pids {
		stopping = append(stopping, s.root.StopFuture(pid))
	}
	for _, f := range stopping {
		_ = f.Wait() // an actor that has stopped itself sends no reply
	}
}

func protoProps(b behaviour) *proto.Props {
	return proto.PropsFromProducer(func() proto.Actor { return &protoActor{behaviour: b} })
}

type protoActor struct {
	behaviour behaviour
	context   proto.Context // of the turn
}

func (a *protoActor) Receive(c proto.Context) {
	switch c.Message().(type) {
	case proto.SystemMessage, proto.AutoReceiveMessage:
	default:
		a.context = c
		a.behaviour(a, c.Message())
	}
}

func (a *protoActor) Self() address                { return a.context.Self() }
func (a *protoActor) Send(to address, message any) { a.context.Send(to.(*proto.PID), message) }
func (a *protoActor) Spawn(b behaviour) address    { return a.context.Spawn(protoProps(b)) }
func (a *protoActor) Stop()                        { a.context.Stop(a.context.Self()) }

var hollywoodEngine = sync.OnceValue(func() *hollywood.Engine {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the library logs there
	e, err := hollywood.NewEngine(hollywood.NewEngineConfig())
	if err != nil {
		panic(err) // a fresh configuration has no mistakes
	}
	return e
})

// hollywoodStage is Hollywood with its defaults.
type hollywoodStage struct {
	engine *hollywood.Engine
	pids   []*hollywood.PID
}

func newHollywoodStage() stage { return &hollywoodStage{engine: hollywoodEngine()} }

func (s *hollywoodStage) Spawn(b behaviour) address {
	pid := s.engine.Spawn(hollywoodProducer(b), "actor")
	s.pids = append(s.pids, pid)
	return pid
}

func (s *hollywoodStage) Send(to address, message any) { s.engine.Send(to.(*hollywood.PID), message) }

func (s *hollywoodStage) Close() {
	for _, pid := range s.pids {
		<-s.engine.Stop(pid).Done()
	}
}

func hollywoodProducer(b behaviour) hollywood.Producer {
	return func() hollywood.Receiver { return &hollywoodActor{behaviour: b} }
}

type hollywoodActor struct {
	behaviour behaviour
	context   *hollywood.Context // of the turn
}

func (a *hollywoodActor) Receive(c *hollywood.Context) {
	switch c.Message().(type) {
	case hollywood.Initialized, hollywood.Started, hollywood.Stopped:
	default:
		a.context = c
		a.behaviour(a, c.Message())
	}
}

func (a *hollywoodActor) Self() address { return a.context.PID() }
func (a *hollywoodActor) Send(to address, message any) {
	a.context.Send(to.(*hollywood.PID), message)
}

// Spawn makes no child: a parent that stops waits for children that are stopping themselves,
// sometimes for ever.
func (a *hollywoodActor) Spawn(b behaviour) address {
	return a.context.Engine().Spawn(hollywoodProducer(b), "actor")
}
func (a *hollywoodActor) Stop() { a.context.Engine().Stop(a.context.PID()) }
