import { join } from 'node:path';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Catalog } from '../../../contract/rules/texts/fill.ts';
import { LANGUAGES } from '../../../contract/rules/texts/languages.ts';
import { SHORT_KEY_CHARACTERS, toShortKey } from '../../../contract/rules/texts/short-key.ts';
import { readCatalog } from '../screens/index.ts';

/**
 * Bundles the dashboard and prints the files as JSON. This is a separate process because the bundler never frees its
 * memory.
 */
const FOLDER = join(import.meta.dir, '../../../dashboard');

/** Browsers need only the method and path of an endpoint. Its schemas stay outside, and zod with them. */
const withoutSchemas: Bun.BunPlugin = {
  name: 'without schemas',
  setup(build) {
    build.onLoad({ filter: /\/contract\/.*\bendpoints\.ts$/ }, async ({ path }) => {
      const groups = Object.entries(await import(path)).filter(([name]) => name.endsWith('Endpoints'));
      const lines = groups.map(
        ([name, group]) => `export const ${name} = ${JSON.stringify(group, shorten)};`,
      );
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};

/** Leaves two fields of each endpoint. A group can contain groups. */
const shorten = (_: string, value: Partial<Endpoint>) =>
  value.method ? { method: value.method, path: value.path } : value;

const build = await Bun.build({
  entrypoints: ['main.tsx', 'styles.css'].map((file) => join(FOLDER, file)),
  target: 'browser',
  format: 'esm',
  splitting: true,
  minify: true,
  plugins: [withoutSchemas],
  publicPath: '/assets/dashboard/',
  naming: {
    entry: '[name].[hash].[ext]',
    chunk: '[hash].[ext]',
    asset: '[hash].[ext]',
  },
});

const files = await Promise.all(
  build.outputs.map(async (output) => ({
    name: output.path.split('/').pop() ?? '',
    isEntrance: output.kind === 'entry-point' || output.path.endsWith('.css'),
    text: await output.text(),
  })),
);

/** Scripts with what the dashboard says in each language, and with what errors say. */
const catalogs = Object.keys(LANGUAGES)
  .filter((language) => language !== 'en')
  .flatMap((language) => {
    const screens = readCatalog(language, ['dashboard']);
    const errors = readCatalog(language, ['errors']);
    const shared = findSharedKeys(Object.keys({ ...screens, ...errors }));
    return [toScript(language, screens, shared), toScript(`${language}-errors`, errors, shared)];
  });

/** The short keys that several texts have. These texts are their own keys. */
function findSharedKeys(texts: string[]): ReadonlySet<string> {
  const keys = texts.map(toShortKey);
  return new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
}

/** All keys come before all translations, which are in order: like beside like, so they compress better. */
function toScript(name: string, catalog: Catalog, shared: ReadonlySet<string>) {
  const entries = Object.entries(catalog)
    .filter(([text, translation]) => text !== translation)
    .map(([text, translation]) => ({ text, key: toShortKey(text), translation: JSON.stringify(translation) }))
    .sort((a, b) => (a.translation < b.translation ? -1 : 1));
  const short = entries.filter(({ key }) => !shared.has(key));
  const keys = JSON.stringify(short.map(({ key }) => key).join(''));
  const translations = `[${short.map(({ translation }) => translation).join(',')}]`;
  const others = entries.filter(({ key }) => shared.has(key));
  const whole = `{${others.map(({ text, translation }) => `${JSON.stringify(text)}:${translation}`).join(',')}}`;
  const size = SHORT_KEY_CHARACTERS;
  const text = `((k,b,o)=>{const c=Object.assign(globalThis.quireTexts??={},o);b.forEach((t,i)=>c[k.slice(i*${size},i*${size}+${size})]=t)})(${keys},${translations},${whole});`;
  return { name: `${name}.${Bun.hash(text).toString(36)}.js`, isEntrance: true, text };
}

process.stdout.write(JSON.stringify([...files, ...catalogs]));
