import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { saySize } from '../cli/terminal/amounts.ts';
import { buildArchive } from './building/archive.ts';

/** `npm run build`: makes the archive for operators, and the file with its checksum beside it. */

const { positionals } = parseArgs({ allowPositionals: true });
const archive = await buildArchive(resolve(positionals[0] ?? 'dist'));
console.log(`${archive}  ${saySize(Bun.file(archive).size)}`);
