// Every document of the soak test runs this script, also in frames. For each case it builds an
// element, makes the element ready at the moment that the case names, and records what happens
// to the element.
//
// No record may be lost. Each record has a number, and is stored outside of the document until the
// server has confirmed it: in the tab's sessionStorage for the top document, in window.name for
// a frame, because a frame of another origin may have no sessionStorage. Both outlive a document.
// If a document goes away, the next document in the same place reports the remaining records. Each
// report contains the number of the last record, so that the server notices gaps.
//
// The script of an eval command that is not done in time is terminated at any point, also inside of
// note. So state.log changes by single steps only, and a record's number follows from its place: a
// counter that was increased without a record would leave a gap for ever.
"use strict";
(() => {
  const query = new URLSearchParams(location.search);
  const role = location.pathname.split("/").pop();
  const now = () => performance.timeOrigin + performance.now();
  const isTop = window === top;
  const kept = isTop ? sessionStorage.getItem("soak") : window.name;
  const state = JSON.parse(kept || "null") ?? { epoch: String(Math.random()).slice(2), page: "", log: { confirmed: 0, open: [] }, cases: [] };
  if (query.get("page") !== state.page) Object.assign(state, { page: query.get("page"), cases: [] });
  const save = () => (isTop ? sessionStorage.setItem("soak", JSON.stringify(state)) : (window.name = JSON.stringify(state)));

  let posting = false;
  const note = (type, on, level, value, trusted = true) => {
    state.log.open.push({ at: now(), type, on, level, value: String(value ?? ""), trusted, page: state.page });
    save();
    if (!posting) setTimeout(post);
    posting = true;
  };
  const post = (flush = "") => {
    posting = false;
    const { confirmed, open } = state.log;
    const records = open.map((record, i) => ({ ...record, seq: confirmed + 1 + i }));
    const body = JSON.stringify({ role, epoch: state.epoch, seq: confirmed + open.length, records, flush });
    fetch("/report", { method: "POST", body, keepalive: body.length < 16384 })
      .then((response) => response.json())
      .then(({ have }) => {
        const { confirmed, open } = state.log;
        state.log = { confirmed: Math.max(have, confirmed), open: open.slice(Math.max(have - confirmed, 0)) };
        save();
      })
      .catch(() => setTimeout(post, 200, flush));
  };

  // about returns the id of the case whose element an event is for. If the event is for no such
  // element, about returns a description of the node: "cover of" and the id of the covered case,
  // or the name of any other node.
  const about = (event) => {
    const path = event.composedPath();
    const own = path.find((node) => node.dataset?.case);
    if (own) return own.dataset.case;
    return (path[0].dataset?.cover && "cover of " + path[0].dataset.cover) || (path[0].nodeName ?? "window").toLowerCase() + (path[0].id ? "#" + path[0].id : "");
  };
  const valueOf = (event) => {
    const node = event.composedPath()[0];
    switch (event.type) {
      case "keydown": return event.key;
      case "input": case "change": return node.type === "checkbox" ? node.checked : node.value;
      case "click": case "mousedown": return event.detail;
    }
  };
  // The level "window" is for an event that is recorded before anything can stop it. The level
  // "bubble" is for an event that nothing has stopped, on a node that is not a case's element.
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "keydown"]) {
    addEventListener(type, (e) => note(type, about(e), "window", valueOf(e), e.isTrusted), true);
    addEventListener(type, (e) => !e.composedPath().some((node) => node.dataset?.case) && note(type, about(e), "bubble", valueOf(e), e.isTrusted));
  }
  globalThis.soakNote = (id, value) => note("eval", id, "element", value);

  const control = (c) => {
    const kind = { fill: "input", type: "input", check: "input", enter: "input", select: "select" }[c.action] ?? "button";
    const node = document.createElement(kind);
    Object.assign(node, { id: c.id, ariaLabel: "soak " + c.id });
    node.dataset.case = c.id;
    node.style.cssText = "position: absolute; left: 45px; top: 30px; width: 50px; height: 24px; margin: 0; padding: 0";
    if (kind === "button") node.textContent = c.id;
    if (kind === "button" && c.action !== "submit") node.type = "button";
    if (c.action === "check") node.type = "checkbox";
    if (kind === "select") node.innerHTML = ["none", ...(c.options ?? [])].map((o) => `<option>${o}</option>`).join("");
    for (const type of ["pointerdown", "mousedown", "click", "dblclick", "input", "change", "keydown"])
      node.addEventListener(type, (e) => note(type, c.id, "element", valueOf(e), e.isTrusted));
    return node;
  };

  // Each function makes an element not ready, and returns a function that makes the element ready.
  // The function "once" leaves the element ready from the beginning.
  const holds = {
    once: () => () => {},
    covered: (c, node) => {
      const cover = document.createElement("div");
      cover.dataset.cover = c.id;
      cover.style.cssText = "position: absolute; inset: 0; background: #eee";
      node.parentNode.append(cover);
      return () => cover.remove();
    },
    disabled: (c, node) => ((node.disabled = true), () => (node.disabled = false)),
    hidden: (c, node) => ((node.style.display = "none"), () => (node.style.display = "")),
    absent: (c, node) => {
      const parent = node.parentNode;
      node.remove();
      return () => parent.append(node);
    },
    css: (c, node) => {
      const moving = node.animate([{ left: "0" }, { left: "90px" }], { duration: 430, iterations: Infinity });
      return () => moving.cancel();
    },
    raf: (c, node) => {
      let over = false;
      const move = () => over || ((node.style.left = 45 + 45 * Math.sin(performance.now() / 120) + "px"), requestAnimationFrame(move));
      move();
      return () => (over = true);
    },
    interval: (c, node) => {
      const timer = setInterval(() => (node.style.left = 90 * Math.random() + "px"), c.every);
      return () => clearInterval(timer);
    },
    replaced: (c, node) => {
      const timer = setInterval(() => {
        const fresh = control(c);
        node.replaceWith(fresh);
        node = fresh;
      }, c.every);
      return () => clearInterval(timer);
    },
  };

  const until = (c, ms, do_) => setTimeout(do_, Math.max(0, c.armed + ms - now()));
  const focus = (c) => c.action === "enter" && root(c)?.querySelector("#" + c.id)?.focus();
  const root = (c) => {
    const slot = document.getElementById("slot-" + c.id);
    return slot?.shadowRoot ?? slot;
  };

  const build = (c) => {
    const slot = document.createElement("div");
    slot.id = "slot-" + c.id;
    const columns = 5; // the same in every frame, because all frames have the same top left corner
    slot.style.cssText = `position: absolute; left: ${5 + (c.slot % columns) * 150}px; top: ${5 + Math.floor(c.slot / columns) * 90}px; width: 145px; height: 85px`;
    let parent = c.shadow ? slot.attachShadow({ mode: "open" }) : slot;
    document.body.append(slot);
    if (c.action === "submit" || c.action === "enter") {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", action: `/submit?case=${c.id}&back=${encodeURIComponent(location.pathname + location.search)}` });
      form.addEventListener("submit", (e) => note("submit", c.id, "element", "", e.isTrusted));
      parent.append(form);
      parent = form;
    }
    const node = control(c);
    parent.append(node);
    if (["press", "enter", "eval"].includes(c.action)) document.activeElement?.blur();
    if (c.done) return focus(c), c.said || ((c.said = true), note("ready", c.id));
    const release = holds[c.hold](c, node);
    focus(c);
    until(c, c.ready, () => {
      if (c.navigate) {
        c.done = true;
        note("leaves", c.id); // note also saves the state
        const to = new URL(location);
        to.searchParams.set("delay", c.delay ?? 0);
        return c.navigate === "reload" ? location.reload() : location.assign(to);
      }
      release();
      focus(c);
      c.done = c.said = true;
      note("ready", c.id);
    });
    if (c.spin)
      until(c, c.spinAt, () => {
        const end = now() + c.spin;
        c.spin = 0; // only once, also if the document is replaced
        note("spins", c.id);
        while (now() < end);
        note("spun", c.id);
      });
    if (c.alert)
      until(c, c.alert, () => {
        c.alert = 0;
        note("asks", c.id);
        alert("soak");
        note("asked", c.id);
      });
  };

  const arm = (c) => {
    if (state.cases.some((known) => known.id === c.id)) return;
    c.armed = now();
    state.cases.push(c);
    build(c);
    note("armed", c.id);
  };

  addEventListener("DOMContentLoaded", () => {
    state.cases.forEach(build);
    const orders = new EventSource("/orders?role=" + role);
    orders.onmessage = ({ data }) => {
      const order = JSON.parse(data);
      if (order.arm) arm(order.arm);
      if (order.flush) post(order.flush);
    };
    note("begins", "", "", performance.getEntriesByType("navigation")[0]?.type);
  });
  addEventListener("load", () => query.has("arm") && arm(JSON.parse(query.get("arm"))));
})();
