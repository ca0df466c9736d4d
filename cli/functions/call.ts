import { FunctionDetail } from '../../contract/functions.ts';
import { type Api, createApi } from '../client/api.ts';
import { connect, findLogin } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { readStdin } from '../terminal/ask.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { parseIfJson } from './json-or-text.ts';

/** A function has 30 seconds to respond and 5 minutes to finish. */
const CALL_MS = 6 * 60_000;

const Known = FunctionDetail.pick({ workerUrl: true, isPublic: true });

export const functionsCall: Command = {
  name: 'functions call',
  usage: '<slug> [json|-]',
  args: [1, 2],
  summary: 'call a function and print its response',
  options: {
    get: { type: 'boolean', summary: 'send a GET to the function at its own URL' },
    path: { type: 'string', value: 'path', summary: 'with --get: path and query' },
    ...SERVER_OPTION,
  },
  notes:
    'Exits with 1 if the status is 400 or higher, and prints the status to standard error. - reads the body from standard input.',
  async run(call) {
    const [slug = '', body] = call.args;
    if (call.text('path') !== undefined && !call.flag('get')) throw new UsageError('--path needs --get.');
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
    call.out.error(`${slug} responded with status ${response.status}.`);
    call.exitWith(EXIT.failed);
  },
};

function post(api: Api, slug: string, body: string | undefined): Promise<Response> {
  return api.send('POST', `/api/functions/${encodeURIComponent(slug)}`, {
    signal: AbortSignal.timeout(CALL_MS),
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  });
}

/** Sends a GET to the function's own URL. In the API, GET returns information about the function. */
async function get(call: Call, slug: string): Promise<Response> {
  if (call.args[1] !== undefined) throw new UsageError('--get cannot send a body.');
  const { base_url, token } = await findLogin(call);
  const api = createApi(base_url, token);
  const { workerUrl, isPublic } = await api.call('GET', `/api/functions/${encodeURIComponent(slug)}`, {
    reads: Known,
  });
  const own = URL.parse(workerUrl);
  if (!own || !/^https?:$/.test(own.protocol)) {
    throw new CommandError(`${base_url} returned an invalid URL for ${slug}.`);
  }
  if (own.origin === base_url) {
    throw new CommandError(
      `Functions have no URLs of their own at ${base_url}, so they accept only POST. Call it without --get.`,
    );
  }
  if (!isPublic && !isOfServer(own, new URL(base_url))) {
    throw new CommandError(
      `${base_url} says that ${slug} is at ${own.origin}, which is not a subdomain of it, so your token is not sent there. Call the function without --get.`,
      EXIT.denied,
    );
  }
  const path = call.text('path') ?? '/';
  const isLocal = own.hostname.endsWith('.localhost');
  // Browsers resolve *.localhost themselves, but this machine may not.
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

/** True if a URL belongs to the server that the token is for, and is as secure. */
function isOfServer(own: URL, server: URL): boolean {
  if (server.protocol === 'https:' && own.protocol !== 'https:') return false;
  const isOnThisMachine = /^(localhost|127\.[\d.]+|\[::1\])$/.test(server.hostname);
  // On this machine, *.localhost with the same port is the same server.
  if (isOnThisMachine && own.hostname.endsWith('.localhost')) return own.port === server.port;
  return own.origin === server.origin || own.hostname.endsWith(`.${server.hostname}`);
}

async function jsonOf(given: string | undefined): Promise<string | undefined> {
  const text = given === '-' ? await readStdin() : given;
  if (text === undefined) return undefined;
  if (parseIfJson(text) === text) throw new UsageError(`${text.slice(0, 60)} is not JSON.`);
  return text;
}
