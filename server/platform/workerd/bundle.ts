const bundled = new Map<string, Promise<string>>();

/** Bundles one of our workers into a single module. Each worker is bundled only once. */
export function bundleWorker(file: string): Promise<string> {
  const made = bundled.get(file) ?? bundle(file);
  bundled.set(file, made);
  return made;
}

async function bundle(file: string): Promise<string> {
  const build = await Bun.build({
    entrypoints: [file],
    // A cell's configuration adds the owner's module next to the shim.
    external: ['cloudflare:*', 'function.js'],
    format: 'esm',
    target: 'browser',
  });
  const [output] = build.outputs;
  if (!output) throw new Error(`${file} is empty`);
  return output.text();
}
