// Package deploy checks the manifests in this folder: compose.yaml with Prometheus, and
// kubernetes.yaml. It is a module of its own, for the types of Kubernetes.
package deploy
