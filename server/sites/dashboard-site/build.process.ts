import { join } from 'node:path';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { LANGUAGES } from '../../../contract/rules/texts/languages.ts';
import { readCatalog } from '../screens/index.ts';
import { findSharedKeys, findTexts, toScript } from './script-texts.ts';

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
    /** By language: a script that adds the translations of what this file says. */
    translations: {} as Record<string, string>,
  })),
);
const scripts = files.filter(({ name }) => name.endsWith('.js'));

/** Adds the translations to the scripts, and returns one with what errors say. */
function translate(language: string) {
  const screens = readCatalog(language, ['dashboard']);
  const errors = readCatalog(language, ['errors']);
  const shared = findSharedKeys(Object.keys({ ...screens, ...errors }));
  const said = new Map(scripts.map((script) => [script, findTexts(script.text, screens)]));
  const literals = new Set([...said.values()].flatMap((texts) => [...texts]));
  // The titles of templates come from the server. They are few, and every screen can show them.
  const others = Object.keys(screens).filter((text) => !literals.has(text));
  for (const [script, texts] of said) {
    const all = script.isEntrance ? [...texts, ...others] : [...texts];
    const own = Object.fromEntries(all.map((text) => [text, screens[text] ?? text]));
    script.translations[language] = toScript(own, shared);
  }
  const text = toScript(errors, shared);
  const name = `${language}-errors.${Bun.hash(text).toString(36)}.js`;
  return { name, isEntrance: true, text, translations: {} };
}

const errorTexts = Object.keys(LANGUAGES)
  .filter((language) => language !== 'en')
  .map(translate);

process.stdout.write(JSON.stringify([...files, ...errorTexts]));
