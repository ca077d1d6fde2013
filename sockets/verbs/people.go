package verbs

import (
	"encoding/json"
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
	Name: "answer", Group: groupPeople, Short: "Tell a task that what it asked is done", Example: "abrowser answer p1", By: wire.ByCommand, Person: true, NoStart: true,
}}

// TakeOverIn is the input of [TakeOver].
type TakeOverIn struct {
	For int `json:"for,omitzero" default:"600000" min:"1" help:"for how long at most, in milliseconds; the default is 10 minutes"`
}

// TakeOverOut is the output of [TakeOver].
type TakeOverOut struct {
	Running string `json:"running,omitzero"` // the command that still runs
}

// Text returns the command that still runs.
func (o TakeOverOut) Text() string { return labelled("still running: ", o.Running) }

// TakeOver makes the session's commands that act wait, because a person uses its pages.
var TakeOver = wire.Verb[TakeOverIn, TakeOverOut]{Spec: wire.Spec{
	Name: "take-over", NoPolicy: true, Group: groupPeople, Short: "Use the session's pages yourself: its commands that act wait",
	Long: "They wait until hand-back, and at most as long as they may take; then they fail with the code taken_over. Commands that read go on. " +
		"A command that runs already runs to its end.",
	Example: "abrowser take-over", Unqueued: true, Person: true, NoStart: true,
}}

// HandBackIn is the input of [HandBack].
type HandBackIn struct {
	Note string `json:"note,omitzero" help:"a sentence for the task, which its next reply has as a warning"`
}

// Check returns an error for a note that is too long or not text.
func (in HandBackIn) Check() error { return checkNote("the note", in.Note, false) }

// HandBack lets the session's commands go on after [TakeOver].
var HandBack = wire.Verb[HandBackIn, Empty]{Spec: wire.Spec{
	Name: "hand-back", NoPolicy: true, Group: groupPeople, Short: "Give the session's pages back to its task", Example: `abrowser hand-back --note "I have logged in"`,
	Unqueued: true, Person: true, NoStart: true,
}}

// ViewIn is the input of [BrokerView].
type ViewIn struct {
	Session string `json:"session" required:"true" help:"the session of the tab"`
	Tab     string `json:"tab" required:"true" help:"the tab, as t2"`
	After   int64  `json:"after,omitzero" help:"wait for a picture that is newer than the one with this number"`
	Width   int    `json:"width,omitzero" min:"16" default:"1280" help:"the largest width and height of the picture in pixels"`
	Once    bool   `json:"once,omitzero" help:"take one picture, and do not expect another one soon"`
	Wait    int    `json:"wait,omitzero" min:"0" help:"how long to wait for a picture, in milliseconds"`
}

// View is the output of [BrokerView]. JPEG is empty if there was no newer picture in time.
type View struct {
	Number int64   `json:"number"`
	JPEG   []byte  `json:"jpeg,omitzero"`
	Width  float64 `json:"width"`  // of the page's visible part, in CSS pixels
	Height float64 `json:"height"` // likewise
}

// BrokerView returns a picture of a page. A program that asks again and again gets a film, in which a
// page that does not change costs nothing.
var BrokerView = wire.Verb[ViewIn, View]{Spec: wire.Spec{
	Name: "broker view", Group: groupBroker, Short: "Return a picture of a page", Example: "abrowser broker view",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// InputIn is the input of [BrokerInput].
type InputIn struct {
	Session string `json:"session" required:"true" help:"the session of the tab"`
	Tab     string `json:"tab" required:"true" help:"the tab, as t2"`
	Method  string `json:"method" required:"true" help:"a CDP method of the domains Input and Page that a person's input needs"`
	Params  string `json:"params,omitzero" help:"the parameters of the method, as JSON"`
}

// InputOut is the output of [BrokerInput].
type InputOut struct {
	Result json.RawMessage `json:"result,omitzero"`
}

// BrokerInput passes a person's input to a page.
var BrokerInput = wire.Verb[InputIn, InputOut]{Spec: wire.Spec{
	Name: "broker input", Group: groupBroker, Short: "Pass a person's input to a page", Example: "abrowser broker input",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// CloseTabIn is the input of [BrokerCloseTab].
type CloseTabIn struct {
	Session string `json:"session" required:"true" help:"the session of the tab"`
	Tab     string `json:"tab" required:"true" help:"the tab, as t2"`
}

// BrokerCloseTab closes a tab for a person, whatever its session does.
var BrokerCloseTab = wire.Verb[CloseTabIn, Empty]{Spec: wire.Spec{
	Name: "broker close-tab", Group: groupBroker, Short: "Close a tab for a person", Example: "abrowser broker close-tab",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}

// ReviewIn is the input of [Review].
type ReviewIn struct {
	What   string `json:"what,omitzero" arg:"0" help:"the tab to show first, as task_1/t2; without it, all tabs are shown"`
	Port   int    `json:"port,omitzero" min:"1" help:"the TCP port on 127.0.0.1; the default is a free port"`
	NoOpen bool   `json:"noOpen,omitzero" help:"do not open the page in your browser"`
}

// Check returns [wire.CodeBadInput] for a port that is too large.
func (in ReviewIn) Check() error { return CDPIn{Port: in.Port}.Check() }

// ReviewOut is the output of [Review].
type ReviewOut struct {
	URL string `json:"url"` // of the page; it works once, in one browser
}

// Text returns the URL.
func (o ReviewOut) Text() string { return o.URL }

// Review serves a page on which a person looks at the tabs of all tasks.
var Review = wire.Verb[ReviewIn, ReviewOut]{Spec: wire.Spec{
	Name: "review", Group: groupPeople, Short: "Look at the tabs of all tasks in your browser: live, take over, answer, close",
	Long: "It prints the URL of a page on 127.0.0.1, opens it in your own browser if there is one, and serves it until it is interrupted. " +
		"The URL works once, in one browser. If a task's pages are taken over there, its commands that act wait until they are handed back.",
	Example: "abrowser review", By: wire.ByCommand, Person: true, NoStart: true,
}}

// TabShowIn is the input of [TabShow].
type TabShowIn struct {
	What   string `json:"what" arg:"0" required:"true" help:"the tab, as task_1/t2, or a session for its active tab"`
	NoOpen bool   `json:"noOpen,omitzero" help:"do not open the review page in your browser"`
}

// TabShow shows a tab to a person.
var TabShow = wire.Verb[TabShowIn, ReviewOut]{Spec: wire.Spec{
	Name: "tab show", Group: groupPeople, Short: "Bring a tab to the front of its window; in a browser without windows, open the review page on it",
	Example: "abrowser tab show task_1/t2", By: wire.ByCommand, Person: true, NoStart: true,
}}

// LoginIn is the input of [Login].
type LoginIn struct {
	URL     string `json:"url" arg:"0" required:"true" help:"the page on which to log in"`
	Until   string `json:"until,omitzero" help:"end when the page's URL matches this pattern, as that of wait --url"`
	Timeout int    `json:"timeout,omitzero" min:"1" help:"how long to wait, in milliseconds; the default is 30 minutes"`
	NoOpen  bool   `json:"noOpen,omitzero" help:"do not open the review page in your browser"`
}

// Who said that a login is done.
const (
	LoginByPerson = "person"
	LoginByURL    = "url"
)

// LoginOut is the output of [Login]. A first output has only Page.
type LoginOut struct {
	Page string `json:"page,omitzero"` // the URL of the review page, if the browser has no window
	By   string `json:"by,omitzero"`   // see [LoginByPerson]
	URL  string `json:"url,omitzero"`  // that has matched
	Note string `json:"note,omitzero"`
}

// Text returns the URL of the review page, or how the login ended.
func (o LoginOut) Text() string {
	if o.Page != "" {
		return o.Page
	}
	return lines("logged in, says the "+o.By, o.URL, o.Note)
}

// Login opens a page on which a person logs in for all tasks.
var Login = wire.Verb[LoginIn, LoginOut]{Spec: wire.Spec{
	Name: "login", Group: groupPeople, Short: "Open a page for a person to log in, once for all tasks, and wait until it is done",
	Long: "With --headed the page is in a window; otherwise it prints the URL of the review page on it, and serves it meanwhile. " +
		"It ends when the person presses Done there or runs the command answer, or with --until when the page's URL matches. " +
		"Its exit status is 0 then, 1 if the person declined, and 4 if nobody came in time.",
	Example: "abrowser --session login login https://example.com --until '*/account*'", By: wire.ByCommand,
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
