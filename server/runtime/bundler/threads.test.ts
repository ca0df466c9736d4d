import { afterAll, expect, test } from 'bun:test';
import { BundlerThreads } from './threads.ts';

const threads = new BundlerThreads();
afterAll(() => threads.stop());

test('an owner with many bundles does not delay those of others', async () => {
  const map = Buffer.from(JSON.stringify({ version: 3, sources: [], mappings: '' })).toString('base64');
  const text = `export default 1;\n//# sourceMappingURL=data:application/json;base64,${map}`;
  const done: string[] = [];
  const finish = async (owner: string) => {
    const order = { output: new TextEncoder().encode(text), packages: [], maxBundleBytes: 1_000 };
    expect((await threads.finish(owner, order)).bundle).toBe('export default 1;\n');
    done.push(owner);
  };
  const many = Array.from({ length: 10 }, () => finish('many'));
  await Promise.all([...many, finish('one')]);
  expect(done).toHaveLength(11);
  expect(done.indexOf('one')).toBeLessThan(3);
});
