import { createImports } from '../product/imports/index.ts';
import type { PageDirectory } from '../product/pages/index.ts';
import { createTemplates } from '../sites/templates/index.ts';
import type { Platform } from '../start-platform.ts';

/** Imports publish through the API. They are connected to it when all routes are known. */
export function startImports(platform: Platform, { directory }: { directory: PageDirectory }) {
  const templates = createTemplates();
  const imports = createImports({ ...platform, db: platform.storage.db, pages: directory, templates });
  return { ...imports, templates };
}
