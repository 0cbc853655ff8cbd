// Package devices defines devices: their names and descriptions, and the interfaces
// through which engines run kernels on them. The kernels of a device are registered with
// package kernel under its type.
//
// # Names
//
// A device is named by the job, replica and task of the process it belongs to,
// its type and its number there:
//
//	/job:localhost/replica:0/task:0/device:CPU:0
//
// A node may request a part of that; see [Spec]:
//
//	/device:GPU:1    any process's second GPU
//	/job:ps/task:3   anything on that task
//	/device:CPU:*    any CPU
//	/cpu:0           the legacy form
//
// # Devices
//
// A [Device] runs activations of kernels. A [Factory] creates the devices of one
// type; it registers itself with [Register], as drivers do in database/sql, so
// that a program chooses its device types by its imports. An [Accelerator] has memory of
// its own; its driver registers an [Opener] with [RegisterAccelerator].
package devices
