import { limitKey } from '../../../lib/addresses.ts';
import { AppError } from '../../../lib/errors.ts';
import { JsonError, parseJson } from '../../../lib/json.ts';
import { readBody } from './body.ts';
import { INLINE_BYTES, parseInThread } from './json-thread.ts';

/** Most bodies are small. A route that needs more sets its own limit. */
export const DEFAULT_BODY_LIMIT = 64 * 1024;

/** Our own forms have five fields. */
const MAX_FORM_FIELDS = 50;

/** A body this large is one long string, such as a page, with little else. */
const LARGE_BYTES = 5 * 1024 * 1024;
const LARGE_VALUES = 2_000;

interface BodyRules {
  /** The largest allowed body in bytes. */
  limit: number;
  /** The deepest allowed nesting, if not the default. */
  depth?: number | undefined;
  /** The sender. Senders of large bodies take turns. */
  sender: string;
  /** True if a missing body means an empty object. */
  isOptional?: boolean | undefined;
}

/** Identifies the sender of a body: the user, or the address of an anonymous caller. */
export function identifySender(actor: { userId: number } | undefined, address: string): string {
  return actor ? `user ${actor.userId}` : limitKey(address);
}

/** Reads a JSON body. */
export function readJson(request: Request, rules: BodyRules): Promise<unknown> {
  return readStructuredBody(request, { ...rules, form: false });
}

/** Reads a JSON body, or a form if the route accepts one. */
export async function readStructuredBody(
  request: Request,
  rules: BodyRules & { form: boolean; formLists?: string[] | undefined },
): Promise<unknown> {
  const type = readMediaType(request);
  if (type === 'application/json' || type.endsWith('+json')) {
    return parseBody(await readBody(request, rules.limit, rules.sender), rules);
  }
  if (rules.form && type === 'application/x-www-form-urlencoded') {
    return parseForm(await readBody(request, rules.limit, rules.sender), rules.formLists ?? []);
  }
  throw new AppError(
    'UNSUPPORTED_MEDIA_TYPE',
    rules.form
      ? 'Send the body as application/json or a form, with a matching Content-Type header.'
      : 'Send the body as application/json, with a matching Content-Type header.',
  );
}

function readMediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

async function parseBody(bytes: Uint8Array, { depth, sender, isOptional }: BodyRules): Promise<unknown> {
  // Many clients set a content type even without a body.
  if (isOptional && bytes.length === 0) return {};
  const limits = {
    ...(depth !== undefined && { depth }),
    ...(bytes.length > LARGE_BYTES && { values: LARGE_VALUES }),
  };
  try {
    return bytes.length <= INLINE_BYTES
      ? parseJson(bytes, limits)
      : await parseInThread({ bytes, limits, sender });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new AppError('BAD_REQUEST', 'The request body {fault}.', { fault: error.text });
  }
}

const AMPERSAND = 0x26;

/** Joins repeated fields with spaces, and splits list fields at spaces. */
function parseForm(bytes: Uint8Array, lists: string[]): Record<string, string | string[]> {
  let count = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0; at = bytes.indexOf(AMPERSAND, at + 1)) {
    if (++count > MAX_FORM_FIELDS) {
      throw new AppError('BAD_REQUEST', 'The form has more than {count} fields. Send fewer.', {
        count: MAX_FORM_FIELDS,
      });
    }
  }
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(decode(bytes))) {
    const found = values.get(name);
    if (found) found.push(value);
    else values.set(name, [value]);
  }
  const fields = [...values].map(([name, all]) => {
    const text = all.join(' ');
    return [name, lists.includes(name) ? text.split(/[\s,]+/).filter(Boolean) : text];
  });
  return Object.fromEntries(fields);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('BAD_REQUEST', 'The request body is not valid UTF-8. Encode it as UTF-8.');
  }
}
