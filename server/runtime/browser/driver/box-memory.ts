import { readdirSync, readFileSync } from 'node:fs';

/**
 * The memory of all processes below this one: what belongs to each, and what they share, counted once. A page can start
 * many processes, so the limit applies to all together.
 */
export function boxMemory(root: number): number {
  const children = childrenByParent();
  const below = [root];
  let own = 0;
  let shared = 0;
  for (let pid = below.pop(); pid !== undefined; pid = below.pop()) {
    below.push(...(children.get(pid) ?? []));
    const status = readOrEmpty(`/proc/${pid}/status`);
    own += kilobytes(status, 'RssAnon') + kilobytes(status, 'VmSwap');
    shared = Math.max(shared, kilobytes(status, 'RssShmem'));
  }
  return (own + shared) * 1024;
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    // The name of the process, before the `)`, can contain anything.
    const stat = readOrEmpty(`/proc/${pid}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** Reads a file; empty if the process has ended. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
