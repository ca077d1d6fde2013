// A session has settings of its own for all its pages: routes, which answer requests in place of
// the servers, scripts that run before the scripts of each document, and a password. They apply to
// popups, too, from their first request on.
//
// The driver adds this method to the CDP session of a page:
//   Abrowser.settings  {target, routes, scripts, credentials}: replaces the session's settings.
//                      routes is a list of {url, types, abort, status, headers, body, file, delay}.
//                      A request is answered by the first route whose glob url matches the URL of
//                      the request, and whose list types, if not empty, contains the type of the
//                      request. scripts is a list of {id, source}. credentials is
//                      {origin, username, password} or null. The response is {applied}. If a
//                      route or a script is invalid, nothing is changed, and the response is
//                      {invalid: {kind, text}}
//
// Playwright itself would use the password to answer the authentication challenge of a server.
// Chromium would then keep the password for all pages that share its logins, and so for all
// sessions. Therefore the driver adds the password to each request to the password's origin, see
// addCredentials.

const vm = require("vm");
const settings = new WeakMap(); // maps a browser context to its settings

class Settings {
  constructor(context, matches) {
    Object.assign(this, { context, matches, routes: [], scripts: new Map(), intercepts: false, credentials: "null" });
    this.intercept = (route, request) => void this.answer(route, request).catch((error) => log("answering a request", { error: firstLine(error) }));
  }

  // invalid returns what is wrong with a route or a script, or undefined.
  invalid({ routes, scripts }) {
    for (const { url } of routes) {
      try {
        this.matches("http://localhost/", url);
      } catch (error) {
        return { kind: "route", text: firstLine(error) };
      }
    }
    for (const { source } of scripts) {
      try {
        new vm.Script(`(() => {\n${source}\n})();`);
      } catch (error) {
        return { kind: "script", text: firstLine(error) };
      }
    }
  }

  async apply(progress, wanted) {
    const invalid = this.invalid(wanted);
    if (invalid) return { invalid };
    const { context } = this;
    this.routes = wanted.routes;
    if (this.intercepts !== this.routes.length > 0) {
      this.intercepts = !this.intercepts;
      if (this.intercepts) await context.addRequestInterceptor(progress, this.intercept);
      else await context.removeRequestInterceptor(this.intercept);
    }
    const ids = wanted.scripts.map(({ id }) => id);
    for (const [id, script] of this.scripts) {
      if (ids.includes(id)) continue;
      this.scripts.delete(id);
      await context.removeInitScript(script);
    }
    for (const { id, source } of wanted.scripts) {
      if (!this.scripts.has(id)) this.scripts.set(id, await context.addInitScript(progress, source));
    }
    const credentials = JSON.stringify(wanted.credentials ?? null);
    if (credentials !== this.credentials) {
      this.credentials = credentials;
      context._options.httpCredentials = wanted.credentials ?? undefined;
      await Promise.all(context.pages().map((page) => page.delegate.updateHttpCredentials()));
    }
    return { applied: true };
  }

  async answer(route, request) {
    const { url, types, abort, status, headers, body, file, delay } =
      this.routes.find((r) => (!r.types?.length || r.types.includes(request.resourceType())) && this.matches(request.url(), r.url)) ?? {};
    if (delay) await new Promise((done) => setTimeout(done, delay).unref());
    if (route._handled) return; // the page or the route has gone in the meantime
    if (abort) return route.abort("blockedbyclient");
    if (url === undefined || (body === undefined && !file && !status)) return route.continue({ isFallback: true });
    let content = Buffer.from(body ?? "");
    if (file) {
      try {
        content = await fs.promises.readFile(file);
      } catch (error) {
        log("reading the file of a route", { error: error.code });
        return route.abort("failed");
      }
    }
    const list = [...Object.entries(headers ?? {}), ["content-length", String(content.length)]];
    const sent = list.map(([name, value]) => ({ name: name.toLowerCase(), value }));
    return route.fulfill({ status: status || 200, headers: sent, body: content.toString("base64"), isBase64: true });
  }
}

async function applySettings(progress, page, { routes, scripts, credentials }) {
  return settings.get(page.browserContext).apply(progress, { routes: routes ?? [], scripts: scripts ?? [], credentials });
}

// addCredentials changes the requests that Playwright intercepts and continues on a CDP session. It
// adds the password to requests to the password's origin. It removes the password from other
// requests, because Playwright continues a redirected request with the headers of the first
// request. Playwright calls addCredentials before it listens to the session itself.
function addCredentials(manager, session) {
  const paused = new Map(); // maps the id of an intercepted request to the request
  session.on("Fetch.requestPaused", ({ requestId, request }) => void (manager._credentials && paused.set(requestId, request)));
  const send = session.send;
  session.send = function (method, params, ...rest) {
    if (method.startsWith("Fetch.") && params?.requestId) {
      const request = paused.get(params.requestId);
      paused.delete(params.requestId);
      if (request && method === "Fetch.continueRequest" && manager._credentials) params = withCredentials(manager, request, params);
    }
    return send.call(this, method, params, ...rest);
  };
}

function withCredentials(manager, request, params) {
  const { username, password } = manager._credentials;
  const value = "Basic " + Buffer.from(`${username}:${password}`).toString("base64");
  const headers = params.headers ?? Object.entries(request.headers).map(([name, value]) => ({ name, value }));
  const present = headers.find(({ name }) => name.toLowerCase() === "authorization");
  if (manager._shouldProvideCredentials(params.url ?? request.url)) {
    return present ? params : { ...params, headers: [...headers, { name: "Authorization", value }] };
  }
  return present?.value === value ? { ...params, headers: headers.filter((header) => header !== present) } : params;
}
