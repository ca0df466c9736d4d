import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { BINDINGS, DATABASE_NAME } from '../../contract/rules/function-names.ts';
import { SERVICE_BINDINGS } from '../../workers/protocol.ts';

/** What functions have in `env` is named in several places, for several readers. */

const root = join(import.meta.dir, '../..');
const read = (path: string) => Bun.file(join(root, path)).text();
const services = BINDINGS.filter(({ name }) => name !== DATABASE_NAME);

test('the services in env are the same in the contract, in cells, in the types and in the documentation', async () => {
  const names = services.map(({ name }) => name).sort();
  expect(Object.keys(SERVICE_BINDINGS).sort()).toEqual(names);
  const [, types = ''] = (await read('sdk/quire.d.ts')).split('interface FunctionEnv {');
  const declared = types.slice(0, types.indexOf('\n  }')).matchAll(/^ {4}([A-Z]+):/gm);
  expect([...declared].map(([, name]) => String(name)).sort()).toEqual(names);
  const docs = await read('docs/functions.md');
  for (const name of names) expect(docs).toMatch(new RegExp(`\`(?:env\\.)?${name}\\.`));
});
