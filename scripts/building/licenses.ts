import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface LockFile {
  packages: Record<string, { dev?: boolean; version?: string; license?: string }>;
}

const FILE = /^(licen[cs]e|copying|notice)\b/i;

/** The licences of all packages whose code is in the archive, as most of them demand. */
export async function collectLicenses(root: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  const sections: string[] = [];
  for (const [path, { dev, version, license }] of Object.entries(packages)) {
    // Packages for other machines are in the lock file, but not installed.
    if (path === '' || dev || !existsSync(join(root, path))) continue;
    const names = (await readdir(join(root, path))).filter((name) => FILE.test(name));
    const texts = await Promise.all(names.map((name) => readFile(join(root, path, name), 'utf8')));
    const title = `${path.replace(/^.*node_modules\//, '')} ${version} (${license ?? 'see below'})`;
    sections.push(
      [title, '='.repeat(title.length), '', ...texts.map((text) => `${text.trim()}\n`)].join('\n'),
    );
  }
  return sections.join('\n\n');
}
