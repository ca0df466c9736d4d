import { z } from 'zod';
import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { TestedCall } from '../../../../../contract/functions/functions.ts';
import { jsonSchema, type Schema } from '../../../../sites/docs-site/index.ts';
import type { Definition } from './definition.ts';
import { FileContent } from './read-bytes.ts';

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

/** The result of endpoints whose response has no body. */
const Nothing = z.object({ success: z.literal(true) });

const TEXT: Schema = { type: 'string' };
const FAILURE: Schema = { type: 'object' };

/**
 * The schema of a tool's `structuredContent`: `data` is the response of its endpoint, or `part` of its JSON if that is too
 * long, or there is a `failure`. The definitions that the response refers to are moved to the top. Every client reads
 * this for every tool, so what says nothing is left out.
 */
export function makeOutputSchema(
  { wholeBody, bytesResult }: Definition,
  { response: described }: Endpoint,
): Schema {
  const special = (wholeBody && FunctionResponse) || (bytesResult && FileContent);
  const response = special || (described ?? Nothing);
  const { $defs, ...data } = withoutNoise(jsonSchema(response, 'output'));
  return {
    type: 'object',
    properties: { notice: TEXT, data, cut: TEXT, part: TEXT, failure: FAILURE },
    ...($defs && { $defs }),
  };
}

/** Leaves out that integers are exact, and that a response has no other fields. */
function withoutNoise(schema: Schema): Schema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    const isBound = key === 'minimum' || key === 'maximum';
    if (isBound && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return undefined;
    return key === 'additionalProperties' && value === false ? undefined : value;
  });
  return JSON.parse(text) as Schema;
}
