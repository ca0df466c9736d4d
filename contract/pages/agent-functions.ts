import { z } from 'zod';
import { list, shortText } from '../fields.ts';
import { isFunctionSlug, MAX_FUNCTION_SLUG } from '../rules/function-names.ts';
import { inputSchemaFault } from '../rules/json/input-schema.ts';
import { MAX_AGENT_FUNCTION_DESCRIPTION, MAX_AGENT_FUNCTIONS } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';

/** The functions that a page offers to agents, as tools of its MCP server. */

const inputSchema = z
  .record(z.string(), z.unknown(), 'must be a JSON Schema: an object')
  .superRefine((schema, { addIssue }) => {
    const fault = inputSchemaFault(schema);
    if (fault !== undefined) addIssue({ code: 'custom', message: fault });
  })
  .meta({ description: 'A JSON Schema with "type": "object": what the function takes as its JSON body.' });

export const AgentFunction = z.strictObject({
  slug: shortText(MAX_FUNCTION_SLUG).refine(isFunctionSlug, 'is not the slug of a function'),
  description: shortText(MAX_AGENT_FUNCTION_DESCRIPTION).refine(
    (value) => value.trim() !== '',
    'must not be empty',
  ),
  inputSchema,
});
export type AgentFunction = z.infer<typeof AgentFunction>;

/** All functions that a page offers to agents. A new list replaces the old one. */
export const AgentFunctions = list(AgentFunction, {
  max: MAX_AGENT_FUNCTIONS,
  tooLong: rule('has more than {max} functions', { max: MAX_AGENT_FUNCTIONS }),
}).refine(
  (functions) => new Set(functions.map(({ slug }) => slug)).size === functions.length,
  'names a function twice',
);
