import { join } from 'node:path';

/**
 * Bundles the dashboard and prints the files as JSON. This is a separate process because the bundler never frees its
 * memory.
 */
const FOLDER = join(import.meta.dir, '../../../dashboard');

const build = await Bun.build({
  entrypoints: ['main.tsx', 'styles.css', 'texts/de.ts'].map((file) => join(FOLDER, file)),
  target: 'browser',
  format: 'esm',
  splitting: true,
  minify: true,
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
process.stdout.write(JSON.stringify(files));
