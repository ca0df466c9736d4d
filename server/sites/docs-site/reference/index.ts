/** The part of JSON Schema that describes the API. */

/** The OpenAPI document, made from the routes, and the parameters of one route. */
export { jsonSchema } from './components.ts';
export type { Schema } from './json-schema.ts';
export { openApiDocument, parameters } from './openapi.ts';
/** The API reference for people, made from the OpenAPI document. */
export { referencePage } from './page.ts';
