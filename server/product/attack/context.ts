import type { CollectionSchema } from '../../../contract/data/collection-schema.ts';
import type { GrantableRole } from '../../../contract/roles.ts';
import type { Handler, Log } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

/** A copy of an application that is removed again. */
export interface Copy {
  page: PageRow;
  /** What the page calls its functions, and the slugs of the copies. */
  functions: Array<{ name: string; slug: string }>;
  remove(): Promise<void>;
}

export interface AttackContext {
  db: Db;
  now: () => number;
  log: Log;
  baseUrl: string;
  pages: Pick<PageDirectory, 'find' | 'require' | 'lock'>;
  /** The collections of a page that have a schema. */
  readSchemas(pageId: number): Promise<Array<{ collection: string; schema: CollectionSchema }>>;
  /** The page of a branch of this page; undefined if there is none with this name. */
  findBranchPage(db: Db, pageId: number, name: string): Promise<number | undefined>;
  /** Makes a branch for some minutes, as `branches` does. */
  createThrowaway(page: PageRow, order: { data: 'schema'; by: number; minutes: number }): Promise<Copy>;
  /** The API of this service, which is known only when all routes are. */
  api(): Handler;
  /** Invented people, as page checks have them. */
  people: {
    make(page: PageRow, person: { name: string; role?: GrantableRole }): Promise<number>;
    remove(person: { userId: number; pageId: number }): Promise<void>;
  };
}
