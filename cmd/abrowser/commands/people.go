package commands

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const personTime = 30 * time.Minute // how long ask-person waits without --timeout

// askPerson asks a person, and waits for the answer. A broker that was killed meanwhile is asked
// again.
func (x *run) askPerson(ctx context.Context, in verbs.AskIn) (*verbs.AskOut, error) {
	limit := cmp.Or(time.Duration(in.Timeout)*time.Millisecond, personTime)
	answer, err := x.awaitAnswer(ctx, verbs.BrokerAskIn{Question: in.Question, Login: in.Login}, limit)
	if err != nil {
		return nil, err
	}
	if answer.Declined {
		message := "a person declined"
		if answer.Note != "" {
			message += ": " + answer.Note
		}
		return nil, wire.Errorf(wire.CodeDenied, "%s", message).WithHint("abrowser session done --status failed")
	}
	return &verbs.AskOut{Answered: true, Note: answer.Note}, nil
}

// awaitAnswer asks a person, and waits up to limit for the answer.
func (x *run) awaitAnswer(ctx context.Context, in verbs.BrokerAskIn, limit time.Duration) (verbs.Answer, error) {
	place, err := x.brokerPlace()
	if err != nil {
		return verbs.Answer{}, err
	}
	until := time.Now().Add(limit)
	caller := client.Client{Endpoint: place, Session: x.session, Agent: x.agent}.KeepAlive()
	defer caller.Close()
	for {
		left := time.Until(until)
		if left <= 0 {
			return verbs.Answer{}, wire.Errorf(wire.CodeTimeout, "no person has answered within %v", limit).WithHint("--timeout takes more milliseconds; abrowser questions lists what waits")
		}
		wait := min(left, pollTime)
		in.Wait, in.Last = int(wait.Milliseconds()), wait == left
		asking, cancel := context.WithTimeout(ctx, wait+5*askTime)
		out, _, err := client.Do(asking, caller, verbs.BrokerAsk, in)
		cancel()
		switch {
		case ctx.Err() != nil:
			return verbs.Answer{}, interruption(ctx, ctx.Err())
		case errors.Is(err, wire.CodeNotRunning) && in.ID == "":
			return verbs.Answer{}, wire.Errorf(wire.CodeNotFound, "session %s has no tab, so a person would see nothing", x.session).WithHint("abrowser open URL")
		case errors.Is(err, wire.CodeNotRunning), errors.Is(err, wire.CodeResultUnknown), errors.Is(err, wire.CodeBrowserGone):
			select {
			case <-time.After(askTime):
			case <-ctx.Done():
			}
		case err != nil:
			return verbs.Answer{}, err
		case out.Answer != nil:
			return *out.Answer, nil
		default:
			in.ID = out.Question.ID
		}
	}
}

// listQuestions lists what the tasks ask a person.
func (x *run) listQuestions(ctx context.Context, _ verbs.Empty) (*verbs.QuestionsOut, error) {
	all, err := askBrowsers(ctx, x, verbs.BrokerQuestions, verbs.Empty{})
	out := &verbs.QuestionsOut{Questions: []verbs.Question{}}
	for _, one := range all {
		out.Questions = append(out.Questions, one.Questions...)
	}
	return out, err
}

// answerPerson answers a question on behalf of a person.
func (x *run) answerPerson(ctx context.Context, in verbs.AnswerIn) (*verbs.AnswerOut, error) {
	places, err := x.root().Browsers()
	if err != nil {
		return nil, err
	}
	missing := error(wire.Errorf(wire.CodeNotFound, "no question %s waits for an answer", in.ID).WithHint("abrowser questions"))
	for _, place := range places {
		asking, cancel := context.WithTimeout(ctx, 5*askTime)
		out, err := askPlace(asking, x, place, verbs.BrokerAnswer, in)
		cancel()
		if err == nil {
			return &out, nil
		}
		if !errors.Is(err, wire.CodeNotFound) && !errors.Is(err, wire.CodeNotRunning) {
			missing = err
		}
	}
	return nil, missing
}
