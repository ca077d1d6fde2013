package commands

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// login opens a page for a person to log in, and waits until the person says that it is done, or the
// page has the URL that means it. Without a visible browser, the person uses the review page, which
// login serves meanwhile.
func (x *run) login(ctx context.Context, in verbs.LoginIn) (*verbs.LoginOut, error) {
	opened, err := x.Do(ctx, Command{Session: x.session, Verb: &verbs.Open, Params: map[string]any{"url": in.URL}})
	x.warn(opened.Warnings...)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(time.Duration(in.Timeout)*time.Millisecond, personTime)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !x.settings.Headed && !x.settings.External() && x.announce != nil {
		ended := x.serveForLogin(ctx, in)
		defer func() { <-ended }()
		defer cancel()
	}
	return x.awaitLogin(ctx, in, limit)
}

// awaitLogin waits for the person's answer and for the URL, whichever comes first.
func (x *run) awaitLogin(ctx context.Context, in verbs.LoginIn, limit time.Duration) (*verbs.LoginOut, error) {
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		out *verbs.LoginOut
		err error
	}
	results := make(chan result, 2)
	waiting := 1
	go func() {
		answer, err := x.awaitAnswer(ctx, verbs.BrokerAskIn{Question: "Log in at " + hostOf(in.URL), Login: true}, limit)
		if err == nil && answer.Declined {
			err = wire.Errorf(wire.CodeDenied, "a person declined: %s", cmp.Or(answer.Note, "no login"))
		}
		results <- result{&verbs.LoginOut{By: verbs.LoginByPerson, Note: answer.Note}, err}
	}()
	if in.Until != "" {
		waiting++
		go func() {
			params := map[string]any{"url": in.Until, "timeout": int(limit.Milliseconds())}
			done, err := x.Do(ctx, Command{Session: x.session, Verb: &verbs.Wait, Params: params})
			out := &verbs.LoginOut{By: verbs.LoginByURL}
			if waited, ok := done.Output.(*verbs.WaitOut); ok {
				out.URL = waited.URL
			}
			results <- result{out, err}
		}()
	}
	first := <-results
	cancel() // the other one ends, and its question is withdrawn
	for range waiting - 1 {
		<-results
	}
	// If ctx ends before the broker has answered, the error is that of ctx.
	if errors.Is(first.err, wire.CodeTimeout) || errors.Is(first.err, context.DeadlineExceeded) {
		return nil, wire.Errorf(wire.CodeTimeout, "nobody has logged in within %v", limit).WithHint("--timeout takes more milliseconds")
	}
	if first.err != nil {
		return nil, first.err
	}
	return first.out, nil
}

// serveForLogin serves the review page on the session's tab until ctx ends. The returned channel is
// closed after that.
func (x *run) serveForLogin(ctx context.Context, in verbs.LoginIn) <-chan struct{} {
	ended := make(chan struct{})
	server, done := x.reviewServer("#"+url.PathEscape(x.session), !in.NoOpen, func(out verbs.ReviewOut) bool {
		return x.announce(&verbs.LoginOut{Page: out.URL})
	})
	go func() {
		defer close(ended)
		defer done()
		if err := x.full.ServeReview(ctx, server); err != nil {
			x.warn("the review page is not served: " + err.Error())
		}
	}()
	return ended
}

// hostOf returns the host of a URL that may lack its scheme.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if u, err := url.Parse("https://" + address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return address
}
