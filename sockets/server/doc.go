// Package server answers requests on the sockets of package sockets: hello, retire,
// the verbs of sockets/wire, and the handlers that a daemon or broker adds.
//
// It does not know what a verb does: daemon and broker bring their handlers. It is
// separate from package client because it imports net/http, which makes a program that
// only sends requests start later.
package server
