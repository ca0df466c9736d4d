import type { Paint } from './colours.ts';

/** Unchanged lines that are shown before and after a change. */
const CONTEXT = 3;
/** Bounds the time for texts that have little in common. */
const LIMITS = { scanLimit: 500 };

/** Lines that were replaced: `before` from the line `at` of the old text, `after` from `atNew` of the new one. */
interface Change {
  at: number;
  before: string[];
  atNew: number;
  after: string[];
}

/** The difference of two texts as `diff -u` writes it, without the names of the files. Empty if there is none. */
export async function unifiedDiff(before: string, after: string, paint: Paint): Promise<string[]> {
  if (before === after) return [];
  const old = linesOf(before);
  return groupChanges(await findChanges(old, linesOf(after))).flatMap((group) => hunk(old, group, paint));
}

const linesOf = (text: string) => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
};

async function findChanges(old: string[], now: string[]): Promise<Change[]> {
  // Loaded here: all other commands start faster without it.
  const [{ Chunk }, { Text }] = await Promise.all([import('@codemirror/merge'), import('@codemirror/state')]);
  // A last line break inside a line would be two lines. The end marks it instead.
  const toText = (lines: string[]) => Text.of([...lines.map((line) => line.replace('\n', '\0')), '']);
  const [a, b] = [toText(old), toText(now)];
  return Chunk.build(a, b, LIMITS).map(({ fromA, toA, fromB, toB }) => {
    const [at, end] = [lineAt(a, fromA), lineAt(a, toA)];
    const [atNew, endNew] = [lineAt(b, fromB), lineAt(b, toB)];
    return { at, before: old.slice(at, end), atNew, after: now.slice(atNew, endNew) };
  });
}

/** The number of lines before a position. A chunk can end behind the text. */
const lineAt = (
  text: { length: number; lines: number; lineAt(at: number): { number: number } },
  at: number,
) => (at > text.length ? text.lines : text.lineAt(at).number - 1);

/** Changes that are close to each other are shown together. */
function groupChanges(changes: Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    const isClose = last && change.at - (last.at + last.before.length) <= 2 * CONTEXT;
    if (isClose) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups;
}

function hunk(old: string[], changes: Change[], paint: Paint): string[] {
  const [first, last] = [changes[0], changes.at(-1)];
  if (!first || !last) return [];
  const start = Math.max(0, first.at - CONTEXT);
  const end = Math.min(old.length, last.at + last.before.length + CONTEXT);
  const lines: string[] = [];
  let next = start;
  let added = 0;
  for (const { at, before, after } of changes) {
    lines.push(...old.slice(next, at).map((line) => ` ${line}`));
    lines.push(
      ...before.map((line) => paint.red(`-${line}`)),
      ...after.map((line) => paint.green(`+${line}`)),
    );
    next = at + before.length;
    added += after.length - before.length;
  }
  lines.push(...old.slice(next, end).map((line) => ` ${line}`));
  const startNew = first.atNew - (first.at - start);
  const range = (from: number, count: number) => `${count === 0 ? from : from + 1},${count}`;
  const head = `@@ -${range(start, end - start)} +${range(startNew, end - start + added)} @@`;
  return [paint.cyan(head), ...lines];
}
