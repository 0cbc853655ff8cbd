package streams

import "github.com/asynkron/protoactor-go/actor"

// Actors lists the actors of the streams of the device's present life.
func (d *Device) Actors() []*actor.PID { return d.life.Load().streams[:] }
