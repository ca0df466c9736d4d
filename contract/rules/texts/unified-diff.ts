/** Colours the parts of a difference. */
type Paint = Record<'red' | 'green' | 'cyan', (text: string) => string>;

const PLAIN: Paint = { red: (text) => text, green: (text) => text, cyan: (text) => text };

/** Unchanged lines that are shown before and after a change. */
const CONTEXT = 3;
/** Bounds the time for texts that have little in common. */
const LIMITS = { scanLimit: 500 };
/** Characters that are not half of a surrogate pair. */
const LETTERS = 0xd800;

/** Lines that were replaced: `before` from the line `at` of the old text, `after` from `atNew` of the new one. */
interface Change {
  at: number;
  before: string[];
  atNew: number;
  after: string[];
}

/** The difference of two texts as `diff -u` writes it, without the names of the files. Empty if there is none. */
export async function unifiedDiff(before: string, after: string, paint = PLAIN): Promise<string[]> {
  if (before === after) return [];
  const old = splitLines(before);
  return groupChanges(await findChanges(old, splitLines(after))).flatMap((group) => hunk(old, group, paint));
}

const splitLines = (text: string) => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
};

async function findChanges(old: string[], now: string[]): Promise<Change[]> {
  const different = [...new Set([...old, ...now])];
  if (different.length > LETTERS) return [{ at: 0, before: old, atNew: 0, after: now }];
  // Each different line becomes a letter, and the two words are compared.
  const letters = new Map(different.map((line, index) => [line, String.fromCharCode(index)]));
  const spell = (lines: string[]) => lines.map((line) => letters.get(line)).join('');
  // Loaded here: all other commands start faster without it.
  const { diff } = await import('@codemirror/merge');
  return diff(spell(old), spell(now), LIMITS).map(({ fromA, toA, fromB, toB }) => ({
    at: fromA,
    before: old.slice(fromA, toA),
    atNew: fromB,
    after: now.slice(fromB, toB),
  }));
}

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
