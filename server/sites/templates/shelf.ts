import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { Catalog as Texts } from '../../../contract/rules/texts/fill.ts';
import { LANGUAGES, type Language } from '../../../contract/rules/texts/languages.ts';
import { TEMPLATES_PATH } from '../../../contract/templates/endpoints.ts';
import { TEMPLATE_CATEGORIES, TEMPLATE_PARTS, Template } from '../../../contract/templates/templates.ts';
import { readCatalog } from '../screens/index.ts';
import { NAME } from './fill.ts';
import type { Described } from './nearest.ts';
import { createTranslate, type TemplateCatalog, translateTemplate } from './translate.ts';

/** The folders of templates; `templates/README.md` says what is in them. */
const ROOT = join(import.meta.dir, '../../..');
const TEMPLATES = 'templates';
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
const PageJson = Template.pick({
  storage_mode: true,
  features: true,
  schemas: true,
  samples: true,
  next: true,
})
  .partial({ features: true, schemas: true, samples: true, next: true })
  .extend({
    removeSamples: z.array(z.string()).optional(),
    agent_spec: z.string().optional(),
    function: z
      .object({
        slug: z.string(),
        displayName: z.string(),
        description: z.string(),
        enableDatabase: z.boolean().default(false),
        schedules: z.array(z.object({ cron: z.string(), timezone: z.string().default('UTC') })).default([]),
        on: Template.shape.function.unwrap().shape.on.default([]),
      })
      .optional(),
  });

export interface TemplatePicture {
  hash: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export interface TemplateShelf {
  /** The templates in every language. Their titles are English: the dashboard translates them. */
  templates: Record<Language, Map<string, Template>>;
  /** What their pages look like, in every language. */
  pictures: Record<Language, Map<string, TemplatePicture>>;
  /** The templates in words, for people who say what they want to make. */
  described: Described[];
}

/** Reads all templates. Later changes of the folders are not seen. */
export function fillShelf(): TemplateShelf {
  const entries = Catalog.parse(JSON.parse(readFileSync(join(ROOT, CATALOG), 'utf8')));
  const pictures: TemplateShelf['pictures'] = { en: new Map(), de: new Map() };
  const described: Described[] = [];
  const templates: TemplateShelf['templates'] = { en: new Map(), de: new Map() };
  const others = Object.keys(LANGUAGES).filter((language) => language !== 'en') as Language[];
  const texts = new Map(others.map((language) => [language, readCatalog(language, ['dashboard'])]));
  for (const entry of entries) {
    const key = entry.folder.split('/').at(-1) ?? '';
    described.push({ ...entry, key, keywords: entry.keywords.split(', ') });
    const folders = [...new Set([entry.folder, `${TEMPLATES}/${key}`])].map((folder) => join(ROOT, folder));
    const template = readTemplate(key, entry, folders);
    templates.en.set(key, template);
    for (const [language, shared] of texts) {
      const catalog = { ...readTexts(folders, language), ...pickTexts(shared, entry.description) };
      templates[language].set(key, translateTemplate(template, catalog, language));
    }
    for (const language of Object.keys(LANGUAGES) as Language[])
      hangPicture({ templates, pictures }, key, language);
  }
  return { templates, pictures, described };
}

/** Folders of examples can be published as they are, so what only their template has is in a folder of `templates`. */
function readTemplate(key: string, entry: CatalogEntry, folders: string[]): Template {
  const [folder = ''] = folders;
  const page = PageJson.parse(Object.assign({}, ...folders.map((each) => readJson(each, 'page.json'))));
  const source = page.function && readSource(folder);
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  return {
    key,
    title: entry.title,
    description: entry.description,
    category: entry.category,
    parts: entry.parts,
    storage_mode: page.storage_mode,
    picture: null,
    needs_packages: source ? [source.code, ...Object.values(source.files)].some(usesPackage) : false,
    html_content: withPlaceholder(html),
    features: page.features ?? {},
    schemas: page.schemas ?? {},
    agent_spec: page.agent_spec ?? null,
    function: page.function && source ? { ...describe(page.function, html), ...source } : null,
    samples: page.samples ?? {},
    samples_sql: findText(folders, 'samples.sql') ?? null,
    remove_samples: page.removeSamples ?? [],
    next: page.next ?? [],
  };
}

/** In an example, which has no placeholder for the name, its title stands for it. */
function withPlaceholder(html: string): string {
  const title = findTitle(html);
  return title === undefined || title === NAME ? html : createTranslate({ [title]: NAME })(html);
}

/** A function says for which page it is. */
const describe = <Own extends { description: string }>(own: Own, html: string): Own => ({
  ...own,
  description: own.description.replaceAll(findTitle(html) ?? NAME, NAME),
});

const findTitle = (html: string) => /<title>([^<]*)<\/title>/.exec(html)?.[1];

function findText(folders: string[], file: string): string | undefined {
  const path = folders.map((folder) => join(folder, file)).find(existsSync);
  return path === undefined ? undefined : readFileSync(path, 'utf8');
}

const readJson = (folder: string, file: string): object => JSON.parse(findText([folder], file) ?? '{}');

const readTexts = (folders: string[], language: Language): TemplateCatalog =>
  z.record(z.string(), z.string()).parse(JSON.parse(findText(folders, `${language}.json`) ?? '{}'));

/** The translation that the dashboard has of one text. */
function pickTexts(shared: Texts, text: string): TemplateCatalog {
  const found = shared[text];
  return typeof found === 'string' ? { [text]: found } : {};
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

/** Adds the picture of a template in a language, if there is one. Without one, the English picture is shown. */
function hangPicture(
  { templates, pictures }: Pick<TemplateShelf, 'templates' | 'pictures'>,
  key: string,
  language: Language,
): void {
  const template = templates[language].get(key);
  const own = join(ROOT, PICTURES, language, `${key}.webp`);
  const path = existsSync(own) ? own : join(ROOT, PICTURES, 'en', `${key}.webp`);
  if (!template || !existsSync(path)) return;
  const bytes = new Uint8Array(readFileSync(path));
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  pictures[language].set(key, { bytes, hash });
  template.picture = `${TEMPLATES_PATH}/${key}/picture?language=${language}&v=${hash}`;
}
