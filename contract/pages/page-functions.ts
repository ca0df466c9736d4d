import { z } from 'zod';
import { list, shortText } from '../fields.ts';
import { isFunctionSlug, MAX_FUNCTION_SLUG } from '../rules/function-names.ts';
import { inputSchemaFault } from '../rules/json/input-schema.ts';
import { MAX_AGENT_FUNCTION_DESCRIPTION, MAX_AGENT_FUNCTIONS, MAX_PAGE_FUNCTIONS } from '../rules/limits.ts';
import { rule } from '../rules/texts/rule.ts';

/** The functions that belong to a page, and those that it offers to agents as tools of its MCP server. */

const slug = shortText(MAX_FUNCTION_SLUG).refine(isFunctionSlug, 'is not the slug of a function');

/** The functions that belong to a page, by slug. A new list replaces the old one. */
export const PageFunctions = list(slug, {
  max: MAX_PAGE_FUNCTIONS,
  tooLong: rule('has more than {max} functions', { max: MAX_PAGE_FUNCTIONS }),
})
  .refine((slugs) => new Set(slugs).size === slugs.length, 'names a function twice')
  .meta({
    description:
      'Functions of the page’s owner that belong to it, by slug. A function belongs to at most one page. Publishing adds those that the page calls by name and that belong to no page.',
  });

const inputSchema = z
  .record(z.string(), z.unknown(), 'must be a JSON Schema: an object')
  .superRefine((schema, { addIssue }) => {
    const fault = inputSchemaFault(schema);
    if (fault !== undefined) addIssue({ code: 'custom', message: fault });
  })
  .meta({ description: 'A JSON Schema with "type": "object": what the function takes as its JSON body.' });

export const AgentFunction = z.strictObject({
  slug,
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
