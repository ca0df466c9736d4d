import { isDeepStrictEqual } from 'node:util';
import type { Paint } from '../terminal/colours.ts';
import { diffFile } from '../terminal/file-diff.ts';

/** Something that differs between a folder and the server. */
export interface Change {
  /** Its path in the folder. */
  path: string;
  /** What a push would do on the server. */
  change: 'added' | 'removed' | 'changed';
  /** The lines that differ, as `diff -u` writes them; not of files that are not text. */
  diff?: string;
}

/** Texts of the server and of the folder, by their path in the folder. */
export interface TextPairs {
  server: Record<string, string>;
  folder: Record<string, string>;
}

/** What differs between texts. `version` is that of the server. */
export async function compareTexts(
  { server, folder }: TextPairs,
  version: number,
  paint: Paint,
): Promise<Change[]> {
  const paths = [...new Set([...Object.keys(server), ...Object.keys(folder)])].sort();
  const changes: Change[] = [];
  for (const path of paths) {
    const [before, after] = [pick(server, path), pick(folder, path)];
    if (before === after) continue;
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    if (/\.wasm$/i.test(path)) {
      changes.push({ path, change });
      continue;
    }
    const names: [string, string] = [`server/${path} (version ${version})`, path];
    changes.push({ path, change, diff: (await diffFile({ names, before, after }, paint)).join('\n') });
  }
  return changes;
}

const pick = (texts: Record<string, string>, path: string) =>
  Object.hasOwn(texts, path) ? texts[path] : undefined;

/** Settings of the server and of a folder as texts. Another order of names is no difference. */
export function toSettingTexts(present: unknown, wanted: unknown): [server: string, folder: string] {
  const asText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  const folder = asText(wanted);
  return [isDeepStrictEqual(present, wanted) ? folder : asText(present), folder];
}

/** What the server has under the names in a file: a push leaves other settings as they are. */
export function pickSame(wanted: unknown, present: unknown): unknown {
  if (!isObject(wanted) || !isObject(present)) return present;
  return Object.fromEntries(
    Object.keys(wanted)
      .filter((name) => Object.hasOwn(present, name))
      .map((name) => [name, present[name]]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
