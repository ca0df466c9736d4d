import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { describeMaterials } from './bill-of-materials.ts';
import { fillFolder } from './folder.ts';

const ROOT = join(import.meta.dir, '../..');

const LEVEL = 6;

/** The name of the folder in the archive, and of the archive without its ending. */
export const archiveName = () => `quire-${packageJson.version}-${process.platform}-${process.arch}`;

interface BuildOptions {
  level?: number;
  /** A file with the private Ed25519 key, in PEM, that signs the checksums. */
  signingKey?: string | undefined;
}

/**
 * Builds the archive for this machine's architecture in a folder, and returns its path. Beside it are what it is made
 * of, the checksums of both, and, with a key, their signature.
 */
export async function buildArchive(folder: string, { level = LEVEL, signingKey }: BuildOptions = {}) {
  const key = signingKey === undefined ? undefined : await readSigningKey(signingKey);
  const name = archiveName();
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, '.build-'));
  try {
    await fillFolder(join(work, name));
    const archive = join(work, `${name}.tar.gz`);
    await pack(work, name, archive, level);
    const materials = join(work, `${name}.cdx.json`);
    await writeFile(materials, await describeMaterials(ROOT));
    // An upgrade reads the first line, which is that of the archive.
    const sums = await Promise.all([archive, materials].map(sumLine));
    await writeFile(`${archive}.sha256`, sums.join(''));
    if (key) await writeFile(`${archive}.sha256.sig`, sign(null, Buffer.from(sums.join('')), key));
    // The archive comes last: where it is, the others are.
    const written = [materials, ...(key ? [`${archive}.sha256.sig`] : []), `${archive}.sha256`, archive];
    for (const path of written) await rename(path, join(folder, basename(path)));
    if (!key) await rm(join(folder, `${name}.tar.gz.sha256.sig`), { force: true });
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

async function readSigningKey(path: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(path));
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(
      `${path} is not an Ed25519 key. Make one: openssl genpkey -algorithm ed25519 -out ${path}`,
    );
  return key;
}

/** A line of `sha256sum`. */
async function sumLine(path: string): Promise<string> {
  return `${await hash(path)}  ${basename(path)}\n`;
}

async function hash(path: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return sum.digest('hex');
}
