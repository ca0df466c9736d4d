/** The part of JSON Schema that describes the API. */

/** The API's description, made from the routes: of all of it, or of what one route takes. */
export { jsonSchema } from './components.ts';
export type { Schema } from './json-schema.ts';
export { openApiDocument, parameters } from './openapi.ts';
/** The API reference that people read, made from the same description. */
export { referencePage } from './page.ts';
