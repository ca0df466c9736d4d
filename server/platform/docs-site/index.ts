/** The documentation in `docs/`, as routes, and the list of what there is to read. */

/** Makes a page when it is first asked for, and keeps it. */
export { keepPage } from './keep.ts';
/** A page in the look of the documentation, with its navigation around it. */
export { type DocsContent, type DocsPage, docsPage } from './layout.ts';
/** What there is to read, in order. */
export type { Section } from './navigation.ts';
export { jsonSchema } from './reference/components.ts';
export type { Schema } from './reference/json-schema.ts';
export { openApiDocument, parameters } from './reference/openapi.ts';
export { referencePage } from './reference/page.ts';
export { createDocs, type Docs } from './routes.ts';
