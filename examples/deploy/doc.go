// Package deploy checks the manifests in this folder: compose.yaml with Prometheus and
// kubernetes.yaml for a server of models, compose-cluster.yaml and cluster.yaml for a
// cluster. It is a module of its own, for the types of Kubernetes.
package deploy
