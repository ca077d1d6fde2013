package questions_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/questions"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// ask asks in a goroutine, and returns a channel with the answer.
func ask(t *testing.T, d *questions.Desk, q verbs.Question) <-chan *verbs.Answer {
	answer := make(chan *verbs.Answer, 1)
	go func() {
		_, a := d.Ask(t.Context(), q, func(verbs.Question) {})
		answer <- a
	}()
	synctest.Wait()
	return answer
}

func TestAnswerEndsTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := questions.New(nil)
		first, second := ask(t, d, verbs.Question{Session: "a", Text: "one"}), ask(t, d, verbs.Question{Session: "b", Text: "two"})
		open := d.Open()
		if len(open) != 2 || open[0].ID != "p1" || open[1].Text != "two" || d.OfSession("b") != "two" || d.OfSession("c") != "" {
			t.Fatalf("open: %+v", open)
		}
		if _, ok := d.Answer("p2", verbs.Answer{Declined: true, Note: "no"}); !ok {
			t.Fatal("p2 is not open")
		}
		if got := <-second; got == nil || !got.Declined || got.Note != "no" {
			t.Errorf("the second question got %+v", got)
		}
		if _, again := d.Answer("p2", verbs.Answer{}); again {
			t.Error("a question was answered twice")
		}
		select {
		case got := <-first:
			t.Errorf("the first question got %+v", got)
		default:
		}
		d.Answer("p1", verbs.Answer{})
		<-first
	})
}

func TestLoginsOfOneSiteAreOneQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := questions.New(nil)
		login := func(session, site string) <-chan *verbs.Answer {
			return ask(t, d, verbs.Question{Session: session, Text: "log in", Login: true, Site: site})
		}
		a, b, other := login("a", "shop"), login("b", "shop"), login("c", "bank")
		if open := d.Open(); len(open) != 2 || !slices.Equal(open[0].Sessions, []string{"a", "b"}) {
			t.Fatalf("open: %+v", open)
		}
		d.Answer("p1", verbs.Answer{})
		if <-a == nil || <-b == nil {
			t.Error("a session got no answer")
		}
		if late := login("d", "shop"); len(d.Open()) != 2 {
			t.Error("a login after the answer did not ask again")
		} else {
			d.Answer("p3", verbs.Answer{})
			<-late
		}
		d.Answer("p2", verbs.Answer{})
		<-other
	})
}

// A task asks again and again. Between two requests the question stays, and so does the answer.
func TestQuestionOutlivesARequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := questions.New(nil)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		q, a := d.Ask(short, verbs.Question{Session: "a", Text: "one"}, func(verbs.Question) {})
		if a != nil || len(d.Open()) != 1 {
			t.Fatalf("after the first request: %+v, %+v", a, d.Open())
		}
		time.Sleep(10 * time.Second)
		d.Answer(q.ID, verbs.Answer{Note: "done"})
		time.Sleep(10 * time.Second)
		if got := <-ask(t, d, verbs.Question{ID: q.ID, Session: "a", Text: "one"}); got == nil || got.Note != "done" {
			t.Errorf("the second request got %+v", got)
		}
	})
}

func TestQuestionsThatNobodyWaitsForAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := questions.New(nil)
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		d.Ask(short, verbs.Question{Session: "killed", Text: "one"}, func(verbs.Question) {})
		q, _ := d.Ask(short, verbs.Question{Session: "gives up", Text: "two"}, func(verbs.Question) {})
		d.Withdraw(q.ID, "gives up")
		if open := d.Open(); len(open) != 1 || open[0].Session != "killed" {
			t.Errorf("after a question was withdrawn: %+v", open)
		}
		time.Sleep(time.Minute)
		if open := d.Open(); len(open) != 0 {
			t.Errorf("a minute later: %+v", open)
		}
	})
}
