import { decode, encode, type SourceMapMappings } from '@jridgewell/sourcemap-codec';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';

/** Runs in a thread: maps and bundles have megabytes. */

/** The compiler's output: the bundle, and a map in its last line. */
const MAP_MARK = '//# sourceMappingURL=data:application/json;base64,';
/** How a module of Node.js is imported by the stand-in for it. */
const STAND_IN_IMPORT = /(?<=^|;)(import \w+ ?from ?)"quire-node:([\w/]+)";/gm;
/** Where V8 says that something is in the module of a function. */
const FRAME = /\bfunction\.js:(\d{1,9}):(\d{1,9})/g;
/** The map of a megabyte of code has 3 MB. Only one that a package came with can have more. */
export const MAX_MAP_BYTES = 4 * 1024 * 1024;
/** The longest name of a source. Each place in a text is replaced by one, and packages choose some. */
const MAX_SOURCE_NAME = 300;
const MAX_FRAMES = 100;

export interface Output {
  bundle: string;
  /** The source map; null if it would be too large. */
  sourceMap: string | null;
  /** The packages and files that take up most of the bundle, the largest first. */
  largest: BundlePart[];
  /** True if the code imports something that is undefined because of an error of the compiler. */
  isFaulty?: boolean;
}

/** A package, such as `zod@4.1.0`, or a file of the owner, and how many bytes of the bundle it takes up. */
export interface BundlePart {
  name: string;
  size: number;
}

/** `packages` are the names and versions of packages, by their index. */
export function finishOutput(output: Uint8Array, packages: string[], maxBundleBytes: number): Output {
  const text = new TextDecoder().decode(output);
  const at = text.lastIndexOf(MAP_MARK);
  const bundle = text.slice(0, at).replace(STAND_IN_IMPORT, '$1"node:$2";');
  // The bundle will be refused, and its map would need much memory.
  const largest = findLargest(bundle, packages);
  if (Buffer.byteLength(bundle) > maxBundleBytes) return { bundle, sourceMap: null, largest };
  const map = JSON.parse(Buffer.from(text.slice(at + MAP_MARK.length), 'base64').toString()) as {
    sources: string[];
    mappings: string;
  };
  const sources = map.sources.map((source) => nameSource(source, packages).slice(0, MAX_SOURCE_NAME));
  const isOwn = map.sources.map((source) => source.startsWith('source/'));
  const mappings = decode(map.mappings).map((line) => shorten(line, isOwn));
  const sourceMap = JSON.stringify({ version: 3, sources, names: [], mappings: encode(mappings) });
  const isMapTooLarge = Buffer.byteLength(sourceMap) > MAX_MAP_BYTES;
  return { bundle, sourceMap: isMapTooLarge ? null : sourceMap, largest };
}

/** The comment that the compiler writes before the code of each file. */
const FILE_COMMENT = /^[ \t]*\/\/ ((?:source|node_modules)\/.*)$/gm;
const MAX_LARGEST = 10;

/** The files in a bundle, and where their code is. */
export function splitFiles(bundle: string): Array<{ path: string; start: number; end: number }> {
  const files = [...bundle.matchAll(FILE_COMMENT)];
  return files.map(({ 1: path = '', index: start }, index) => ({
    path,
    start,
    end: files[index + 1]?.index ?? bundle.length,
  }));
}

function findLargest(bundle: string, packages: string[]): BundlePart[] {
  const sizes = new Map<string, number>();
  for (const { path, start, end } of splitFiles(bundle)) {
    const source = nameSource(path, packages);
    const name = path.startsWith('source/') ? source : source.replace(/^(@[^/]+\/[^/]+|[^/]+).*$/s, '$1');
    sizes.set(name, (sizes.get(name) ?? 0) + Buffer.byteLength(bundle.slice(start, end)));
  }
  return [...sizes]
    .map(([name, size]) => ({ name: name.slice(0, MAX_SOURCE_NAME), size }))
    .sort((a, b) => b.size - a.size)
    .slice(0, MAX_LARGEST);
}

/** Shortens a line of the map: for the code of packages the line is enough, and names are not used. */
function shorten(line: SourceMapMappings[number], isOwn: boolean[]): SourceMapMappings[number] {
  const own = line.filter((segment) => segment.length > 1 && isOwn[segment[1] ?? -1]);
  const kept = own.length > 0 ? own : line.filter((segment) => segment.length > 1).slice(0, 1);
  return kept.map((segment) => segment.slice(0, 4) as typeof segment);
}

/** The name of a source as the owner knows it: `lib/x.ts`, or `zod@4.1.0/index.js`. */
export function nameSource(path: string, packages: string[]): string {
  if (path.startsWith('source/')) return path.slice('source/'.length);
  const [, index = '', rest = ''] =
    /^node_modules\/\.q\/(\d+)\/node_modules\/(?:@[^/]+\/)?[^/]+\/(.*)$/s.exec(path) ?? [];
  const name = packages[Number(index)];
  return index === '' || name === undefined ? path : `${name}/${rest}`;
}

/** Replaces places in the stacks of texts with the owner's own files, lines and columns. */
export function mapStacks(sourceMap: string, texts: string[]): string[] {
  const map = new TraceMap(sourceMap);
  return texts.map((text) => {
    let frames = 0;
    return text.replace(FRAME, (frame, line: string, column: string) => {
      if (++frames > MAX_FRAMES) return frame;
      const found = locate(map, Number(line), Number(column));
      return found ? `${found.file}:${found.line}:${found.column}` : frame;
    });
  });
}

export function locatePlace(sourceMap: string, line: number, column: number) {
  return locate(new TraceMap(sourceMap), line, column);
}

function locate(map: TraceMap, line: number, column: number) {
  if (line < 1 || column < 1) return undefined;
  const found = originalPositionFor(map, { line, column: column - 1 });
  return found.source === null
    ? undefined
    : { file: found.source, line: found.line, column: found.column + 1 };
}
