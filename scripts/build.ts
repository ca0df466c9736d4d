import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { saySize } from '../cli/terminal/amounts.ts';
import { buildArchive } from './building/archive.ts';

/** `npm run build`: makes the archive for operators, and beside it what it is made of and the checksums of both. */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'signing-key': { type: 'string' } },
});
const archive = await buildArchive(resolve(positionals[0] ?? 'dist'), { signingKey: values['signing-key'] });
console.log(`${archive}  ${saySize(Bun.file(archive).size)}`);
