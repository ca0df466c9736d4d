import { z } from 'zod';
import { type Api, createApi } from '../client/api.ts';
import { connect, findLogin } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { readStdin } from '../terminal/ask.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { parseIfJson } from './json-or-text.ts';

/** A function has 30 seconds to begin and 5 minutes to end. */
const CALL_MS = 6 * 60_000;

const Known = z.object({ workerUrl: z.string(), isPublic: z.boolean() });

export const functionsCall: Command = {
  name: 'functions call',
  usage: '<slug> [json|-]',
  args: [1, 2],
  summary: 'call a function and print its answer',
  options: {
    get: { type: 'boolean', summary: 'GET the function at its own address instead' },
    path: { type: 'string', value: 'path', summary: 'with --get: the path and query there' },
    ...SERVER_OPTION,
  },
  notes:
    'Ends with 1 when the status is 400 or higher; the status is then on standard error. - reads the body from standard input.',
  async run(call) {
    const [slug = '', body] = call.args;
    if (call.text('path') !== undefined && !call.flag('get')) throw new UsageError('--path goes with --get.');
    const response = call.flag('get')
      ? await get(call, slug)
      : await post(await connect(call), slug, await jsonOf(body));
    if (call.out.isJson) {
      const text = await response.text();
      call.out.result({ status: response.status, body: parseIfJson(text) }, '');
    } else {
      for await (const chunk of response.body ?? []) await call.out.raw(chunk);
      if (process.stdout.isTTY) await call.out.raw('\n');
    }
    if (response.status < 400) return;
    call.out.error(`${slug} answered with status ${response.status}.`);
    call.exitWith(EXIT.failed);
  },
};

function post(api: Api, slug: string, body: string | undefined): Promise<Response> {
  return api.send('POST', `/api/functions/${encodeURIComponent(slug)}`, {
    signal: AbortSignal.timeout(CALL_MS),
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  });
}

/** At the API a GET tells about the function; only at its own address does it reach it. */
async function get(call: Call, slug: string): Promise<Response> {
  if (call.args[1] !== undefined) throw new UsageError('--get sends no body.');
  const { base_url, token } = await findLogin(call);
  const api = createApi(base_url, token);
  const { workerUrl, isPublic } = await api.call('GET', `/api/functions/${encodeURIComponent(slug)}`, {
    reads: Known,
  });
  const own = URL.parse(workerUrl);
  if (!own || !/^https?:$/.test(own.protocol)) {
    throw new CommandError(`${base_url} gives ${slug} an address that is none.`);
  }
  if (own.origin === base_url) {
    throw new CommandError(`${base_url} gives functions no addresses of their own, so they take POST only.`);
  }
  if (!isPublic && !isOfServer(own, new URL(base_url))) {
    throw new CommandError(
      `${base_url} says that ${slug} is at ${own.origin}, which is no name below its own: your token is not sent there. Without --get it is called at ${base_url}.`,
      EXIT.denied,
    );
  }
  const path = call.text('path') ?? '/';
  const isLocal = own.hostname.endsWith('.localhost');
  // Browsers know where *.localhost leads; this machine's resolver may not.
  const origin = isLocal
    ? `${own.protocol}//${new URL(base_url).hostname}${own.port && `:${own.port}`}`
    : own.origin;
  return createApi(origin, isPublic ? undefined : token).send(
    'GET',
    path.startsWith('/') ? path : `/${path}`,
    {
      signal: AbortSignal.timeout(CALL_MS),
      ...(isLocal && { headers: { host: own.host } }),
    },
  );
}

/** Whether an address belongs to the server that the token is for, and is no less safe than it. */
function isOfServer(own: URL, server: URL): boolean {
  if (server.protocol === 'https:' && own.protocol !== 'https:') return false;
  const isOnThisMachine = /^(localhost|127\.[\d.]+|\[::1\])$/.test(server.hostname);
  // There it is the same server by another name, and its port is the server's.
  if (isOnThisMachine && own.hostname.endsWith('.localhost')) return own.port === server.port;
  return own.origin === server.origin || own.hostname.endsWith(`.${server.hostname}`);
}

async function jsonOf(given: string | undefined): Promise<string | undefined> {
  const text = given === '-' ? await readStdin() : given;
  if (text === undefined) return undefined;
  if (parseIfJson(text) === text) throw new UsageError(`${text.slice(0, 60)} is not JSON.`);
  return text;
}
