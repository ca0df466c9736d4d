import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The code in the document about applications is the code of the examples. */

const ROOT = join(import.meta.dir, '../../..');
/** Without indentation and line ends, which differ when only a part is shown. */
const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

test('every piece of code is in an example', () => {
  const examples = readdirSync(join(ROOT, 'examples'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => plain(readFileSync(join(entry.parentPath, entry.name), 'utf8')));
  const document = readFileSync(join(ROOT, 'docs/applications.md'), 'utf8');
  const pieces = [...document.matchAll(/^```(?:ts|js|json)\n(.*?)^```$/gms)].map(([, code = '']) =>
    plain(code),
  );
  expect(pieces.length).toBeGreaterThan(5);
  expect(pieces.filter((piece) => !examples.some((text) => text.includes(piece)))).toEqual([]);
});
