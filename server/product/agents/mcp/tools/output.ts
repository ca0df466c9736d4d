import type { Schema } from '../../../../sites/docs-site/index.ts';
import type { Definition } from './definition.ts';

/**
 * The schema of a tool's `structuredContent`: `data`, which is the response of its endpoint or has the fields that the tool
 * makes, and `notice`, if others may have written some of it.
 * Every client reads this for every tool, so it is no longer than it must be; the API reference has all of it.
 */
export function makeOutputSchema({ work, source }: Definition): Schema {
  const { fields = [] } = work ?? {};
  const data = fields.length > 0 ? { properties: Object.fromEntries(fields.map((name) => [name, {}])) } : {};
  return { type: 'object', properties: { ...(source && { notice: {} }), data } };
}
