import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Prisma writes its query compiler beside the generated client. That is larger than the code of a function can be, but
 * the same compiler is in the package @prisma/client, which does not count as code: src/compiler.js.
 */
const folder = new URL('../src/generated/internal/', import.meta.url);
const client = new URL('class.ts', folder);
const text = readFileSync(client, 'utf8');
const changed = text.replace(/"\.\/query_compiler_\w+\.wasm\?module"/, '"../../compiler.js"');
if (changed === text) throw new Error('The generated client does not import its compiler as expected.');
writeFileSync(client, changed);
for (const name of readdirSync(folder).filter((each) => each.endsWith('.wasm')))
  rmSync(new URL(name, folder));
