import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Compares the table of tools and scopes in docs/agents.md with the real tools. */

const SCOPES = ['pages', 'functions', 'solo-data', 'team-data', 'social-data'].flatMap((of) => [
  `${of}:read`,
  `${of}:write`,
]);

interface Listed {
  name: string;
  title: string;
  description: string;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean };
}

let quire: TestApp;
let user: TestUser;
beforeAll(async () => {
  quire = await testApp();
  user = await quire.user('ada');
});
afterAll(() => quire.stop());

async function listFor(token: string): Promise<Listed[]> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  return (await quire.call('POST', '/mcp', { body, token })).body.result.tools;
}

/** The scopes of each tool. Each of them alone is enough. */
async function enoughFor(): Promise<Map<string, string[]>> {
  const enough = new Map<string, string[]>();
  for (const scope of SCOPES) {
    const { body } = await user.call('POST', '/api/auth/tokens', { body: { name: scope, scopes: [scope] } });
    for (const { name, description } of await listFor(body.token))
      if (!description.startsWith('[needs ')) enough.set(name, [...(enough.get(name) ?? []), scope]);
  }
  return enough;
}

function scopeText(scopes: string[]): string {
  if (scopes.length === SCOPES.length) return 'none';
  return scopes.length === 3 ? `\`<type>:${scopes[0]?.split(':')[1]}\`` : `\`${scopes.join('` `')}\``;
}

test('the table of tools in the documentation is correct', async () => {
  const enough = await enoughFor();
  const rows = (await listFor(user.token)).map(({ name, title, annotations }) => {
    const { readOnlyHint, destructiveHint } = annotations;
    const effect = readOnlyHint ? 'reads' : destructiveHint ? 'destructive' : 'writes';
    return `| \`${name}\` | ${effect} | ${scopeText(enough.get(name) ?? [])} | ${title} |`;
  });
  const docs = await Bun.file(join(import.meta.dir, '../../../docs/agents.md')).text();
  const shown = docs.split('\n').filter((line) => /^\| `\w+` \| (reads|writes|destructive) \|/.test(line));
  expect(shown).toEqual(rows);
});
