// The driver keeps Playwright's objects for the last requests of a session's pages, which observe.js
// collects. What a request has sent and received is read from its object when it is asked for.
//
// The driver adds these methods to the CDP session of a page:
//   Abrowser.requests  {target, filter, types, method, from, to}: the response has the session's
//                      requests as entries, the oldest first, and dropped, the number of older
//                      requests that were dropped. The URLs of the entries contain filter, their
//                      types are in types, and their status is at least from and at most to. Each of
//                      these conditions may be missing
//   Abrowser.request   {target, requestId, limit}: the response is {entry}, the request with its
//                      body and the body of its response, which is {body} or {base64}. size is the
//                      whole size of a body of which only the beginning is there. The response is
//                      {} if there is no such request

const maxTrafficSize = 4 << 20; // bytes
const responseSize = 2000; // bytes that a response is supposed to take
const maxBody = 1 << 20; // bytes of one body in a response to the daemon
const rawHeadersTime = 300; // milliseconds
const resourceTypes = { xhr: "XHR", texttrack: "TextTrack", eventsource: "EventSource", websocket: "WebSocket", cspreport: "CSPViolationReport" };

function requestSize(request) {
  const headers = request.headers().reduce((sum, { name, value }) => sum + name.length + value.length, 0);
  return request.url().length + headers + (request.postDataBuffer()?.length ?? 0) + responseSize;
}

function listRequests(page, { filter, types, method, from, to }) {
  const log = observed.get(page.browserContext)?.requests;
  if (!log) return {};
  const isMeant = ({ request }) => {
    const status = request._existingResponse()?.status() ?? 0;
    return (!filter || request.url().includes(filter)) && (!types || types.includes(request.resourceType())) &&
      (!method || request.method() === method) && (!to || (status >= from && status <= to));
  };
  return { entries: log.entries.filter(isMeant).map(describeRequest), dropped: log.dropped };
}

function describeRequest({ request, requestId, timestamp }) {
  const response = request._existingResponse();
  const type = request.resourceType();
  const post = request.postDataBuffer();
  return {
    requestId, timestamp, url: request.url(), method: request.method(),
    resourceType: resourceTypes[type] ?? type[0].toUpperCase() + type.slice(1),
    headers: headersOf(request.headers()),
    postData: post?.length ? cut(post.subarray(0, 4 * maxText).toString()) : undefined,
    status: response?.status(),
    mimeType: (response?.headerValue("content-type") ?? "").split(";")[0].trim(),
    responseHeaders: response ? headersOf(response.headers()) : {},
    failure: hasNoBody(response) ? undefined : (request._failureText ?? undefined),
  };
}

// hasNoBody reports whether a response never has a body. Chromium reports some of these as aborted.
const hasNoBody = (response) => [204, 205, 304].includes(response?.status());

// headersOf returns headers as an object. Values of the same name are joined as in HTTP.
function headersOf(list) {
  const all = {};
  for (const { name, value } of list) {
    const key = name.toLowerCase();
    all[key] = key in all ? all[key] + (key === "set-cookie" ? "\n" : ", ") + value : value;
  }
  return all;
}

async function readRequest(page, { requestId }, until) {
  const found = observed.get(page.browserContext)?.requests.entries.find((entry) => entry.requestId === requestId);
  if (!found) return {};
  const { request } = found;
  const response = request._existingResponse();
  const soon = Math.min(until, Date.now() + rawHeadersTime);
  const [sent, received, body] = await Promise.all([
    inTime(request._rawRequestHeaders(), soon),
    response && inTime(response._rawResponseHeadersPromise, soon),
    hasNoBody(response) ? { body: "" } : response && inTime(response.internalBody().then(describeBody, (error) => ({ error: firstLine(error) })), until),
  ]);
  const entry = describeRequest(found);
  if (sent) entry.headers = headersOf(sent);
  if (received) entry.responseHeaders = headersOf(received);
  return { entry: { ...entry, statusText: response?.statusText(), response: response && (body ?? { error: "the response is not complete yet" }) } };
}

// describeBody returns a body as text, or in base64 if it is not UTF-8.
function describeBody(body) {
  const size = body.length > maxBody ? body.length : undefined;
  const part = body.subarray(0, maxBody);
  try {
    return { body: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part, { stream: !!size }), size };
  } catch {
    return { base64: part.toString("base64"), size };
  }
}
