const bundled = new Map<string, Promise<string>>();

/** Makes one module of a worker of ours, written in TypeScript; once for each. */
export function bundleWorker(file: string): Promise<string> {
  const made = bundled.get(file) ?? bundle(file);
  bundled.set(file, made);
  return made;
}

async function bundle(file: string): Promise<string> {
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
