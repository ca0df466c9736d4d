/** The documentation in `docs/` as routes, and the list of documents. */

/** Renders a page on first use and keeps it in memory. */
export { keepPage } from './keep.ts';
/** A page in the layout of the documentation, with navigation. */
export { type DocsContent, type DocsPage, docsPage } from './layout.ts';
/** The chapters in reading order. */
export type { Section } from './navigation.ts';
export { jsonSchema } from './reference/components.ts';
export type { Schema } from './reference/json-schema.ts';
export { openApiDocument, parameters } from './reference/openapi.ts';
export { referencePage } from './reference/page.ts';
export { createDocs, type Docs } from './routes.ts';
/** The folder of the documentation, and where one of its pictures is served. */
export { DOCS_FOLDER, readDocsPicture } from './shelf.ts';
