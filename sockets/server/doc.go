// Package server answers requests on the sockets of package sockets: hello, retire,
// the verbs of sockets/wire, and what a daemon or broker adds of its own.
//
// It refuses to know what a verb does: daemon and broker bring their handlers. It is
// apart from the caller, because it needs net/http: a program that only asks starts
// sooner without.
package server
