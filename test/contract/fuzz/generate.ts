import type { Document, Operation } from './document.ts';
import type { Hint } from './hint.ts';
import { ENDS_SESSIONS, hintFor } from './hints.ts';
import { mutate } from './mutate.ts';
import type { Random } from './random.ts';
import type { Sent } from './request.ts';
import { fittingValue } from './values.ts';
import type { World } from './world.ts';

/** `sound`: should work. `by anybody`: the same from another sender. `spoilt`: with an error in it. */
export type Intent = 'sound' | 'by anybody' | 'spoilt';

export async function generate(
  operation: Operation,
  intent: Intent,
  context: { document: Document; world: World; random: Random },
): Promise<Sent> {
  const { document, world, random } = context;
  const hint = await hintFor(operation.operationId, world, random);
  const query = makeQuery(operation, hint, document, random);
  const role =
    intent === 'sound' || random.chance(0.3)
      ? (hint.role ?? roleFor(operation))
      : random.pick(ENDS_SESSIONS.has(operation.operationId) ? world.rolesWithoutSession : world.roles);
  const body = bodyFor(operation, hint, document, random);
  const isAsIntended = intent === 'sound' || role === hint.role;
  const sent: Sent = {
    operation,
    role,
    method: operation.method,
    params: makeParams(operation, hint, world, random),
    query,
    queryNames: operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name),
    headers: { ...world.makeHeaders(role), ...body.headers, ...(isAsIntended && hint.headers) },
    ...('json' in body && { json: body.json }),
    ...('raw' in body && { raw: body.raw }),
  };
  // What administrators do with a person must not hit those who send the other requests.
  const isAboutPerson = operation.path.startsWith('/api/admin/users/');
  if (intent !== 'sound' && !isAboutPerson && random.chance(0.3)) aimElsewhere(sent, world, random);
  if (intent === 'spoilt') mutate(sent, random);
  return sent;
}

/** Points a request at something of another kind or another owner. */
function aimElsewhere({ operation, params }: Sent, world: World, random: Random): void {
  const names = Object.keys(params).filter((name) => world.othersFor(operation.path, name).length > 0);
  if (names.length === 0) return;
  const name = random.pick(names);
  params[name] = String(random.pick(world.othersFor(operation.path, name)));
}

/** A sender who is allowed to do it, if the rest is right. */
function roleFor({ security, path }: Operation): string {
  const bearer = security.find((way) => way.bearer)?.bearer;
  if (bearer?.includes('admin')) return 'admin';
  if (path.includes('/page-api-') || (!bearer && security.some((way) => way.login))) return 'owner cookie';
  return bearer || path.startsWith('/api/functions') || path.startsWith('/api/pages') ? 'owner' : 'anonymous';
}

function makeParams(operation: Operation, hint: Hint, world: World, random: Random): Record<string, string> {
  const { path } = operation;
  const defaults: Record<string, string | number> = {
    id: path.startsWith('/api/pages') ? pageFor(path, world, random) : 1,
    slug: /\/(?:database|migrations)\b/.test(path) ? world.functions.data : world.functions.plain,
    collection: 'notes',
  };
  return Object.fromEntries(
    operation.parameters
      .filter((each) => each.in === 'path')
      .map(({ name }) => [name, String(hint.params?.[name] ?? defaults[name] ?? 1)]),
  );
}

function pageFor(path: string, { pages }: World, random: Random): string | number {
  const kind = (['solo', 'team', 'social'] as const).find(
    (each) => path.includes(`/${each}-`) || path.includes(`/${each}`),
  );
  const page = pages[kind ?? 'page'];
  // If an id is not the only way, the slug works too.
  return kind && random.chance(0.2) ? page.slug : page.id;
}

function makeQuery(
  operation: Operation,
  hint: Hint,
  document: Document,
  random: Random,
): Record<string, string> {
  const made = operation.parameters
    .filter((each) => each.in === 'query' && (each.required || random.chance(0.3)))
    .map(({ name, schema }) => [name, String(fittingValue(schema, document, random))]);
  const all = { ...Object.fromEntries(made), ...hint.query } as Record<string, string | undefined>;
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function bodyFor(
  { requestBody }: Operation,
  hint: Hint,
  document: Document,
  random: Random,
): { headers: Record<string, string>; json?: unknown; raw?: string | Uint8Array } {
  const types = Object.entries(requestBody?.content ?? {});
  if (types.length === 0) return { headers: {} };
  const [type, { schema }] = random.pick(types);
  const headers = { 'content-type': hint.type ?? (type === '*/*' ? 'application/json' : type) };
  if (hint.raw !== undefined) return { headers, raw: hint.raw };
  if ('json' in hint) return hint.json === undefined ? { headers: {} } : { headers, json: hint.json };
  if (!requestBody?.required && random.chance(0.3)) return { headers: {} };
  const value = fittingValue(schema, document, random);
  const fields = Object.entries(hint.fields ?? {});
  const json = fields.length > 0 ? { ...(value as object), ...hint.fields } : value;
  return { headers, json };
}
