// This script runs in the main world of every document, before the page's own scripts. It replaces
// the functions by which a page asks a person for a permission or a file. The replacements ask
// the session's daemon instead, which decides by the session's policies. A request that gets no
// response is denied.
(init => {
  const key = Symbol.for('abrowser.asks');
  const given = globalThis[init.binding];
  if (given) delete globalThis[init.binding];
  if (init.filtered) for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name];
  if (globalThis[key]) return globalThis[key].connect(given, init);

  let ask = given, state = init;
  const later = setTimeout.bind(globalThis), drop = clearTimeout.bind(globalThis);
  const silence = { do: 'deny' }, silent = 3000;
  const answers = new Map(); // the resolve functions of requests, by the number of the request
  let asked = 0;
  const send = question => new Promise(resolve => {
    const id = ++asked;
    const end = answer => { drop(timer); answers.delete(id); resolve(answer); };
    const timer = later(end, silent, silence);
    answers.set(id, end);
    // Another client of the page may respond first, with the error that it has not exposed this
    // function. That error is ignored, because the daemon's response is still to come.
    Promise.resolve().then(() => ask(JSON.stringify({ ...question, id })))
      .catch(error => String(error?.message ?? error).includes('is not exposed') || end(silence));
  });
  const decide = async question => {
    let answer = await send(question);
    while (answer.wait) answer = await send({ kind: 'wait', wait: answer.wait });
    return answer;
  };

  const undo = [];
  const replace = (on, name, value) => {
    while (on && !Object.getOwnPropertyDescriptor(on, name)) on = Object.getPrototypeOf(on);
    const before = on && Object.getOwnPropertyDescriptor(on, name);
    if (!before?.configurable) return;
    Object.defineProperty(on, name, { configurable: true, enumerable: before.enumerable, writable: true, value });
    undo.push(() => Object.defineProperty(on, name, before));
  };
  const method = (on, name, serve) => {
    const native = on?.[name];
    if (typeof native !== 'function') return;
    replace(on, name, { [name](...args) { return serve(native, this, args); } }[name]);
  };
  const typed = (type, members) => Object.defineProperties(Object.create(type?.prototype ?? Object.prototype), Object.getOwnPropertyDescriptors(members));
  const refused = (name, message) => new DOMException(message, name);

  // Permissions.
  const query = globalThis.Permissions?.prototype.query;
  const granted = async name => {
    try { return (await query.call(navigator.permissions, { name })).state === 'granted'; } catch { return false; }
  };
  const permit = async (...names) => {
    const answer = await decide({ kind: 'permission', names });
    if (answer.do === 'deny') throw refused('NotAllowedError', 'Permission denied');
    return answer;
  };
  const stream = ({ audio, video }) => {
    const tracks = [];
    if (video) {
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [640, 480];
      canvas.getContext('2d').fillRect(0, 0, 640, 480);
      tracks.push(...canvas.captureStream(10).getTracks());
    }
    if (audio) {
      const context = new AudioContext(), to = context.createMediaStreamDestination(), from = context.createOscillator();
      from.connect(to);
      from.start();
      tracks.push(...to.stream.getTracks());
    }
    return new MediaStream(tracks);
  };
  const userMedia = async (native, self, wanted) => {
    const names = [];
    if (wanted?.audio) names.push('microphone');
    if (wanted?.video) names.push('camera');
    if (names.length === 0) return native.call(self, wanted);
    await permit(...names);
    for (const name of names) if (!await granted(name)) return stream(wanted);
    return native.call(self, wanted);
  };
  const media = globalThis.MediaDevices?.prototype, getUserMedia = media?.getUserMedia;
  method(media, 'getUserMedia', (native, self, [wanted]) => userMedia(native, self, wanted));
  method(globalThis.Navigator?.prototype, 'webkitGetUserMedia', (native, self, [wanted, ok, bad]) => {
    if (!getUserMedia) return native.call(self, wanted, ok, bad);
    userMedia(getUserMedia, navigator.mediaDevices, wanted).then(ok, bad);
  });
  method(media, 'getDisplayMedia', async (native, self, [wanted]) => {
    if (!navigator.userActivation?.isActive) return native.call(self, wanted); // the browser refuses
    await permit('display-capture');
    return stream({ video: true });
  });

  const failure = (code, message) => typed(globalThis.GeolocationPositionError, { code, message });
  const position = p => {
    const coords = { latitude: p.latitude, longitude: p.longitude, accuracy: p.accuracy, altitude: null, altitudeAccuracy: null, heading: null, speed: null };
    return typed(globalThis.GeolocationPosition, { coords: typed(globalThis.GeolocationCoordinates, { ...coords, toJSON: () => coords }), timestamp: Date.now() });
  };
  const watches = new Set();
  let lastWatch = 1 << 20; // larger than the browser's own ids
  const locate = async (native, self, ok, bad, options, live) => {
    const answer = await decide({ kind: 'permission', names: ['geolocation'] });
    if (!live()) return;
    if (answer.do === 'deny') return bad?.(failure(1, 'User denied Geolocation'));
    if (answer.position) return ok(position(answer.position));
    if (await granted('geolocation')) return native.call(self, ok, bad, options);
    bad?.(failure(2, 'No position is set'));
  };
  const located = globalThis.Geolocation?.prototype;
  method(located, 'getCurrentPosition', (native, self, [ok, bad, options]) => {
    if (typeof ok !== 'function') return native.call(self, ok, bad, options);
    locate(native, self, ok, bad, options, () => true);
  });
  method(located, 'watchPosition', (native, self, [ok, bad, options]) => {
    if (typeof ok !== 'function') return native.call(self, ok, bad, options);
    const id = ++lastWatch;
    watches.add(id);
    locate(native, self, ok, bad, options, () => watches.has(id));
    return id;
  });
  method(located, 'clearWatch', (native, self, [id]) => { if (!watches.delete(id)) native.call(self, id); });

  const clipboard = globalThis.Clipboard?.prototype;
  const active = () => navigator.userActivation?.isActive === true;
  const copy = async text => {
    const answer = await decide({ kind: 'permission', names: ['clipboard-write'], text, active: active() });
    if (answer.do === 'deny') throw refused('NotAllowedError', 'Write permission denied.');
  };
  const paste = async () => {
    const answer = await decide({ kind: 'permission', names: ['clipboard-read'] });
    if (answer.do === 'deny') throw refused('NotAllowedError', 'Read permission denied.');
    return answer.text ?? '';
  };
  method(clipboard, 'writeText', (native, self, [text]) => copy(String(text)));
  method(clipboard, 'readText', paste);
  method(clipboard, 'write', async (native, self, [items]) => {
    const item = Array.from(items ?? []).find(i => i.types.includes('text/plain'));
    return copy(item ? await (await item.getType('text/plain')).text() : '');
  });
  method(clipboard, 'read', async () => [new ClipboardItem({ 'text/plain': new Blob([await paste()], { type: 'text/plain' }) })]);

  method(globalThis.Navigator?.prototype, 'requestMIDIAccess', async (native, self, [options]) => {
    const name = options?.sysex ? 'midi-sysex' : 'midi';
    await permit(name);
    if (await granted(name)) return native.call(self, options);
    const access = new EventTarget();
    return Object.assign(access, { inputs: new Map(), outputs: new Map(), sysexEnabled: !!options?.sysex, onstatechange: null });
  });
  const device = (on, name, permission, none) => method(on, name, async (native, self, args) => {
    if (!active()) return native.apply(self, args); // the browser refuses it
    await permit(permission);
    if (none) return none();
    throw refused('NotFoundError', 'No device was selected.');
  });
  device(globalThis.Bluetooth?.prototype, 'requestDevice', 'bluetooth');
  device(globalThis.USB?.prototype, 'requestDevice', 'usb');
  device(globalThis.HID?.prototype, 'requestDevice', 'hid', () => []);
  device(globalThis.Serial?.prototype, 'requestPort', 'serial');
  device(globalThis, 'queryLocalFonts', 'local-fonts', () => []);
  method(globalThis, 'getScreenDetails', async (native, self, args) => {
    await permit('window-management');
    if (await granted('window-management')) return native.apply(self, args);
    const one = typed(null, { availHeight: screen.availHeight, availWidth: screen.availWidth, height: screen.height, width: screen.width, left: 0, top: 0, isPrimary: true, isInternal: false, devicePixelRatio, label: '' });
    return Object.assign(new EventTarget(), { screens: [one], currentScreen: one });
  });
  method(globalThis.IdleDetector, 'requestPermission', async () => {
    const answer = await decide({ kind: 'permission', names: ['idle-detection'] });
    return answer.do === 'deny' ? 'denied' : 'granted';
  });
  const sensors = { Accelerometer: 'accelerometer', LinearAccelerationSensor: 'accelerometer', GravitySensor: 'accelerometer', Gyroscope: 'gyroscope', Magnetometer: 'magnetometer' };
  method(globalThis.Sensor?.prototype, 'start', (native, self) => {
    const name = sensors[self.constructor.name];
    decide({ kind: 'permission', names: name ? [name] : ['accelerometer', 'gyroscope'] }).then(answer => {
      if (answer.do !== 'deny') return native.call(self);
      self.dispatchEvent(new SensorErrorEvent('error', { error: refused('NotAllowedError', 'Permissions to access sensor are not granted') }));
    });
  });
  method(globalThis.SyncManager?.prototype, 'register', async (native, self, args) => {
    await permit('background-sync');
    return native.apply(self, args);
  });
  method(globalThis.Permissions?.prototype, 'query', async (native, self, [wanted]) => {
    const status = await native.call(self, wanted);
    const name = wanted?.name === 'midi' && wanted.sysex ? 'midi-sysex' : wanted?.name;
    const answer = init.names.includes(name) ? await send({ kind: 'query', names: [name] }) : {};
    if (answer.state) Object.defineProperty(status, 'state', { value: answer.state, configurable: true, enumerable: true });
    return status;
  });

  // Notifications.
  if (globalThis.Notification) {
    class Notification extends EventTarget {
      constructor(title, options = {}) {
        super();
        if (arguments.length === 0) throw new TypeError("Failed to construct 'Notification': 1 argument required, but only 0 present.");
        Object.assign(this, { title: String(title), body: '', tag: '', icon: '', lang: '', dir: 'auto', data: null, silent: null, requireInteraction: false }, options);
        for (const name of ['click', 'close', 'error', 'show']) {
          this['on' + name] = null;
          this.addEventListener(name, event => this['on' + name]?.call(this, event));
        }
        decide({ kind: 'notification', title: this.title, text: String(this.body) }).then(answer => this.dispatchEvent(new Event(answer.do === 'deny' ? 'error' : 'show')));
      }
      close() { this.dispatchEvent(new Event('close')); }
      static get permission() { return state.notifications; }
      static get maxActions() { return 2; }
      static async requestPermission(then) {
        const answer = await decide({ kind: 'permission', names: ['notifications'] });
        if (answer.do !== 'deny') state = { ...state, notifications: 'granted' };
        const now = answer.do === 'deny' ? 'denied' : 'granted';
        then?.(now);
        return now;
      }
    }
    replace(globalThis, 'Notification', Notification);
    method(globalThis.ServiceWorkerRegistration?.prototype, 'showNotification', async (native, self, [title, options]) => {
      const answer = await decide({ kind: 'notification', title: String(title), text: String(options?.body ?? '') });
      if (answer.do === 'deny') throw new TypeError('No notification permission has been granted for this origin.');
    });
  }

  // File pickers.
  const fromBase64 = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const toBase64 = bytes => { let s = ''; for (const b of bytes) s += String.fromCharCode(b); return btoa(s); };
  const common = { async queryPermission() { return 'granted'; }, async requestPermission() { return 'granted'; }, async isSameEntry(other) { return other === this; } };
  const reading = f => typed(globalThis.FileSystemFileHandle, {
    ...common, kind: 'file', name: f.name,
    async getFile() { return new File([fromBase64(f.data)], f.name, { type: f.type }); },
    async createWritable() { throw refused('NotAllowedError', 'The file was given for reading.'); },
  });
  const saving = (id, name) => {
    let saved = new Uint8Array(0);
    return typed(globalThis.FileSystemFileHandle, {
      ...common, kind: 'file', name,
      async getFile() { return new File([saved], name); },
      async createWritable({ keepExistingData } = {}) {
        let at = 0, content = keepExistingData ? saved.slice() : new Uint8Array(0);
        const resize = size => { const next = new Uint8Array(size); next.set(content.subarray(0, size)); content = next; };
        const put = async chunk => {
          const command = chunk && typeof chunk === 'object' && chunk.type && !(chunk instanceof Blob) ? chunk : { type: 'write', data: chunk };
          if (command.type === 'truncate') { resize(command.size); at = Math.min(at, command.size); return; }
          if (command.position !== undefined) at = command.position;
          if (command.type === 'seek') return;
          const bytes = new Uint8Array(await new Blob([command.data]).arrayBuffer());
          if (at + bytes.length > content.length) resize(at + bytes.length);
          content.set(bytes, at);
          at += bytes.length;
        };
        const writable = new WritableStream({
          write: put,
          async close() {
            const most = 1 << 20;
            for (let from = 0; from === 0 || from < content.length; from += most) {
              const answer = await send({ kind: 'save', file: id, data: toBase64(content.subarray(from, from + most)), more: from > 0 });
              if (answer.do !== 'allow') throw refused('InvalidStateError', 'The file could not be written.');
            }
            saved = content;
          },
        });
        const act = async chunk => { const writer = writable.getWriter(); try { await writer.write(chunk); } finally { writer.releaseLock(); } };
        return Object.assign(writable, { write: act, seek: position => act({ type: 'seek', position }), truncate: size => act({ type: 'truncate', size }) });
      },
    });
  };
  const directory = files => {
    const all = new Map(files.map(f => [f.name, reading(f)]));
    const find = async name => { if (all.has(name)) return all.get(name); throw refused('NotFoundError', 'There is no such entry.'); };
    return typed(globalThis.FileSystemDirectoryHandle, {
      ...common, kind: 'directory', name: 'files',
      async *entries() { yield* all.entries(); }, async *keys() { yield* all.keys(); }, async *values() { yield* all.values(); },
      async *[Symbol.asyncIterator]() { yield* all.entries(); },
      getFileHandle: find, getDirectoryHandle: find,
      async removeEntry() { throw refused('NotAllowedError', 'The directory was given for reading.'); },
      async resolve(handle) { for (const [name, one] of all) if (one === handle) return [name]; return null; },
    });
  };
  for (const api of init.pickers) {
    method(globalThis, api, async (native, self, [options]) => {
      if (!active()) return native.call(self, options); // the browser refuses it
      const answer = await decide({ kind: 'file-picker', api, title: String(options?.suggestedName ?? '') });
      if (answer.do !== 'allow') throw refused('AbortError', 'The user aborted a request.');
      if (api === 'showSaveFilePicker') return saving(answer.file, answer.name);
      return api === 'showDirectoryPicker' ? directory(answer.files) : answer.files.map(reading);
    });
  }

  Object.defineProperty(globalThis, key, {
    configurable: true,
    value: {
      answer(id, answer) { answers.get(id)?.(answer); },
      connect(binding, next) { ask = binding ?? ask; state = next; },
      restore() { for (const back of undo.reverse()) back(); delete globalThis[key]; },
    },
  });
})
