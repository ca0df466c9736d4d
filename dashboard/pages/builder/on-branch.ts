import type { PageDetail } from '../api.ts';
import { type BranchData, type BranchList, createBranch, listBranches } from '../branches/api.ts';
import { startRun, type Wish } from './api.ts';

interface Wanted {
  name: string;
  data: BranchData;
  /** Whether to go on with a branch that has this name. Otherwise a number is added to the name. */
  isShared?: boolean;
}

/** The pages on which this window has started the builder from another screen. */
const started = new Set<number>();
export const wasStartedOn = (pageId: number) => started.has(pageId);

/** How often to look whether a branch has its data, and how long. Without it, its functions do not answer. */
const LOOK_MS = 500;
const READY_TIMEOUT_MS = 120_000;

/**
 * Starts the builder on a branch of a page: it can change functions, rules and data there, and nothing reaches the page
 * before a person has looked at it. Returns the page and the name of the branch.
 */
export async function startOnBranch(
  page: PageDetail,
  wanted: Wanted,
  wish: Wish,
): Promise<{ id: number; name: string }> {
  const branch = page.branch ? { id: page.id, name: page.branch.name } : await findOrMake(page.id, wanted);
  await startRun(branch.id, wish);
  started.add(branch.id);
  return branch;
}

async function findOrMake(id: number, { isShared, name: wish, data }: Wanted) {
  const { branches } = await listBranches(id);
  const shared = isShared && branches.find(({ name }) => name === wish);
  const { name, page, state } = shared || (await createBranch(id, { name: freeName(branches, wish), data }));
  if (state === 'making') await waitUntilReady(id, name);
  return { id: page.id, name };
}

function freeName(branches: BranchList['branches'], wish: string): string {
  const taken = new Set(branches.map(({ name }) => name));
  let name = wish;
  for (let number = 2; taken.has(name); number++) name = `${wish}-${number}`;
  return name;
}

async function waitUntilReady(id: number, name: string): Promise<void> {
  for (const until = Date.now() + READY_TIMEOUT_MS; Date.now() < until; ) {
    const { branches } = await listBranches(id);
    if (branches.find((branch) => branch.name === name)?.state !== 'making') return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
