import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { fillFolder } from './folder.ts';

const LEVEL = 6;

/** The name of the folder in the archive, and of the archive without its ending. */
export const archiveName = () => `quire-${packageJson.version}-${process.platform}-${process.arch}`;

/** Builds the archive for this machine's architecture in a folder, and returns its path. */
export async function buildArchive(folder: string, { level = LEVEL } = {}) {
  const name = archiveName();
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    await fillFolder(join(work, name));
    const archive = join(work, `${name}.tar.gz`);
    await pack(work, name, archive, level);
    await writeFile(`${archive}.sha256`, `${await hash(archive)}  ${basename(archive)}\n`);
    for (const ending of ['.sha256', '']) {
      await rename(archive + ending, join(folder, `${name}.tar.gz${ending}`));
    }
    return join(folder, `${name}.tar.gz`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The same content gives the same archive: sorted, without times and owners, and readable for everyone. */
async function pack(work: string, name: string, archive: string, level: number): Promise<void> {
  const plain = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--format=ustar'];
  const readable = '--mode=u=rwX,go=rX';
  const tar = Bun.spawn(['tar', '-C', work, ...plain, readable, '-cf', '-', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await pipeline(tar.stdout, createGzip({ level }), createWriteStream(archive));
  if ((await tar.exited) !== 0) throw new Error('tar failed');
}

async function hash(path: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return sum.digest('hex');
}
