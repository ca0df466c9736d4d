import { closeSync, openSync, readSync } from 'node:fs';
import { MAX_MANIFEST_BYTES } from './limits.ts';

const CHUNK = 256 * 1024;
const MAX_VERSIONS = 100_000;
const MAX_KEY_BYTES = 300;
const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, OPEN_LIST, CLOSE_OBJECT, CLOSE_LIST] = [0x7b, 0x5b, 0x7d, 0x5d];

/** Thrown if a list is not what a registry sends. */
export class VersionListError extends Error {}

interface FoundVersion {
  /** A version, and its entry as JSON. */
  onVersion(version: string, json: () => string): void;
  /** A tag, and its version as JSON. */
  onTag(tag: string, json: () => string): void;
}

/**
 * Reads the list of a package's versions from a file, with one entry at a time in memory: some lists have tens of
 * megabytes. They come from outside, so everything in them is limited.
 */
export function readVersionList(file: string, { onVersion, onTag }: FoundVersion): void {
  let count = 0;
  const scanner = new Scanner((section, key, json) => {
    if (++count > MAX_VERSIONS) throw new VersionListError('it has too many versions');
    (section === 'versions' ? onVersion : onTag)(key, json);
  });
  const descriptor = openSync(file, 'r');
  try {
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk))
      scanner.feed(chunk.subarray(0, read));
  } finally {
    closeSync(descriptor);
  }
  if (!scanner.isComplete) throw new VersionListError('it is not a list of versions');
}

type Section = 'versions' | 'dist-tags';
const isSection = (key: string): key is Section => key === 'versions' || key === 'dist-tags';

/** Finds the entries of the two objects that matter, in JSON that arrives in chunks. */
class Scanner {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  private hasBegun = false;
  private hasVersions = false;
  /** The last key of the outer object, and of the section in it. */
  private key = '';
  private section: Section | undefined;
  private entry: string | undefined;
  /** Where the current key or entry begins in this chunk; -1 if there is none. What came before is in `earlier`. */
  private start = -1;
  private earlier: Buffer[] = [];
  private earlierBytes = 0;

  constructor(private readonly onEntry: (section: Section, key: string, json: () => string) => void) {}

  get isComplete(): boolean {
    return this.hasVersions && this.depth === 0 && !this.isInString;
  }

  feed(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (!this.isInString) {
        if (byte > 0x20) this.step(byte, chunk, at);
      } else if (this.isEscaped) this.isEscaped = false;
      else if (byte === BACKSLASH) this.isEscaped = true;
      else if (byte === QUOTE) this.isInString = false;
    }
    if (this.start === -1) return;
    const rest = Buffer.from(chunk.subarray(this.start));
    this.earlierBytes += rest.length;
    if (this.earlierBytes > MAX_MANIFEST_BYTES) throw new VersionListError('an entry is too long');
    this.earlier.push(rest);
    this.start = 0;
  }

  private step(byte: number, chunk: Buffer, at: number): void {
    if (!this.hasBegun && byte !== OPEN_OBJECT) throw new VersionListError('it is not an object');
    this.hasBegun = true;
    if (byte === QUOTE) this.isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.open(byte, at);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.close(chunk, at);
    else if (byte === COLON) this.endKey(chunk, at);
    else if (byte === COMMA && (this.depth === 1 || (this.depth === 2 && this.section))) {
      this.endEntry(chunk, at);
      this.begin(at + 1);
    }
  }

  private open(byte: number, at: number): void {
    this.depth++;
    if (this.depth === 2) this.section = byte === OPEN_OBJECT && isSection(this.key) ? this.key : undefined;
    if (this.depth === 2 && this.section === 'versions') this.hasVersions = true;
    if (this.depth === 1 || (this.depth === 2 && this.section)) this.begin(at + 1);
  }

  private close(chunk: Buffer, at: number): void {
    if (this.depth === 2) {
      this.endEntry(chunk, at);
      this.section = undefined;
    }
    if (this.depth <= 2) this.start = -1;
    if (--this.depth < 0) throw new VersionListError('it is not an object');
  }

  private endKey(chunk: Buffer, at: number): void {
    if (this.depth === 1) {
      this.key = readKey(this.take(chunk, at));
      this.start = -1;
    } else if (this.depth === 2 && this.section && this.entry === undefined) {
      this.entry = readKey(this.take(chunk, at));
      this.begin(at + 1);
    }
  }

  private endEntry(chunk: Buffer, at: number): void {
    const { entry, section } = this;
    this.entry = undefined;
    if (section && entry !== undefined) this.onEntry(section, entry, () => this.take(chunk, at).toString());
  }

  private begin(at: number): void {
    this.start = at;
    this.earlier = [];
    this.earlierBytes = 0;
  }

  private take(chunk: Buffer, at: number): Buffer {
    return Buffer.concat([...this.earlier, chunk.subarray(Math.max(0, this.start), at)]);
  }
}

function readKey(bytes: Buffer): string {
  if (bytes.length > MAX_KEY_BYTES) throw new VersionListError('a key is too long');
  try {
    return String(JSON.parse(bytes.toString()));
  } catch {
    throw new VersionListError('a key is not a text');
  }
}
