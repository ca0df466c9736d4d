import type { PageDetail } from '../api.ts';
import { type BranchData, createBranch, listBranches } from '../branches/api.ts';
import { startRun, type Wish } from './api.ts';

interface Wanted {
  name: string;
  data: BranchData;
}

/** The pages on which this window has started the builder from another screen. */
const started = new Set<number>();
export const wasStartedOn = (pageId: number) => started.has(pageId);

/**
 * Starts the builder on a branch of a page: it can change functions, rules and data there, and nothing reaches the page
 * before a person has looked at it. Returns the page of the branch. A branch that has this name already goes on as it is.
 */
export async function startOnBranch(page: PageDetail, wanted: Wanted, wish: Wish): Promise<number> {
  const { id, isNew } = page.branch ? { id: page.id, isNew: false } : await findOrMake(page.id, wanted);
  const { html_content: _, ...rest } = wish;
  await startRun(id, isNew ? wish : rest);
  started.add(id);
  return id;
}

/** How often to look whether a branch has its data, and how long. Without it, its functions do not answer. */
const LOOK_MS = 500;
const LONGEST_MS = 120_000;

async function waitUntilReady(id: number, name: string): Promise<void> {
  for (const until = Date.now() + LONGEST_MS; Date.now() < until; ) {
    const { branches } = await listBranches(id);
    if (branches.find((branch) => branch.name === name)?.state !== 'making') return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function findOrMake(id: number, wanted: Wanted): Promise<{ id: number; isNew: boolean }> {
  const { branches } = await listBranches(id);
  const found = branches.find(({ name }) => name === wanted.name);
  if (found) return { id: found.page.id, isNew: false };
  const made = await createBranch(id, wanted);
  if (made.state === 'making') await waitUntilReady(id, wanted.name);
  return { id: made.page.id, isNew: true };
}
