import { z } from 'zod';
import { TestedCall } from '../../../../../contract/functions/functions.ts';
import { jsonSchema, type Schema } from '../../../../sites/docs-site/index.ts';
import type { Definition } from './definition.ts';
import { FileContent } from './results/read-bytes.ts';

/** The response of a function, as `call_function` returns it. */
const FunctionResponse = z.object({
  status: z.int(),
  contentType: z.string().nullable(),
  body: z.unknown().meta({ description: 'Parsed if it is JSON, otherwise as text.' }),
  note: z.string().optional().meta({ description: 'Why the body is not all of it.' }),
  exception: TestedCall.shape.exception.optional(),
  logs: TestedCall.shape.logs.optional(),
  retryAfter: z.number().optional(),
});

/** Fields that a schema names. */
const MAX_FIELDS = 8;
const SAYS_NOTHING = new Set(['success', 'message']);

/** The result of endpoints whose response has no body. */
const Nothing = z.object({ success: z.literal(true) });

/**
 * The schema of a tool's `structuredContent`: the names of the fields of `data`, which is the response of its endpoint,
 * and `notice`, if others may have written some of it.
 * Every client reads this for every tool, so it is no longer than it must be; the API reference has all of it.
 */
export function makeOutputSchema({ wholeBody, bytesResult, endpoints, source }: Definition): Schema {
  const special = (wholeBody && FunctionResponse) || (bytesResult && FileContent);
  const { endpoint: { response } = {}, type: ownType } = endpoints.at(-1) ?? {};
  const { properties = {} } = jsonSchema(special || (response ?? Nothing), 'output');
  // Endpoints that an argument chooses have other fields.
  const isOne = endpoints.every(({ type, endpoint }) => type !== ownType || endpoint.response === response);
  const names = Object.keys(properties).filter((name) => !SAYS_NOTHING.has(name));
  const fields = isOne || special ? names.slice(0, MAX_FIELDS) : [];
  const data = fields.length > 0 ? { properties: Object.fromEntries(fields.map((name) => [name, {}])) } : {};
  return { type: 'object', properties: { ...(source && { notice: {} }), data } };
}
