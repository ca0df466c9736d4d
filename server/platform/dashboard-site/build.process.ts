import { join } from 'node:path';

/**
 * Bundles the dashboard and prints the files as JSON. A process of its own, because what the bundler takes up in
 * memory is never given back.
 */
const FOLDER = join(import.meta.dir, '../../../dashboard');

const build = await Bun.build({
  entrypoints: [join(FOLDER, 'main.tsx'), join(FOLDER, 'styles.css')],
  target: 'browser',
  format: 'esm',
  splitting: true,
  minify: true,
  publicPath: '/assets/dashboard/',
  naming: {
    entry: '[hash].[ext]',
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
