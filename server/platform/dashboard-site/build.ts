import { join } from 'node:path';
import { makeVariants, type Variants } from '../http/index.ts';

/** The dashboard's files for browsers. */
export interface Bundle {
  script: string;
  stylesheet: string;
  /** Every file by its name, which changes with its content. */
  files: Map<string, { variants: Variants; type: string }>;
}

interface Built {
  name: string;
  isEntrance: boolean;
  text: string;
}

const TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Bundles the dashboard. This takes a noticeable moment, so it is done once, on the first request. */
export async function buildDashboard(): Promise<Bundle> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'build.process.ts')], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: {},
  });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`the dashboard could not be built: ${errors}`);
  const built = JSON.parse(output) as Built[];
  const files = await Promise.all(
    built.map(async ({ name, text }) => {
      const type = TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream';
      return [name, { variants: await makeVariants(Buffer.from(text), name), type }] as const;
    }),
  );
  const entrance = (ending: string) =>
    built.find(({ name, isEntrance }) => isEntrance && name.endsWith(ending))?.name ?? '';
  return { script: entrance('.js'), stylesheet: entrance('.css'), files: new Map(files) };
}
