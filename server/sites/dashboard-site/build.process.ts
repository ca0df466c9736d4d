import { join } from 'node:path';
import type { Endpoint } from '../../../contract/endpoint.ts';
import type { Catalog } from '../../../contract/rules/texts/fill.ts';
import { LANGUAGES } from '../../../contract/rules/texts/languages.ts';
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
  .flatMap((language) => [
    toScript(language, readCatalog(language, ['dashboard'])),
    toScript(`${language}-errors`, readCatalog(language, ['errors'])),
  ]);

/** All texts come before all translations, which are in order: like beside like, so they compress better. */
function toScript(name: string, catalog: Catalog) {
  const entries = Object.entries(catalog)
    .filter(([text, translation]) => text !== translation)
    .map(([text, translation]) => ({ text, translation, rank: JSON.stringify(translation) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1));
  const texts = JSON.stringify(entries.map(({ text }) => text));
  const translations = JSON.stringify(entries.map(({ translation }) => translation));
  const text = `((a,b)=>a.forEach((k,i)=>(globalThis.quireTexts??={})[k]=b[i]))(${texts},${translations});`;
  return { name: `${name}.${Bun.hash(text).toString(36)}.js`, isEntrance: true, text };
}

process.stdout.write(JSON.stringify([...files, ...catalogs]));
