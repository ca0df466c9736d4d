import type { Language } from '../../../contract/rules/texts/languages.ts';
import { helperCommand, loadBuilt } from '../../lib/modules.ts';
import { makeVariants, type Variants } from '../../platform/http/index.ts';

/** The dashboard's files for browsers. */
export interface Bundle {
  script: string;
  stylesheet: string;
  /** The script with the texts of a language. English has none. */
  catalog(language: Language): string | undefined;
  /** The script with what errors say. It can load after the first screen. */
  errorCatalog(language: Language): string | undefined;
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

/** The file of a compiled program that has the dashboard. */
export const DASHBOARD_FILE = 'dashboard.json';

/** Loads or bundles the dashboard. Either takes a noticeable moment, so it is done once, on the first request. */
export async function buildDashboard(): Promise<Bundle> {
  const built = JSON.parse((await loadBuilt(DASHBOARD_FILE)) ?? (await bundleDashboard())) as Built[];
  const files = await Promise.all(
    built.map(async ({ name, text }) => {
      const type = TYPES[name.split('.').pop() ?? ''] ?? 'application/octet-stream';
      return [name, { variants: await makeVariants(Buffer.from(text), name), type }] as const;
    }),
  );
  const entrance = (start: string) =>
    built.find(({ name, isEntrance }) => isEntrance && name.startsWith(`${start}.`))?.name;
  return {
    script: entrance('main') ?? '',
    stylesheet: entrance('styles') ?? '',
    catalog: entrance,
    errorCatalog: (language) => entrance(`${language}-errors`),
    files: new Map(files),
  };
}

/** Bundles the dashboard into files, as JSON. */
export async function bundleDashboard(): Promise<string> {
  const child = Bun.spawn(helperCommand(new URL('./build.process.ts', import.meta.url)), {
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
  return output;
}
