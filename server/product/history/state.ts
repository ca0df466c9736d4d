import type { NotRestored, RestoreChanges } from '../../../contract/pages/history/moments.ts';
import type { Db, MomentRow, PageRow } from '../../platform/storage/index.ts';
import type { FunctionHistory, FunctionState, PageHistory, PageState } from '../moment-ports.ts';

/** A database of an application, with the snapshot of a moment. */
export interface DatabaseState {
  /** The functions that use it. */
  functions: string[];
  database: number;
  snapshot: number;
  /** Set if the snapshot is clearly older than the moment: the database was like this then. */
  asOf?: number;
}

/** What a moment has of an application. Records are not in it: their log knows them at any time. */
export interface ApplicationState {
  page: PageState;
  functions: FunctionState[];
  databases: DatabaseState[];
}

/** What a restore changes, and the databases that it has to replace after the page and the functions are back. */
export interface RestorePlan {
  changes: RestoreChanges;
  replacing: DatabaseState[];
  /** Only of merges: the next comparison of databases begins at what was merged. */
  hasAllDatabases?: boolean;
  /** The databases that have been replaced, or may have been. Only these have to be undone. */
  replaced?: number[];
  /** What is not as it was, if undoing it failed. */
  notUndone?: NotRestored[];
}

export const parseState = ({ state }: Pick<MomentRow, 'state'>) => JSON.parse(state) as ApplicationState;

/** Reads the page and its functions as they are. */
export async function readState(
  { pages, functions }: { pages: PageHistory; functions: FunctionHistory },
  db: Db,
  page: PageRow,
): Promise<Omit<ApplicationState, 'databases'>> {
  return { page: await pages.read(db, page), functions: await functions.read(db, page) };
}

/** The databases of functions, each with the functions that use it. */
export function listDatabases(functions: readonly FunctionState[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { database, slug } of functions)
    if (database !== null) found.set(database, [...(found.get(database) ?? []), slug]);
  return found;
}

/** What differs between two states of an application. */
export interface Difference {
  page_version?: number;
  isSettings: boolean;
  functions: Array<{ slug: string; version: number }>;
  /** Functions that joined or left the page. */
  joined: string[];
  left: string[];
  databases: string[];
}

/** Compares a state with the one before it. Without one, nothing differs. */
export function compareStates(before: ApplicationState | undefined, now: ApplicationState): Difference {
  if (!before) return { isSettings: false, functions: [], joined: [], left: [], databases: [] };
  const { version: _, ...settings } = now.page;
  const { version: __, ...settingsBefore } = before.page;
  const known = new Map(before.functions.map((each) => [each.slug, each]));
  const slugs = new Set(now.functions.map(({ slug }) => slug));
  const snapshots = new Set(before.databases.map(({ snapshot }) => snapshot));
  const names = ({ slug, name, description, schedules, on = [] }: FunctionState) =>
    JSON.stringify([slug, name, description, schedules, on]);
  const changed = now.functions.filter((each) => {
    const old = known.get(each.slug);
    return old && (old.version !== each.version || old.id !== each.id);
  });
  return {
    ...(now.page.version !== before.page.version && { page_version: now.page.version }),
    isSettings:
      JSON.stringify(settings) !== JSON.stringify(settingsBefore) ||
      now.functions.some((each) => {
        const old = known.get(each.slug);
        return old && names(old) !== names(each);
      }),
    functions: changed.map(({ slug, version }) => ({ slug, version })),
    joined: [...slugs].filter((slug) => !known.has(slug)),
    left: [...known.keys()].filter((slug) => !slugs.has(slug)),
    databases: now.databases
      .filter(({ snapshot }) => !snapshots.has(snapshot))
      .flatMap((each) => each.functions),
  };
}
