import { ODD_BY_NAME } from './odd-values.ts';
import type { Random } from './random.ts';
import type { Sent } from './request.ts';
import { anyValue } from './values.ts';

/** Breaks a request in one of many ways. */

const LONG = 'x'.repeat(300);
const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\u202eb',
  '\ufeff',
  LONG,
  'x'.repeat(70_000),
  '-1',
  '0',
  '1',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '99999999999999999999',
  '1e9',
  'NaN',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '<script>',
  '../../etc/passwd',
  '%00',
  '%',
  '😀'.repeat(60),
];
const ODD_VALUES: unknown[] = [
  ...ODD_TEXTS,
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53 - 1,
  2 ** 31,
  [],
  {},
  [[[[]]]],
  [null],
  { a: { b: { c: {} } } },
];
const ODD_TYPES = [
  '',
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/vnd.api+json',
  'json',
  ';;;',
];
const BROKEN_JSON = [
  '',
  '{',
  '[',
  '{"a":}',
  'nul',
  '"',
  '{"a":1}x',
  '\u0000',
  '[1,]',
  `${'['.repeat(500)}`,
  '1e999',
  '123456789012345678901',
];
const ODD_HEADERS: Record<string, string>[] = [
  { authorization: 'Basic YWRhOng=' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer qr_nobody' },
  { authorization: `Bearer ${'x'.repeat(5000)}` },
  { cookie: 'quire_session=nobody; a; =; b=c=d' },
  { 'x-page-session': 'nobody' },
  { origin: 'null' },
  { origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site' },
  { 'accept-encoding': 'br;q=0, gzip;q=0, *;q=0' },
  { accept: 'image/webp' },
  { range: 'bytes=0-0' },
  { 'if-none-match': '*' },
  { 'last-event-id': 'not an id' },
  { 'last-event-id': '9'.repeat(200) },
  { 'x-forwarded-for': 'nobody, 1.2.3.4' },
  { 'service-worker': 'script' },
  { 'x-http-method-override': 'DELETE' },
  { 'content-encoding': 'gzip' },
  { expect: '100-continue' },
];
/** Parts of a path that would change its meaning. */
const LEADS_ELSEWHERE = ['', '.', '..'];

type Json = Record<string, unknown>;

const MUTATIONS: ((sent: Sent, random: Random) => void)[] = [
  function oddParameter(sent, random) {
    const names = Object.keys(sent.params);
    if (names.length === 0) return;
    const text = random.pick(ODD_TEXTS);
    if (!LEADS_ELSEWHERE.includes(text) && text.length < 5000)
      sent.params[random.pick(names)] = text.toWellFormed();
  },
  function oddQuery(sent, random) {
    const names = [...sent.queryNames, 'unknown'];
    const name = random.pick(names);
    const text = String(oddValue(name, random, ODD_TEXTS));
    if (text.length < 5000) sent.query[name] = text.toWellFormed();
  },
  function fieldLeftOut(sent, random) {
    const body = objectIn(sent, random);
    const names = Object.keys(body ?? {});
    if (body && names.length > 0) delete body[random.pick(names)];
  },
  function fieldTooMany(sent, random) {
    const body = objectIn(sent, random);
    if (body) body[random.pick(['extra', '__proto__', 'constructor', 'id', ''])] = anyValue(random);
  },
  function fieldOfAnotherKind(sent, random) {
    const body = objectIn(sent, random);
    const names = Object.keys(body ?? {});
    if (!body || names.length === 0) return;
    const name = random.pick(names);
    body[name] = oddValue(name, random, ODD_VALUES);
  },
  function numberBesideItsBounds(sent, random) {
    const body = objectIn(sent, random);
    for (const [name, value] of Object.entries(body ?? {})) {
      if (body && typeof value === 'number') body[name] = value + random.pick([1, -1, 0.5, 1e6]);
    }
  },
  function wholeBodyOfAnotherKind(sent, random) {
    if (sent.json !== undefined) sent.json = random.pick(ODD_VALUES);
  },
  function deepBody(sent, random) {
    if (sent.json === undefined) return;
    let deep: unknown = 1;
    for (let i = random.pick([20, 63, 64, 65, 120]); i > 0; i--)
      deep = random.chance(0.5) ? [deep] : { a: deep };
    const body = objectIn(sent, random);
    const names = Object.keys(body ?? {});
    if (body && names.length > 0) body[random.pick(names)] = deep;
    else sent.json = deep;
  },
  function hugeBody(sent, random) {
    const body = objectIn(sent, random);
    const names = Object.keys(body ?? {});
    if (body && names.length > 0 && random.chance(0.1)) body[random.pick(names)] = 'x'.repeat(2_000_000);
  },
  function brokenBody(sent, random) {
    if (sent.json === undefined) return;
    sent.json = undefined;
    sent.raw = random.pick(BROKEN_JSON);
  },
  function noUtf8(sent) {
    if (sent.json === undefined) return;
    sent.json = undefined;
    sent.raw = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
  },
  function anotherType(sent, random) {
    if (sent.json !== undefined || sent.raw !== undefined)
      sent.headers['content-type'] = random.pick(ODD_TYPES);
  },
  function bodyLeftOut(sent) {
    sent.json = undefined;
    sent.raw = undefined;
  },
  function oddHeader(sent, random) {
    Object.assign(sent.headers, random.pick(ODD_HEADERS));
  },
  function anotherMethod(sent, random) {
    sent.method = random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
  },
];

/** The mutations that get furthest into the server. */
const TELLING = MUTATIONS.filter(({ name }) => ['oddQuery', 'fieldOfAnotherKind'].includes(name));

/** An invalid value for this field if there is a list, or any. */
function oddValue(name: string, random: Random, others: readonly unknown[]): unknown {
  const own = ODD_BY_NAME[name];
  return own && random.chance(0.7) ? random.pick(own) : random.pick(others);
}

export function mutate(sent: Sent, random: Random): void {
  for (let i = random.int(1, 2); i > 0; i--)
    random.pick(random.chance(0.3) ? TELLING : MUTATIONS)(sent, random);
}

/** The body, or an object somewhere in it. */
function objectIn(sent: Sent, random: Random): Json | undefined {
  let at = isObject(sent.json) ? sent.json : undefined;
  while (at && random.chance(0.4)) {
    const inner = Object.values(at)
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter(isObject);
    if (inner.length === 0) break;
    at = random.pick(inner);
  }
  return at;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
