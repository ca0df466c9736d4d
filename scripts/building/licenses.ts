import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readShipped } from './bill-of-materials.ts';

const FILE = /^(licen[cs]e|copying|notice)\b/i;

/** The licences of all packages whose code is in the archive, as most of them demand. */
export async function collectLicenses(root: string): Promise<string> {
  const sections: string[] = [];
  for (const { path, name, version, license } of await readShipped(root)) {
    const names = (await readdir(join(root, path))).filter((file) => FILE.test(file));
    const texts = await Promise.all(names.map((file) => readFile(join(root, path, file), 'utf8')));
    const title = `${name} ${version} (${license === 'unknown' ? 'see below' : license})`;
    sections.push(
      [title, '='.repeat(title.length), '', ...texts.map((text) => `${text.trim()}\n`)].join('\n'),
    );
  }
  return sections.join('\n\n');
}
