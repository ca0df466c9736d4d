/** The shapes of the contract as JSON Schema. */
export { jsonSchema } from './reference/components.ts';
export type { Schema } from './reference/json-schema.ts';
export { parameters } from './reference/openapi.ts';
/** The documentation and the API reference. */
export { docsRoutes } from './site.ts';
