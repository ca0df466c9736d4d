/** Makes one module of a worker of ours, written in TypeScript. */
export async function bundleWorker(file: string): Promise<string> {
  const build = await Bun.build({
    entrypoints: [file],
    external: ['cloudflare:*'],
    format: 'esm',
    target: 'browser',
  });
  const [output] = build.outputs;
  if (!output) throw new Error(`${file} is empty`);
  return output.text();
}
