import { z } from 'zod';
import { jsonSchema, type Schema } from '../../../../sites/docs-site/index.ts';
import type { Definition } from './definition.ts';

/** Fields that a schema names. */
const MAX_FIELDS = 3;
const SAYS_NOTHING = new Set(['success', 'message']);

/** The result of endpoints whose response has no body. */
const Nothing = z.object({ success: z.literal(true) });

/**
 * The schema of a tool's `structuredContent`: the names of the fields of `data`, which is the response of its endpoint,
 * and `notice`, if others may have written some of it.
 * Every client reads this for every tool, so it is no longer than it must be; the API reference has all of it.
 */
export function makeOutputSchema({ work, endpoints, source }: Definition): Schema {
  const fields = work ? work.fields : listFields(endpoints);
  const data = fields.length > 0 ? { properties: Object.fromEntries(fields.map((name) => [name, {}])) } : {};
  return { type: 'object', properties: { ...(source && { notice: {} }), data } };
}

/** The fields of the responses of a tool's endpoints, if all have the same. */
function listFields(endpoints: Definition['endpoints']): string[] {
  const { endpoint: { response } = {}, type: ownType } = endpoints.at(-1) ?? {};
  const isOne = endpoints.every(({ type, endpoint }) => type !== ownType || endpoint.response === response);
  if (!isOne) return [];
  const { properties = {} } = jsonSchema(response ?? Nothing, 'output');
  const names = Object.keys(properties).filter((name) => !SAYS_NOTHING.has(name));
  return names.slice(0, MAX_FIELDS);
}
