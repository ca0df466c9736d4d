/** The API's description, made from the routes. */
export { openApiDocument } from './openapi.ts';
/** The API reference that people read, made from the same description. */
export { referencePage } from './page.ts';
