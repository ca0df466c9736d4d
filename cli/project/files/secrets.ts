import { fileType, isTextType } from '../../../contract/rules/file-types.ts';
import { doubtName, doubtText, MAX_DOUBT_BYTES } from '../../../contract/rules/projects/doubtful-files.ts';
import type { Text } from '../../../contract/rules/texts/fill.ts';
import { readChunks } from './read.ts';
import { sayFault } from './say-fault.ts';
import type { LocalFile } from './scan.ts';

/** A file that people hardly ever mean to publish, and why. */
export interface Doubt {
  path: string;
  why: string;
}

/** The files that look like secrets or like a server. */
export async function findDoubts(files: LocalFile[]): Promise<Doubt[]> {
  const doubts: Doubt[] = [];
  for (const { path, file, size } of files) {
    const why = doubtName(path) ?? (await readDoubt(path, file, size));
    if (why !== undefined) doubts.push({ path, why: sayFault(why) });
  }
  return doubts;
}

async function readDoubt(path: string, file: string, size: number): Promise<Text | undefined> {
  const type = fileType(path);
  // Files of an unknown type may be settings.
  if (size > MAX_DOUBT_BYTES || !(isTextType(type) || type === 'application/octet-stream')) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(file)) chunks.push(chunk);
  return doubtText(path, Buffer.concat(chunks).toString());
}
