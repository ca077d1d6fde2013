// Package server answers HTTP requests on the Unix socket of a daemon, which serves one
// session, or of a broker, which serves one browser. The request hello returns a description
// of the server, and the request retire ends a server that is idle. The daemon or broker
// supplies the handlers of all other requests: verbs, locks and further paths.
//
// The package implements no verb. It is separate from package client because it imports
// net/http, and a program that only sends requests starts faster without net/http.
package server
