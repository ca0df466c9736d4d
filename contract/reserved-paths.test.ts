import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Glob } from 'bun';
import { GATE } from './access-kinds.ts';
import type { Endpoint } from './endpoint.ts';
import { isReservedPath } from './rules/file-paths.ts';

/** Pictures of the service. A page that has a folder of this name keeps it. */
const IS_SHARED = /^\/images\//;

test('no file of a page can be where the service has a route on the page’s host', async () => {
  const paths: string[] = [];
  for await (const file of new Glob('**/*endpoints.ts').scan(import.meta.dir)) {
    const modules: Record<string, Record<string, Endpoint>> = await import(join(import.meta.dir, file));
    for (const endpoint of Object.values(modules).flatMap((all) => Object.values(all))) {
      const { method, path, access } = endpoint;
      if (method === 'GET' && GATE[access.kind].onPageHost !== 'nothing') paths.push(path);
    }
  }
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !isReservedPath(path.slice(1)) && !IS_SHARED.test(path))).toEqual([]);
});
