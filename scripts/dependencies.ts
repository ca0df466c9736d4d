import { join } from 'node:path';
import { type Package, type Packages, readPackages } from './dependencies/lock-file.ts';
import { REASONS } from './dependencies/reasons.ts';

/** Writes docs/dependencies.md from the lock file, with the reason for each package that we chose. */

const ROOT = join(import.meta.dir, '..');
export const DEPENDENCIES_FILE = join(ROOT, 'docs/dependencies.md');

const INTRODUCTION = `# Dependencies

*For administrators*

<!-- Generated from package-lock.json and scripts/dependencies/reasons.ts by \`npm run dependencies\`; change it there. -->

What Quire is made of besides its own code, with licences as the packages state them. \`npm run build\` puts the texts of the
licences into the archive, and writes the same list for programs beside it, as a software bill of materials
([CycloneDX](running.md#check-what-you-install)).
`;

export async function dependenciesMarkdown(root = ROOT): Promise<string> {
  const packages = await readPackages(root);
  const isDirect = ({ path, name }: Package) =>
    path === `node_modules/${name}` && packages.direct.includes(name);
  const running = packages.all.filter((one) => !one.isForTests);
  const chosen = (all: Package[]) =>
    all.filter(isDirect).map(({ name, version, license }) => [name, version, license, reasonFor(name)]);
  const users = findUsers(packages);
  const brought = running
    .filter((one) => !isDirect(one))
    .map(({ path, name, version, license }) => [name, version, license, users.get(path)?.join(', ') ?? '']);
  const titles = ['Package', 'Version', 'Licence'];
  return [
    INTRODUCTION,
    '## What we chose\n',
    table([...titles, 'What for'], chosen(running)),
    '## What these need\n',
    'Packages for other systems are in this list too; only those of your system are installed.\n',
    table([...titles, 'Needed by'], brought),
    '## Only for checks and tests\n',
    'None of this is in the archive.\n',
    table([...titles, 'What for'], chosen(packages.all.filter((one) => one.isForTests))),
  ].join('\n');
}

export function reasonFor(name: string): string {
  const reason = REASONS[name];
  if (!reason) throw new Error(`scripts/dependencies/reasons.ts does not say why the project needs ${name}`);
  return reason;
}

/** The names of the packages that use another, by the other's folder. */
function findUsers({ all }: Packages): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { name, uses, isForTests } of all) {
    if (isForTests) continue;
    for (const path of uses) users.set(path, [...new Set([...(users.get(path) ?? []), name])].toSorted());
  }
  return users;
}

function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return `${[line(titles), `|${'---|'.repeat(titles.length)}`, ...rows.map(line)].join('\n')}\n`;
}

if (import.meta.main) await Bun.write(DEPENDENCIES_FILE, await dependenciesMarkdown());
