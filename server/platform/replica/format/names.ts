import { WRITERS } from '../destination/destination.ts';

/** The names of objects in a replica. Sorted by name, they are sorted by time. */

const GENERATION = /^((\d{8})-\d{6})\.(\d{14})\.(\d{8})$/;
const SEGMENT = /^(\d{8})-(\d{14})$/;

const digits = (value: number, length: number) => String(value).padStart(length, '0');

/** A full copy of the database with all changes since. */
export interface GenerationName {
  name: string;
  number: number;
}

/** A generation that is complete: it can be restored from its first whole segment on. */
export interface CompleteGeneration extends GenerationName {
  /** The name of its object in the catalog. */
  key: string;
  /** When the full copy was complete, and the segment of that time. */
  at: number;
  first: number;
}

export interface SegmentName {
  key: string;
  index: number;
  at: number;
}

export const CATALOG = 'catalog/';
export const FILES = 'files/';
export const DATABASES = 'databases/';
export const GENERATIONS = 'generations/';
/** The key of the server, in the data folder and in the replica. */
export const SECRET = 'secret';
/** How the names of keys in the data folder begin that are no longer in use. The time of the file is when that was. */
export const REPLACED_SECRETS = 'replaced-secret-';

export function nameGeneration(number: number, writer: number): GenerationName {
  return { name: `${digits(number, 8)}-${digits(writer, 6)}`, number };
}

export const catalogKey = ({ name }: GenerationName, at: number, first: number) =>
  `${CATALOG}${name}.${digits(at, 14)}.${digits(first, 8)}`;

export function parseGeneration(key: string): CompleteGeneration | undefined {
  const [, name, number, at, first] = GENERATION.exec(key.slice(CATALOG.length)) ?? [];
  if (name === undefined) return undefined;
  return { key, name, number: Number(number), at: Number(at), first: Number(first) };
}

export const generationPrefix = ({ name }: GenerationName) => `${GENERATIONS}${name}/`;
export const pieceKey = (generation: GenerationName, piece: number) =>
  `${generationPrefix(generation)}pieces/${digits(piece, 8)}`;
export const segmentsPrefix = (generation: GenerationName) => `${generationPrefix(generation)}segments/`;
export const segmentKey = (generation: GenerationName, index: number, at: number) =>
  `${segmentsPrefix(generation)}${digits(index, 8)}-${digits(at, 14)}`;
export const writerKey = (number: number) => WRITERS + digits(number, 6);

export function parseSegment(key: string): SegmentName | undefined {
  const [, index, at] = SEGMENT.exec(key.slice(key.lastIndexOf('/') + 1)) ?? [];
  return index === undefined ? undefined : { key, index: Number(index), at: Number(at) };
}

/** A segment of the database of a function: all its pages, or those that changed since the segment before. */
export interface DatabaseSegmentName {
  key: string;
  ownerId: number;
  /** The name of the file, without its ending. */
  file: string;
  /** The first segment of each chain has all pages. */
  chain: number;
  index: number;
  at: number;
}

const DATABASE_SEGMENT = /^databases\/(\d+)\/([0-9a-f]{64})\/(\d{8})\/(\d{8})-(\d{14})$/;

export const databaseSegmentKey = (segment: Omit<DatabaseSegmentName, 'key'>) =>
  `${DATABASES}${segment.ownerId}/${segment.file}/${digits(segment.chain, 8)}/${digits(segment.index, 8)}-${digits(segment.at, 14)}`;

export function parseDatabaseSegment(key: string): DatabaseSegmentName | undefined {
  const [, ownerId, file, chain, index, at] = DATABASE_SEGMENT.exec(key) ?? [];
  if (ownerId === undefined || file === undefined) return undefined;
  return {
    ...{ key, ownerId: Number(ownerId), file },
    ...{ chain: Number(chain), index: Number(index), at: Number(at) },
  };
}

/** Names a database among those of all owners. A host could write files that are named like those of others. */
export const databaseName = ({ ownerId, file }: Pick<DatabaseSegmentName, 'ownerId' | 'file'>) =>
  `${ownerId}/${file}`;
