package broker

import (
	"context"
	"net/url"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveAsk asks a person on behalf of a session, and waits for the answer. It is not served on the
// mux's goroutine, because it waits.
func (b *broker) serveAsk(ctx context.Context, call *wire.Call, in verbs.BrokerAskIn) (verbs.BrokerAskOut, error) {
	q := verbs.Question{ID: in.ID, Session: call.Session, Text: in.Question, Login: in.Login, Browser: b.browser.Name}
	known := false
	err := b.do(ctx, func() {
		for _, tn := range b.mux.TenantNamed(call.Session) {
			known = true
			for _, tab := range tn.Pages {
				if u, err := url.Parse(tab.URL); err == nil && tab.Target == tn.Active {
					q.TabID, q.Site = tabID(tab.Number), u.Hostname()
				}
			}
		}
	})
	if err != nil {
		return verbs.BrokerAskOut{}, err
	}
	if !known {
		return verbs.BrokerAskOut{}, wire.Errorf(wire.CodeNotFound, "session %s has no tab, so a person would see nothing", call.Session).WithHint("abrowser open URL")
	}
	waiting, cancel := context.WithTimeout(ctx, time.Duration(in.Wait)*time.Millisecond)
	defer cancel()
	var out verbs.BrokerAskOut
	out.Question, out.Answer = b.questions.Ask(waiting, q, func(q verbs.Question) {
		b.events.Add(verbs.Event{Kind: verbs.EventWaiting, Session: q.Session, TabID: q.TabID, Message: q.ID + ": " + q.Text})
	})
	if out.Answer == nil && (in.Last || call.IsCallerGone()) {
		b.questions.Withdraw(out.Question.ID, call.Session)
	}
	return out, nil
}

func (b *broker) serveQuestions(context.Context, *wire.Call, verbs.Empty) (verbs.QuestionsOut, error) {
	return verbs.QuestionsOut{Questions: b.questions.Open()}, nil
}

func (b *broker) serveAnswer(_ context.Context, _ *wire.Call, in verbs.AnswerIn) (verbs.AnswerOut, error) {
	q, open := b.questions.Answer(in.ID, verbs.Answer{Declined: in.Decline, Note: in.Note})
	if !open {
		return verbs.AnswerOut{}, wire.Errorf(wire.CodeNotFound, "no question %s waits for an answer", in.ID).WithHint("abrowser questions")
	}
	message := "answered " + q.ID
	if in.Decline {
		message = "declined " + q.ID
	}
	for _, session := range q.Sessions {
		b.events.Add(verbs.Event{Kind: verbs.EventAnswered, Session: session, Message: message})
	}
	return verbs.AnswerOut{Question: q}, nil
}
