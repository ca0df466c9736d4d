import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { TEMPLATES_PATH } from '../../../contract/templates/endpoints.ts';
import { TEMPLATE_CATEGORIES, TEMPLATE_PARTS, Template } from '../../../contract/templates/templates.ts';
import type { Described } from './nearest.ts';

/** The folders of templates. Each is a page folder, as `quire pages push` publishes it. */
const ROOT = join(import.meta.dir, '../../..');
const CATALOG = 'templates/catalog.json';
const PICTURES = 'templates/pictures';

/** Which templates there are, in the order of the gallery. */
const Catalog = z.array(
  z.strictObject({
    /** A folder of `templates` or of `examples`. */
    folder: z.string(),
    title: z.string(),
    description: z.string(),
    category: z.enum(TEMPLATE_CATEGORIES),
    parts: z.array(z.enum(TEMPLATE_PARTS)),
    /** What people call it, in English and German: words, beginnings of words, and phrases. */
    keywords: z.string().default(''),
  }),
);
type CatalogEntry = z.infer<typeof Catalog>[number];

/** The parts of `page.json` that templates use. */
const PageJson = Template.pick({ storage_mode: true, features: true, schemas: true })
  .partial({ features: true, schemas: true })
  .extend({
    agent_spec: z.string().optional(),
    function: z
      .object({
        slug: z.string(),
        displayName: z.string(),
        description: z.string(),
        enableDatabase: z.boolean().default(false),
        schedules: z.array(z.object({ cron: z.string(), timezone: z.string().default('UTC') })).default([]),
      })
      .optional(),
  });

export interface TemplatePicture {
  hash: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface TemplateShelf {
  templates: Map<string, Template>;
  pictures: Map<string, TemplatePicture>;
  /** The templates in words, for people who say what they want to make. */
  described: Described[];
}

/** Reads all templates. Later changes of the folders are not seen. */
export function fillShelf(): TemplateShelf {
  const entries = Catalog.parse(JSON.parse(readFileSync(join(ROOT, CATALOG), 'utf8')));
  const pictures = new Map<string, TemplatePicture>();
  const templates = new Map<string, Template>();
  const described: Described[] = [];
  for (const entry of entries) {
    const key = entry.folder.split('/').at(-1) ?? '';
    const picture = readPicture(key);
    if (picture) pictures.set(key, picture);
    templates.set(key, readTemplate(key, entry, picture));
    described.push({ ...entry, key, keywords: entry.keywords.split(', ') });
  }
  return { templates, pictures, described };
}

function readTemplate(key: string, entry: CatalogEntry, picture: TemplatePicture | undefined): Template {
  const folder = join(ROOT, entry.folder);
  const page = PageJson.parse(JSON.parse(readFileSync(join(folder, 'page.json'), 'utf8')));
  const source = page.function && readSource(folder);
  return {
    key,
    title: entry.title,
    description: entry.description,
    category: entry.category,
    parts: entry.parts,
    storage_mode: page.storage_mode,
    picture: picture ? `${TEMPLATES_PATH}/${key}/picture?v=${picture.hash}` : null,
    needs_packages: source ? [source.code, ...Object.values(source.files)].some(usesPackage) : false,
    html_content: readFileSync(join(folder, 'index.html'), 'utf8'),
    features: page.features ?? {},
    schemas: page.schemas ?? {},
    agent_spec: page.agent_spec ?? null,
    function: page.function && source ? { ...page.function, ...source } : null,
  };
}

const usesPackage = (code: string) => /from 'npm:/.test(code);

/** The code of a function, `function.ts` or `function.js`, and the modules in the folder `function`. */
function readSource(folder: string): { code: string; files: Record<string, string> } {
  const main = ['function.ts', 'function.js'].map((name) => join(folder, name)).find(existsSync);
  if (!main) throw new Error(`${folder} names a function, but has no function.ts or function.js`);
  const modules = join(folder, 'function');
  const names = existsSync(modules) ? readdirSync(modules, { recursive: true, withFileTypes: true }) : [];
  const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return {
    code: readFileSync(main, 'utf8'),
    files: Object.fromEntries(
      paths.sort().map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
    ),
  };
}

function readPicture(key: string): TemplatePicture | undefined {
  const path = join(ROOT, PICTURES, `${key}.webp`);
  if (!existsSync(path)) return undefined;
  const bytes = new Uint8Array(readFileSync(path));
  return { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 12) };
}
