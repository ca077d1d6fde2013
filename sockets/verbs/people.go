package verbs

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupPeople = "People"

// Question is what a task asks a person.
type Question struct {
	ID       string    `json:"id"` // p1, p2, ...
	Session  string    `json:"session"`
	Sessions []string  `json:"sessions,omitzero"` // all sessions that wait for the answer, if there are several
	Text     string    `json:"question"`
	Login    bool      `json:"login,omitzero"` // a person has to log in
	Site     string    `json:"site,omitzero"`  // the host of the session's page, without port
	TabID    string    `json:"tabId,omitzero"`
	Browser  string    `json:"browser,omitzero"`
	AskedAt  time.Time `json:"askedAt"`
}

// Line returns the question as one line.
func (q Question) Line() string {
	who := q.Session
	if n := len(q.Sessions) - 1; n > 0 {
		who += fmt.Sprintf(" and %d more", n)
	}
	if q.Site != "" {
		who += " at " + q.Site
	}
	return fmt.Sprintf("%s  %s: %s (%s ago)", q.ID, who, oneLine(q.Text), ago(q.AskedAt))
}

// Answer is what a person has answered.
type Answer struct {
	Declined bool   `json:"declined,omitzero"`
	Note     string `json:"note,omitzero"`
}

// AskIn is the input of [AskPerson].
type AskIn struct {
	Question string `json:"question" arg:"0" required:"true" help:"what the person has to do, in a sentence"`
	Login    bool   `json:"login,omitzero" help:"the person has to log in: sessions that ask for the same site at the same time ask once, and get one answer"`
	Timeout  int    `json:"timeout,omitzero" min:"1" help:"how long to wait, in milliseconds; the default is 30 minutes"`
}

// Check returns an error for a question that is empty, too long or not text.
func (in AskIn) Check() error { return checkNote("the question", in.Question, true) }

// checkNote returns an error if a text is too long or not UTF-8.
func checkNote(what, text string, required bool) error {
	if len(text) > maxNote || !utf8.ValidString(text) || required && text == "" {
		return wire.Errorf(wire.CodeBadInput, "%s has to be text of at most %d bytes", what, maxNote).WithHint(`abrowser ask-person "solve the captcha"`)
	}
	return nil
}

// AskOut is the output of [AskPerson].
type AskOut struct {
	Answered bool   `json:"answered"`
	Note     string `json:"note,omitzero"`
}

// Text returns the note of the person.
func (o AskOut) Text() string { return o.Note }

// AskPerson asks a person to do something, and waits until the person has done it.
var AskPerson = wire.Verb[AskIn, AskOut]{Spec: wire.Spec{
	Name: "ask-person", Group: groupPeople, Short: "Ask a person to do something in the session's page, and wait until it is done",
	Long: "A person sees the question in tabs, questions and review, and answers it there or with the command answer. " +
		"If the person declines, the command fails with the code denied. Other commands of the session go on meanwhile.",
	Example: `abrowser ask-person "solve the captcha"`, By: wire.ByCommand, NoStart: true,
}}

// QuestionsOut is the output of [Questions].
type QuestionsOut struct {
	Questions []Question `json:"questions"`
}

// Text returns one line for each question.
func (o QuestionsOut) Text() string {
	var all []string
	for _, q := range o.Questions {
		all = append(all, q.Line())
	}
	return lines(all...)
}

// Questions lists what tasks ask a person.
var Questions = wire.Verb[Empty, QuestionsOut]{Spec: wire.Spec{
	Name: "questions", Group: groupPeople, Short: "List what the tasks ask a person", Example: "abrowser questions",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// AnswerIn is the input of [AnswerPerson].
type AnswerIn struct {
	ID      string `json:"id" arg:"0" required:"true" help:"the id of the question, as questions prints it"`
	Decline bool   `json:"decline,omitzero" help:"it was not done: the task's command fails"`
	Note    string `json:"note,omitzero" help:"a sentence for the task"`
}

// Check returns an error for a note that is too long or not text.
func (in AnswerIn) Check() error { return checkNote("the note", in.Note, false) }

// AnswerOut is the output of [AnswerPerson].
type AnswerOut struct {
	Question Question `json:"question"` // that was answered
}

// Text is empty, because the command has only to be done.
func (o AnswerOut) Text() string { return "" }

// AnswerPerson answers what a task asks a person.
var AnswerPerson = wire.Verb[AnswerIn, AnswerOut]{Spec: wire.Spec{
	Name: "answer", Group: groupPeople, Short: "Tell a task that what it asked is done", Long: "It is for people: a command of a task cannot answer.",
	Example: "abrowser answer p1", By: wire.ByCommand, NoStart: true,
}}

// BrokerAskIn is the input of [BrokerAsk].
type BrokerAskIn struct {
	ID       string `json:"id,omitzero" help:"the question that was asked before; empty for a new one"`
	Question string `json:"question" help:"what the person has to do"`
	Login    bool   `json:"login,omitzero" help:"the person has to log in"`
	Wait     int    `json:"wait,omitzero" min:"0" help:"how long to wait for the answer, in milliseconds"`
	Last     bool   `json:"last,omitzero" help:"withdraw the question if there is no answer after that time"`
}

// BrokerAskOut is the output of [BrokerAsk]. Answer is nil if there is no answer yet.
type BrokerAskOut struct {
	Question Question `json:"question"`
	Answer   *Answer  `json:"answer,omitzero"`
}

// BrokerAsk asks a person a question, or waits for the answer to a question that was asked before.
var BrokerAsk = wire.Verb[BrokerAskIn, BrokerAskOut]{Spec: wire.Spec{
	Name: "broker ask", Group: groupBroker, Short: "Ask a person a question", Example: "abrowser broker ask",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// BrokerQuestions lists the questions that wait for an answer.
var BrokerQuestions = wire.Verb[Empty, QuestionsOut]{Spec: wire.Spec{
	Name: "broker questions", Group: groupBroker, Short: "List the questions for a person", Example: "abrowser broker questions",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// BrokerAnswer answers a question.
var BrokerAnswer = wire.Verb[AnswerIn, AnswerOut]{Spec: wire.Spec{
	Name: "broker answer", Group: groupBroker, Short: "Answer a question for a person", Example: "abrowser broker answer",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}
