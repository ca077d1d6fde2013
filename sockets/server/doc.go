// Package server answers HTTP requests on the Unix socket of a daemon, which serves one
// session, or of a broker, which serves one browser. It serves hello, which describes the
// server, retire, which ends an idle server, and the verbs, locks and other paths for which
// the daemon or broker passes a handler.
//
// The package implements no verb. It is separate from package client because it imports
// net/http, which makes a program that only sends requests start later.
package server
