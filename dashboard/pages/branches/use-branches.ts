import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useRefresh } from '../../ui/index.ts';
import { type BranchList, listBranches } from './api.ts';

/** How often a branch that is being made is looked at, and how often the list is, for those that others make. */
const PROGRESS_MS = 1_000;
const LOOK_MS = 30_000;

interface Known {
  /** The page that has the branches. */
  id: number;
  list?: BranchList | undefined;
  error?: Error | undefined;
  /** Branches that disappeared while they were made: making them failed, or somebody else deleted them. */
  gone: string[];
}

/** The branches of the page that is open: its bar and its screens show the same ones. */
const known = signal<Known>({ id: 0, gone: [] });
/** The pages of branches that this window has deleted. */
const deleted = new Set<number>();

export const noteDeleted = (pageId: number) => void deleted.add(pageId);

export async function loadBranches(id: number): Promise<void> {
  if (known.value.id !== id) known.value = { id, gone: [] };
  try {
    const list = await listBranches(id);
    const before = known.value;
    if (before.id === id) known.value = { id, list, gone: [...before.gone, ...findGone(before, list)] };
  } catch (error) {
    if (known.value.id === id) known.value = { ...known.value, error: error as Error };
  }
}

function findGone({ list: before }: Known, { branches }: BranchList): string[] {
  const there = new Set(branches.map(({ page }) => page.id));
  return (before?.branches ?? [])
    .filter(({ state, page: { id } }) => state === 'making' && !there.has(id) && !deleted.has(id))
    .map(({ name }) => name);
}

/** The branches of a page, by the id of the main one, as far as they are known. */
export const useBranches = (id: number): Known => (known.value.id === id ? known.value : { id, gone: [] });

/** Keeps the branches of a page up to date while it is open: every second while one is being made. */
export function useBranchRefresh(id: number): void {
  const isMaking = useBranches(id).list?.branches.some(({ state }) => state === 'making') ?? false;
  useEffect(() => void loadBranches(id), [id]);
  useRefresh(() => loadBranches(id), isMaking ? PROGRESS_MS : LOOK_MS);
}
