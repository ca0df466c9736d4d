import { callEndpoints } from '../../contract/functions/call-endpoints.ts';
import { TEST_AS_PARAM } from '../../contract/functions/call-tickets.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { TestedCall } from '../../contract/functions/functions.ts';
import { type Api, createApi, readResponse } from '../client/api.ts';
import { connect, findLogin } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { readStdin } from '../terminal/ask.ts';
import { printable } from '../terminal/colours.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';
import { parseIfJson } from './json-or-text.ts';
import { showEntry } from './log.ts';

/** A function has 30 seconds to respond and 5 minutes to finish. */
const CALL_MS = 6 * 60_000;

export const functionsCall: Command = {
  name: 'functions call',
  usage: '<slug> [json|-]',
  args: [1, 2],
  summary: 'call a function and print its response',
  options: {
    plain: {
      type: 'boolean',
      summary: 'call your own function as anyone would: without its log, and with responses over 1 MB',
    },
    as: {
      type: 'string',
      value: 'who',
      summary: 'test your function as a visitor of its page: owner, nobody or the username of a member',
    },
    get: { type: 'boolean', summary: 'send a GET to the function at its own URL' },
    path: { type: 'string', value: 'path', summary: 'with --get: path and query' },
    ...SERVER_OPTION,
  },
  notes: `Exits with 1 if the status is 400 or higher, and prints the status to standard error; with 4 if there is no such
function. - reads the body from standard input. For your own functions, what the call printed and threw is printed to
standard error.`,
  async run(call) {
    const [slug = '', body] = call.args;
    if (call.text('path') !== undefined && !call.flag('get')) throw new UsageError('--path needs --get.');
    const as = call.text('as');
    if (as !== undefined && (call.flag('get') || call.flag('plain')))
      throw new UsageError('--as cannot be combined with --get or --plain.');
    const api = call.flag('get') ? undefined : await connect(call);
    const json = api && (await readJson(body));
    const tested = api && !call.flag('plain') ? await test(api, slug, json, as) : undefined;
    if (tested) return showTested(call, slug, tested);
    const response = api
      ? await api.send(callEndpoints.callFunction, { params: { slug } }, sending(json))
      : await get(call, slug);
    // A function can respond with 404 as well: only the server knows whether there is one.
    if (api && response.status === 404) await describeFunction(api, slug);
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

/** Sends the JSON as it was typed. */
const sending = (body: string | undefined): RequestInit => ({
  signal: AbortSignal.timeout(CALL_MS),
  ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
});

/** Fails with the exit code for "not found" if there is no such function. */
const describeFunction = (api: Api, slug: string) =>
  api.call(functionEndpoints.getFunction, { params: { slug } });

/** Calls the function as its owner. Undefined if it was not called: it may belong to someone else. */
async function test(
  api: Api,
  slug: string,
  body: string | undefined,
  as: string | undefined,
): Promise<TestedCall | undefined> {
  const query = { [TEST_AS_PARAM]: as };
  const response = await api.send(callEndpoints.testFunction, { params: { slug }, query }, sending(body));
  const text = await response.text();
  // A test as somebody must not become a call that anyone could make.
  if (as === undefined && [401, 403, 404, 405].includes(response.status)) return undefined;
  return readResponse(callEndpoints.testFunction, response, text, api.baseUrl);
}

/** The response on standard output, what happened in the call on standard error. */
async function showTested({ out, exitWith }: Call, slug: string, tested: TestedCall): Promise<void> {
  const { status, body, bodyBase64, bodyTruncated, exception, logs } = tested;
  const bytes = bodyBase64 === null ? (body ?? '') : Buffer.from(bodyBase64, 'base64');
  for (const entry of logs) out.error(showEntry({ ...entry, ...NOT_A_CALL }, out.paintError));
  if (exception) out.error(printable(exception.stack));
  if (out.isJson) {
    const shown = bodyBase64 === null ? parseIfJson(body ?? '') : bodyBase64;
    out.result({ status, body: shown, exception, logs }, '');
  } else {
    await out.raw(bytes);
    if (process.stdout.isTTY) await out.raw('\n');
  }
  if (bodyTruncated) out.error('Only a part of the response is shown. To get all of it, add --plain.');
  if (status >= 400) out.error(`${slug} responded with status ${status}.`);
  if (status >= 400 || bodyTruncated) exitWith(EXIT.failed);
}

const NOT_A_CALL = { id: 0, status: null, durationMs: null };

/** Sends a GET to the function's own URL. In the API, GET returns information about the function. */
async function get(call: Call, slug: string): Promise<Response> {
  if (call.args[1] !== undefined) throw new UsageError('--get cannot send a body.');
  const { base_url, token } = await findLogin(call);
  const api = createApi(base_url, token);
  const { workerUrl, isPublic } = await describeFunction(api, slug);
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
  return createApi(origin, isPublic ? undefined : token).request(
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

async function readJson(given: string | undefined): Promise<string | undefined> {
  const text = given === '-' ? await readStdin() : given;
  if (text === undefined) return undefined;
  if (parseIfJson(text) === text) throw new UsageError(`${text.slice(0, 60)} is not JSON.`);
  return text;
}
