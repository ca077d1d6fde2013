// This script reads the components of a page that uses React 16.14 or later. It runs in the page's own
// world, because the links from elements to components cannot be seen from another world. It changes
// nothing but a property of window whose name is a symbol, and for renders the hook through which
// React reports its commits. Its value is the result of the command.
(command, args) => {
  const maxNodes = 2000, maxText = 300, maxEntries = 50, maxDepth = 4;
  // The kinds of fibers, which React calls tags.
  const component = new Set([0, 1, 2, 11, 14, 15]), hostRoot = 3, suspense = 13;
  const mark = Symbol.for("abrowser.react");
  const hookName = "__REACT_DEVTOOLS_GLOBAL_HOOK__";
  if (!window[mark]) Object.defineProperty(window, mark, { value: { ids: new WeakMap(), fibers: new Map(), last: 0, renders: null } });
  const state = window[mark];

  const cut = (text) => (text.length > maxText ? text.slice(0, maxText) + "…" : text);

  // roots returns the fibers at the top of the page's React trees.
  function roots() {
    const found = new Set();
    for (const element of document.querySelectorAll("*")) {
      const legacy = element._reactRootContainer;
      const root = legacy && (legacy._internalRoot || legacy);
      if (root && root.current) found.add(root.current);
      for (const name of Object.keys(element)) {
        if (!name.startsWith("__reactContainer$")) continue;
        const fiber = element[name];
        if (fiber && fiber.stateNode && fiber.stateNode.current) found.add(fiber.stateNode.current);
      }
    }
    return [...found];
  }

  // nameOf returns the name of a component.
  function nameOf({ type, tag }) {
    if (tag === suspense) return "Suspense";
    for (let i = 0; type && i < 5; i++) {
      if (typeof type.displayName === "string" && type.displayName) return cut(type.displayName);
      if (typeof type === "function") return cut(type.name || "Anonymous");
      type = type.render || type.type;
    }
    return "Anonymous";
  }

  // idOf returns the id of a component, which stays the same while the component is mounted.
  function idOf(fiber) {
    let id = state.ids.get(fiber) || (fiber.alternate && state.ids.get(fiber.alternate));
    if (!id) {
      id = "r" + ++state.last;
      state.fibers.set(id, new WeakRef(fiber));
    }
    state.ids.set(fiber, id);
    return id;
  }

  // walk calls visit for each component below the page's roots, and for each boundary of Suspense. It
  // reports whether it has visited all.
  function walk(visit) {
    let count = 0;
    const stack = roots().reverse().map((fiber) => [fiber, 0]);
    while (stack.length) {
      const [fiber, depth] = stack.pop();
      let below = depth;
      if (component.has(fiber.tag) || fiber.tag === suspense) {
        if (++count > maxNodes) return false;
        if (visit(fiber, depth) === "stop") return true;
        below++;
      }
      if (fiber.sibling && fiber.tag !== hostRoot) stack.push([fiber.sibling, depth]);
      if (fiber.child) stack.push([fiber.child, below]);
    }
    return true;
  }

  // describe converts a value to JSON. It calls no getter, and replaces what is large or cyclic.
  function describe(value, depth = 0, seen = new Set()) {
    switch (typeof value) {
      case "string": return cut(value);
      case "number": return Number.isFinite(value) ? value : String(value);
      case "boolean": return value;
      case "undefined": return "undefined";
      case "function": return cut(`function ${value.name}()`);
      case "bigint": return String(value) + "n";
      case "symbol": return cut(String(value));
    }
    if (value === null) return null;
    if (value instanceof Node) return `<${String(value.nodeName).toLowerCase()}>`;
    if (seen.has(value)) return "(again)";
    if (value.$$typeof) return `<${typeof value.type === "string" ? value.type : nameOf({ type: value.type })} />`;
    if (depth >= maxDepth) return Array.isArray(value) ? "[…]" : "{…}";
    seen.add(value);
    let names = Object.keys(value), more = names.length - maxEntries;
    names = names.slice(0, maxEntries);
    const entry = (name) => {
      const own = Object.getOwnPropertyDescriptor(value, name);
      return own && "value" in own ? describe(own.value, depth + 1, seen) : "(getter)";
    };
    let out;
    if (Array.isArray(value)) {
      out = names.map(entry);
      if (more > 0) out.push(`… ${more} more`);
    } else {
      out = {};
      for (const name of names) out[cut(name)] = entry(name);
      if (more > 0) out["…"] = `${more} more`;
    }
    seen.delete(value);
    return out;
  }

  // hooksOf returns the state of a component: that of a class, or that of its hooks.
  function hooksOf(fiber) {
    if (fiber.tag === 1) return fiber.memoizedState ? [{ name: "state", value: describe(fiber.memoizedState) }] : [];
    const names = fiber._debugHookTypes || [];
    const hooks = [];
    for (let hook = fiber.memoizedState, i = 0; hook && typeof hook === "object" && "next" in hook && i < maxEntries; hook = hook.next, i++) {
      const kept = hook.memoizedState;
      const isEffect = kept && typeof kept === "object" && "create" in kept && "deps" in kept;
      hooks.push({ name: names[i] || (isEffect ? "effect" : hook.queue ? "state" : "hook"), value: isEffect ? describe(kept.deps) : describe(kept) });
    }
    return hooks;
  }

  // provided returns the value of a context for a component, which React 16 keeps at the provider only.
  function provided(fiber, context) {
    for (let f = fiber.return; f; f = f.return) if (f.type && f.type._context === context) return f.memoizedProps.value;
    return context._currentValue;
  }

  function contextsOf(fiber) {
    const values = [];
    for (let c = fiber.dependencies && fiber.dependencies.firstContext; c && values.length < maxEntries; c = c.next) {
      values.push({ name: (c.context && c.context.displayName) || "Context", value: describe("memoizedValue" in c ? c.memoizedValue : provided(fiber, c.context)) });
    }
    return values;
  }

  function inspect(id) {
    const known = state.fibers.get(id) && state.fibers.get(id).deref();
    let mounted;
    if (known) walk((fiber) => (fiber === known || fiber === known.alternate ? ((mounted = fiber), "stop") : undefined));
    if (!mounted) return { missing: true };
    const parents = [];
    for (let f = mounted.return; f && parents.length < maxEntries; f = f.return) if (component.has(f.tag)) parents.push(nameOf(f));
    const source = mounted._debugSource;
    return {
      id, name: nameOf(mounted), key: mounted.key === null ? undefined : cut(String(mounted.key)), props: describe(mounted.memoizedProps), hooks: hooksOf(mounted),
      contexts: contextsOf(mounted), parents, source: source ? cut(`${source.fileName}:${source.lineNumber}`) : undefined,
    };
  }

  // count adds the components that a commit has rendered.
  function count(root) {
    const stack = [root.current];
    while (stack.length) {
      const fiber = stack.pop(), before = fiber.alternate;
      const performed = ((fiber.flags === undefined ? fiber.effectTag : fiber.flags) & 1) !== 0;
      if (component.has(fiber.tag) && (!before || performed)) {
        const name = nameOf(fiber);
        const seen = state.renders.get(name) || { name, mounts: 0, renders: 0, time: 0 };
        seen.renders++;
        if (!before) seen.mounts++;
        seen.time += fiber.actualDuration || 0;
        if (state.renders.size < maxNodes || state.renders.has(name)) state.renders.set(name, seen);
      }
      for (let child = fiber.child; child && (!before || before.child !== fiber.child); child = child.sibling) stack.push(child);
    }
  }

  // startRenders begins to count. It returns true if React reports its commits to this hook: if React
  // was loaded before there was a hook, it reports to none.
  function startRenders() {
    let hook = window[hookName];
    const late = !hook && roots().length > 0;
    if (!hook) {
      hook = { renderers: new Map(), supportsFiber: true, checkDCE() {}, inject(renderer) { const id = this.renderers.size + 1; this.renderers.set(id, renderer); return id; }, onCommitFiberRoot() {}, onCommitFiberUnmount() {}, onScheduleFiberRoot() {}, onPostCommitFiberRoot() {} };
      Object.defineProperty(window, hookName, { value: hook, configurable: true, writable: true });
    }
    if (!state.commit) {
      const inner = hook.onCommitFiberRoot;
      state.commit = hook.onCommitFiberRoot = function (id, root, ...rest) {
        try {
          if (state.renders) count(root);
        } catch {} // the page must not notice
        return inner && inner.call(this, id, root, ...rest);
      };
    }
    state.renders = new Map();
    return { late };
  }

  switch (command) {
    case "tree": {
      const nodes = [];
      const whole = walk((fiber, depth) => {
        if (!args.depth || depth < args.depth) nodes.push({ id: idOf(fiber), name: nameOf(fiber), key: fiber.key === null ? undefined : cut(String(fiber.key)), depth });
      });
      return { roots: roots().length, components: nodes, cut: !whole };
    }
    case "suspense": {
      const nodes = [];
      const whole = walk((fiber) => {
        const waits = fiber.tag === suspense && fiber.memoizedState !== null;
        if (fiber.tag !== suspense || (args.onlyDynamic && !waits)) return;
        let parent = fiber.return;
        while (parent && !component.has(parent.tag)) parent = parent.return;
        nodes.push({ id: idOf(fiber), state: waits ? "fallback" : "shown", parent: parent ? nameOf(parent) : undefined });
      });
      return { roots: roots().length, boundaries: nodes, cut: !whole };
    }
    case "inspect": return inspect(args.id);
    case "start": return startRenders();
    case "stop": {
      const seen = state.renders ? [...state.renders.values()].sort((a, b) => b.renders - a.renders || (a.name < b.name ? -1 : 1)) : [];
      state.renders = null;
      return { components: seen };
    }
  }
}
