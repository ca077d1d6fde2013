// The driver keeps Playwright's objects for the last requests of a session's pages. observe.js
// collects these objects. The driver reads from an object what the request has sent and received
// only when the session asks for it.
//
// The driver adds these methods to the CDP session of a page:
//   Abrowser.requests  {target, filter, types, method, from, to}: the response has the session's
//                      requests as entries, the oldest first, and dropped, the number of older
//                      requests that were dropped. An entry must meet these conditions, each of
//                      which may be missing: the URL contains filter, the type is in types, the
//                      method is the given one, and the status is in the range [from, to]
//   Abrowser.request   {target, requestId, limit}: the response is {entry}, the request with its
//                      body and the body of its response, which is {body} or {base64}. If only
//                      the beginning of a body is returned, size is the size of the whole body.
//                      The response is {} if there is no such request

const maxTrafficSize = 4 << 20; // bytes
const responseSize = 2000; // bytes that the record of a response is assumed to take
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
