import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { descendants, watchSurvivors } from '../support/faults/process.ts';
import { PRIVATE_HOSTS } from '../support/functions/addresses.ts';
import { type Listener, listenEverywhere } from '../support/functions/listener.ts';
import { untilDecided } from '../support/http/call.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** What a hostile page can do in the browser that checks it: leave its box, reach others, or keep it busy. */

const CHECK_MS = 60_000;

let quire: TestServer;
let owner: Account;
let listener: Listener;
beforeAll(async () => {
  quire = await startServer({ settings: { QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' } });
  owner = await register(quire, 'owner');
  listener = await listenEverywhere();
}, 120_000);
afterAll(async () => {
  listener.close();
  await quire.stop();
});

const page = (script: string, as = owner) =>
  publish(quire, as.token, {
    html_content: `<!doctype html><title>t</title><body><script>${script}</script>`,
  });

/** Starts a check. The answer comes later. */
const start = (id: number, body: object = {}, as = owner) =>
  call(quire, 'POST', `/api/pages/${id}/check`, { token: as.token, body, timeoutMs: CHECK_MS });

async function check(script: string, body: object = {}) {
  const { id } = await page(script);
  const answer = await untilDecided(() => start(id, body));
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Deploys a function with this handler. */
async function deploy(slug: string, handler: string): Promise<void> {
  const body = { slug, code: `export default { fetch: ${handler} };` };
  const { status } = await call(quire, 'POST', '/api/functions', { token: owner.token, body });
  expect(status).toBe(201);
}

/** The processes of browsers in their boxes. */
const browsers = () =>
  descendants(quire.pid).filter((pid) => /headless|type=renderer/.test(readCommand(pid)) && hasStarted(pid));
const hasStarted = (pid: number) =>
  readCommand(pid).startsWith('/usr/lib') || readCommand(pid).startsWith('/opt');

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

const texts = (list: Array<{ message?: string; text?: string }>) =>
  list.map(({ message, text }) => message ?? text ?? '');

describe('a page in a check cannot reach', () => {
  // Two visitors, each in a part of the browser that is made for them.
  test('private addresses, by any name, protocol or redirect', async () => {
    await deploy(
      'elsewhere',
      `(request) => Response.redirect(new URL(request.url).searchParams.get('to'), 302)`,
    );
    const hosts = [...new Set(PRIVATE_HOSTS)].map((name) => `${name}:${listener.port}`);
    const report = await check(
      `
      const quietly = (work) => { try { work(); } catch {} };
      for (const host of ${JSON.stringify(hosts)}) {
        quietly(() => fetch('http://' + host + '/', { mode: 'no-cors' }).catch(() => {}));
        quietly(() => fetch('https://' + host + '/', { mode: 'no-cors' }).catch(() => {}));
        quietly(() => new WebSocket('ws://' + host + '/'));
        quietly(() => { new Image().src = 'http://' + host + '/image'; });
        quietly(() => navigator.sendBeacon('http://' + host + '/beacon', 'x'));
      }
      for (const host of ['127.0.0.1:${listener.port}', '[::1]:${listener.port}', 'localhost:${listener.port}']) {
        fetch('/api/functions/elsewhere?to=' + encodeURIComponent('http://' + host + '/'), { method: 'POST', mode: 'no-cors' }).catch(() => {});
        quietly(() => {
          const connection = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + host }, { urls: 'turn:' + host + '?transport=tcp', username: 'a', credential: 'b' }] });
          connection.createDataChannel('x');
          connection.createOffer().then((offer) => connection.setLocalDescription(offer));
        });
        const frame = document.createElement('iframe');
        frame.src = 'http://' + host + '/frame';
        document.body.append(frame);
      }
    `,
      { as: ['nobody', 'nobody'] },
    );
    expect(listener.takeCount()).toBe(0);
    const failed = report.failedRequests as Array<{ url: string; status: number }>;
    expect(failed.length).toBe(50);
    expect(failed.filter(({ status }) => status >= 200 && status < 400)).toEqual([]);
  }, 120_000);

  test.each(['nobody', 'owner', 'visitor'])(
    'the management API or metrics, as %s',
    async (as) => {
      const base = quire.baseUrl;
      const report = await check(
        `for (const [method, path] of [['GET', '/api/pages'], ['POST', '/api/auth/session-token'], ['GET', '/metrics'],
        ['GET', '/api/auth/me'], ['GET', '/api/admin/users']])
        fetch('${base}' + path, { method, mode: 'no-cors', credentials: 'include' }).catch(() => {});`,
        { as },
      );
      const failed = report.failedRequests as Array<{ url: string; status: number }>;
      const refused = Object.fromEntries(failed.map(({ url, status }) => [url.replace(base, ''), status]));
      expect(refused).toEqual({
        '/api/pages': 401,
        '/api/auth/session-token': 403,
        '/metrics': 403,
        '/api/auth/me': 401,
        '/api/admin/users': 401,
      });
    },
    120_000,
  );

  test('the machine: it has no privileges, no files and no network of its own', async () => {
    const { id } = await page('while (true);');
    const leave = new AbortController();
    const answer = fetch(`http://127.0.0.1:${quire.port}/api/pages/${id}/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}` },
      signal: leave.signal,
    }).catch(() => undefined);
    await waitUntil(async () => browsers().length > 2);
    const pids = browsers();
    for (const pid of pids) {
      const status = (field: string) =>
        new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      expect([status('CapEff'), status('NoNewPrivs'), status('Seccomp')]).toEqual(['0'.repeat(16), '1', '2']);
      expect(status('Uid')).not.toMatch(/\b(0|65534)\b/);
      for (const space of ['net', 'pid', 'mnt', 'ipc', 'user'])
        expect(readlinkSync(`/proc/${pid}/ns/${space}`)).not.toBe(
          readlinkSync(`/proc/${quire.pid}/ns/${space}`),
        );
      const root = `/proc/${pid}/root`;
      const seen = readdirSync(root).filter((name) => !/^(bin|lib|usr|nix|opt|var|etc)/.test(name));
      expect(seen.sort()).toEqual(['config', 'dev', 'egress', 'proc', 'program', 'site', 'tmp']);
      expect(existsSync(`${root}/etc/passwd`)).toBeFalse();
      expect(readdirSync(`${root}/etc`)).toEqual(['fonts']);
    }
    // A client that leaves takes its browser with it.
    const survivors = watchSurvivors(pids);
    leave.abort();
    await answer;
    await waitUntil(async () => survivors().length === 0);
  }, 120_000);
});

describe('a check ends with an answer that says what happened, if a page', () => {
  test('never stops computing', async () => {
    const report = await check('document.title = "busy"; debugger;\n\nwhile (true);');
    const message = 'The page does not respond: one of its scripts does not end.';
    expect(report.errors).toContainEqual({ message, line: 3 });
    expect(report.title).toBe('busy');
  }, 120_000);

  test('uses more and more memory', async () => {
    const report = await check(`const kept = [];
      setInterval(() => { for (let i = 0; i < 16; i++) kept.push(new Uint8Array(8e6).fill(i + 1)); }, 0);`);
    expect(texts(report.errors).join()).toMatch(/memory/);
  }, 120_000);

  test('opens dialogs and windows, downloads, prints and leaves', async () => {
    const report = await check(`
      addEventListener('beforeunload', (event) => event.preventDefault());
      alert('stay'); console.log(confirm('really'), prompt('name'));
      open('about:blank#other'); print();
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(['x']));
      link.download = 'file.exe';
      link.click();
      navigator.serviceWorker?.register('/sw.js').catch(() => {});
      setTimeout(() => { location = '${quire.baseUrl}/login'; }, 300);
    `);
    const notes = (report.notes as string[]).join('\n');
    for (const part of [
      '(alert): stay',
      '(confirm): really',
      '(prompt): name',
      'tried to download',
      'navigated to',
    ])
      expect(notes).toContain(part);
    expect(texts(report.console)).toContain('false null');
    expect(report.screenshot).not.toBeNull();
  }, 120_000);

  test('is clicked, and then opens dialogs and windows, downloads, computes without end or leaves', async () => {
    const clicks = `for (const [name, run] of Object.entries({
        Ask: () => { document.title = 'asked ' + confirm('really'); },
        Open: () => { open('about:blank#other'); },
        Save: () => Object.assign(document.createElement('a'), { href: 'data:,x', download: 'x.exe' }).click(),
        Spin: () => { while (true); },
        Leave: () => { location = '${quire.baseUrl}/login'; },
      })) document.body.append(Object.assign(document.createElement('button'), { textContent: name, onclick: run }));`;
    const click = (...names: string[]) => names.map((name) => ({ click: { role: 'button', name } }));
    const [spun, left] = await Promise.all([
      check(clicks, { steps: click('Ask', 'Open', 'Save', 'Spin', 'Ask') }),
      check(clicks, { steps: click('Leave', 'Ask') }),
    ]);
    const states = (report: { steps: Array<{ state: string }> }) => report.steps.map(({ state }) => state);
    expect([spun.title, states(spun).slice(0, 3), states(spun)[4]]).toEqual([
      'asked true',
      ['done', 'done', 'done'],
      'skipped',
    ]);
    const notes = (spun.notes as string[]).join('\n');
    for (const part of ['(confirm): really It was answered with OK.', 'open a window', 'tried to download'])
      expect(notes).toContain(part);
    expect(texts(spun.errors)).toContain('The page does not respond: one of its scripts does not end.');
    expect(states(left)).toEqual(['done', 'failed']);
    expect(left.steps[1].reason).toContain('is not part of the page');
  }, 120_000);

  test('prints or throws without end', async () => {
    const [printed, thrown] = await Promise.all([
      check(`console.log('x'.repeat(5e7));
        for (let i = 0; i < 6000; i++) console.log(i + ' ' + 'y'.repeat(3000));`),
      check(`for (let i = 0; i < 200; i++) setTimeout(() => { throw new Error(i + 'z'.repeat(10000)); });
        document.title = 't'.repeat(1e6);`),
    ]);
    expect([printed.console.length, thrown.errors.length]).toEqual([100, 50]);
    const all = [...texts(printed.console), ...printed.notes, ...texts(thrown.errors), thrown.title];
    expect(all.filter((text) => text.length > 2_100)).toEqual([]);
    expect(thrown.notes).toContain('The page threw more than 50 errors. The rest is left out.');
  }, 120_000);
});

describe('the browsers', () => {
  test('run two at a time, give every owner a turn, and refuse one who has too many waiting', async () => {
    // Nobody who has used up their checks of a minute.
    const hasty = await register(quire, 'hasty');
    const neighbour = await register(quire, 'neighbour');
    const theirs = await page('', neighbour);
    await deploy('slow', 'async () => { await scheduler.wait(3_000); return new Response(); }');
    const { id } = await page(`fetch('/api/functions/slow', { method: 'POST' });`, hasty);
    const leave = new AbortController();
    const outcomes: number[] = [];
    const asked = Array.from({ length: 9 }, () =>
      fetch(`http://127.0.0.1:${quire.port}/api/pages/${id}/check`, {
        method: 'POST',
        headers: { authorization: `Bearer ${hasty.token}` },
        signal: leave.signal,
      }).then(
        ({ status }) => outcomes.push(status),
        () => undefined,
      ),
    );
    // Two run, six wait, one is refused.
    await waitUntil(async () => outcomes.length > 0);
    expect(outcomes).toEqual([503]);
    // Someone else gets a place in the queue, and the next turn.
    const answer = await start(theirs.id, {}, neighbour);
    expect(answer.status).toBe(200);
    expect(outcomes.filter((status) => status === 503)).toEqual([503, 503]);
    expect(outcomes.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    leave.abort();
    await Promise.all(asked);
    await waitUntil(async () => browsers().length === 0);
  }, 120_000);

  test('end with a server that is killed', async () => {
    const { id } = await page('while (true);');
    const answer = start(id).catch(() => undefined);
    await waitUntil(async () => browsers().length > 2);
    const survivors = watchSurvivors(descendants(quire.pid));
    await quire.kill();
    await answer;
    await waitUntil(async () => survivors().length === 0);
  }, 120_000);
});
