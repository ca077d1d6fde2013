// Package server answers HTTP requests on the Unix socket of a daemon, which serves one
// session, or of a broker, which serves one browser. The request hello returns a description
// of the server, and the request retire ends a server that is idle. For all other requests,
// which are verbs, locks and other paths, the daemon or broker passes handlers.
//
// The package implements no verb. It is separate from package client because it imports
// net/http, and a program that only sends requests starts faster without net/http.
package server
