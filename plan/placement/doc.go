// Package placement assigns the nodes of a program to devices.
//
//	placed, err := placement.Place(ctx, nodes, placement.Options{Devices: all})
//	at := placed.Device(node)
//
// What decides, the strongest first:
//
//   - Nodes that hold something together are on one device: those that a colocation
//     group names (_class), those that a reference or a resource goes between,
//     operations of datasets that go into each other, and, where there are accelerators,
//     the handles of one variable.
//   - What the nodes ask for by their device strings, in full or in part. Where nodes of
//     a colocation group ask for what cannot be, that is an error; with soft placement
//     what they disagree on is open. Who uses a variable follows the variable, whatever it
//     asks for itself.
//   - Which types of devices have kernels for the node.
//   - A node without inputs and with one output goes to its readers, if these are on one
//     device, and one that looks only at the shape of its input goes to its producer.
//   - Else the first device, of an accelerator before CPUs.
//
// A device that is not there is an error, in TensorFlow's words; with soft placement
// the node goes to the best one that is.
package placement
