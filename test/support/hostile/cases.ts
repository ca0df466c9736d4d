import { z } from 'zod';
import { DEFAULT_BODY_LIMIT } from '../../../server/platform/http/body/structured-body.ts';
import { GATE, type Route } from '../../../server/platform/http/index.ts';
import { makeSample } from '../../../server/sites/docs-site/reference/sample.ts';
import { rounds } from '../faults/rounds.ts';
import { BOUNDARY, FORM_BODIES, JSON_BODIES, MULTIPART_BODIES, TEXTS } from './texts.ts';

/** The worst input for a route, generated from its description. */

export type Sender = 'nobody' | 'token' | 'cookie';

export interface HostileCase {
  route: Route;
  name: string;
  sender: Sender;
  /** Path and query. */
  target: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
}

/** Fills in a path parameter with something that exists. */
export type Fill = (route: Route, name: string) => string;

/** For routes that read their body themselves and do not declare a limit. */
const UNKNOWN_LIMIT = 1024 * 1024;
/** The maximum length of a field. Longer ones only make the body larger. */
const FIELD_BYTES = 300 * 1024;
/** Only some bodies have the maximum size of the route. Which ones changes from route to route. */
const USUAL_BYTES = 2 * 1024 * 1024;
const LARGEST_EVERY = 4;
/** How many kinds of text each parameter gets, in turn. */
const TEXTS_EACH = 3;
/** Paths, queries and headers together have at most about 16 KB. */
const LINE_LETTERS = 4_000;

const HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'content-type',
  'cookie',
  'if-none-match',
  'if-modified-since',
  'last-event-id',
  'mcp-protocol-version',
  'origin',
  'range',
  'referer',
  'sec-fetch-site',
  'user-agent',
  'x-forwarded-for',
  'x-page-session',
];

/** Each route gets one in this many cases, and the next route the next ones. A soak uses all. */
const ONE_IN = rounds(11, 1);

export function* makeCases(route: Route, turn: number, fill: Fill): Generator<HostileCase> {
  let at = turn;
  for (const { body, ...each } of withoutSender(route, turn, fill)) {
    if (at++ % ONE_IN !== 0 && !ALWAYS.includes(each.name)) continue;
    const made = body && { body: body() };
    for (const sender of listSenders(route, each.name)) yield { route, sender, ...each, ...made };
  }
}

const ALWAYS = ['nothing', 'a sample', 'too long'];

/** The body is generated when it is sent. */
type Unsent = Omit<HostileCase, 'sender' | 'route' | 'body'> & { body?: () => Uint8Array };

function* withoutSender(route: Route, turn: number, fill: Fill): Generator<Unsent> {
  const target = toPath(route, (name) => fill(route, name));
  yield { name: 'nothing', target };
  yield* pathCases(route, turn, fill);
  yield* queryCases(route, turn, target);
  yield* headerCases(turn, target);
  if (!['POST', 'PUT', 'PATCH'].includes(route.method)) return;
  yield* jsonCases(route, turn, target);
  yield* fieldCases(route, target);
  yield* otherBodies(route, target);
}

/** Senders with access, and anonymous ones if that passes the gate, or else only with a large body. */
function listSenders({ access }: Route, name: string): Sender[] {
  const accepts = GATE[access.kind];
  const known: Sender = accepts.login !== 'never' ? 'cookie' : 'token';
  const isKnock = name === 'JSON: wide arrays';
  return accepts.anonymous ? [known, 'nobody'] : isKnock ? [known, 'nobody'] : [known];
}

function toPath(route: Route, fillIn: (name: string) => string): string {
  return route.path.replace(/[:*](\w+)/g, (_, name: string) => encodeURIComponent(fillIn(name)));
}

function* pathCases(route: Route, turn: number, fill: Fill): Generator<Unsent> {
  for (const [, hostile] of route.path.matchAll(/[:*](\w+)/g)) {
    for (const [kind, make] of chooseSome(TEXTS, turn, TEXTS_EACH)) {
      const long = make(LINE_LETTERS / 4);
      const target = toPath(route, (name) => (name === hostile ? long : fill(route, name)));
      yield { name: `path ${hostile}: ${kind}`, target };
    }
  }
}

function* queryCases(route: Route, turn: number, path: string): Generator<Unsent> {
  yield { name: 'query: many parameters', target: `${path}?${'a=1&'.repeat(LINE_LETTERS / 2)}` };
  if (!route.query) return;
  const described = z.toJSONSchema(route.query, { io: 'input', unrepresentable: 'any' });
  for (const name of Object.keys(described.properties ?? {})) {
    for (const [kind, make] of chooseSome(TEXTS, turn, TEXTS_EACH)) {
      const value = encodeURIComponent(make(LINE_LETTERS / 2));
      yield { name: `query ${name}: ${kind}`, target: `${path}?${name}=${value}` };
    }
    for (const [kind, make] of chooseSome(JSON_BODIES, turn, TEXTS_EACH)) {
      const value = encodeURIComponent(Buffer.from(make(LINE_LETTERS / 2)).toString('latin1'));
      yield { name: `query ${name}: ${kind}`, target: `${path}?${name}=${value}` };
    }
    yield { name: `query ${name}: again and again`, target: `${path}?${`${name}=1&`.repeat(300)}` };
  }
}

function chooseSome<Each>(all: Record<string, Each>, turn: number, count: number): Array<[string, Each]> {
  const entries = Object.entries(all);
  return Array.from({ length: count }, (_, i) => entries[(turn + i * 4) % entries.length]).filter(
    (entry) => entry !== undefined,
  );
}

/** Every header at every route, each with another text: together the routes get all combinations. */
function* headerCases(turn: number, target: string): Generator<Unsent> {
  const texts = Object.entries(TEXTS);
  for (const [at, header] of HEADERS.entries()) {
    const [kind, make] = texts[(turn + at) % texts.length] ?? ['', () => ''];
    const value = Buffer.from(make(2 * LINE_LETTERS)).toString('latin1');
    const prefix = header === 'authorization' ? 'Bearer ' : header === 'range' ? 'bytes=' : '';
    yield { name: `header ${header}: ${kind}`, target, headers: { [header]: prefix + value } };
  }
}

const findLimit = (route: Route) => route.bodyLimit ?? (route.body ? DEFAULT_BODY_LIMIT : UNKNOWN_LIMIT);

const JSON_TYPE = { 'content-type': 'application/json' };

function* jsonCases(route: Route, turn: number, target: string): Generator<Unsent> {
  for (const [at, [kind, make]] of Object.entries(JSON_BODIES).entries()) {
    const bytes =
      (turn + at) % LARGEST_EVERY === 0 ? findLimit(route) : Math.min(findLimit(route), USUAL_BYTES);
    yield { name: `JSON: ${kind}`, target, headers: JSON_TYPE, body: () => make(bytes) };
  }
}

const LISTS: Record<string, (bytes: number) => string> = {
  'a list of texts': (bytes) => Buffer.from(JSON_BODIES['many texts']?.(bytes) ?? []).toString(),
  'a list of objects': (bytes) => Buffer.from(JSON_BODIES['wide objects']?.(bytes) ?? []).toString(),
  'many fields': (bytes) => Buffer.from(JSON_BODIES['many fields']?.(bytes) ?? []).toString(),
  'sixty levels': () => '['.repeat(60) + ']'.repeat(60),
  'a large number': () => '1e308',
};

/** Everything is valid except for one field. */
function* fieldCases(route: Route, target: string): Generator<Unsent> {
  if (!route.body) return;
  const described = z.toJSONSchema(route.body, { io: 'input', unrepresentable: 'any' });
  const sample = makeSample(described as Parameters<typeof makeSample>[0], 'all') as Record<string, unknown>;
  const bytes = Math.min(findLimit(route), FIELD_BYTES) - JSON.stringify(sample).length - 100;
  yield { name: 'a sample', target, headers: JSON_TYPE, body: () => Buffer.from(JSON.stringify(sample)) };
  for (const name of Object.keys(described.properties ?? {})) {
    const others = JSON.stringify({ ...sample, [name]: undefined }).slice(1);
    const bodyWith = (json: string) =>
      Buffer.from(`{${JSON.stringify(name)}:${json}${others === '}' ? '' : ','}${others}`);
    for (const [kind, make] of Object.entries(TEXTS)) {
      const body = () => bodyWith(JSON.stringify(make(bytes / 2)));
      yield { name: `field ${name}: ${kind}`, target, headers: JSON_TYPE, body };
    }
    for (const [kind, make] of Object.entries(LISTS)) {
      yield { name: `field ${name}: ${kind}`, target, headers: JSON_TYPE, body: () => bodyWith(make(bytes)) };
    }
  }
}

/** Other kinds of body, whether the route accepts them or not. */
function* otherBodies(route: Route, target: string): Generator<Unsent> {
  const bytes = Math.min(findLimit(route), FIELD_BYTES);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const multipart = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const raw = { 'content-type': route.bodyType ?? 'application/octet-stream' };
  for (const [kind, make] of Object.entries(FORM_BODIES)) {
    yield { name: `form: ${kind}`, target, headers: form, body: () => make(bytes) };
  }
  for (const [kind, make] of Object.entries(MULTIPART_BODIES)) {
    yield { name: `multipart: ${kind}`, target, headers: multipart, body: () => make(bytes) };
  }
  for (const [kind, make] of Object.entries(TEXTS)) {
    yield { name: `raw: ${kind}`, target, headers: raw, body: () => Buffer.from(make(bytes / 2)) };
  }
  yield { name: 'too long', target, headers: JSON_TYPE, body: () => Buffer.alloc(findLimit(route) + 1, 'a') };
}
