import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../../../../contract/rules/texts/fill.ts';

/** A folder for each language, with a file for each part of the service. */
const FOLDER = join(import.meta.dir, '../../../../contract/rules/texts');

/** The translations of some parts of the service. English has none: its texts are in the code. */
export function readCatalog(language: string, parts: readonly string[], folder = FOLDER): Catalog {
  if (language === 'en') return {};
  const files = parts.map((part) => readFileSync(join(folder, language, `${part}.json`), 'utf8'));
  return Object.assign({}, ...files.map((text) => JSON.parse(text)));
}
