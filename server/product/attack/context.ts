import type { CollectionSchema } from '../../../contract/data/collection-schema.ts';
import type { GrantableRole } from '../../../contract/roles.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import type { Handler } from '../../platform/http/index.ts';
import type { Db, PageRow } from '../../platform/storage/index.ts';
import type { PageDirectory } from '../ports.ts';

export interface AttackContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  /** How often an owner can attack. */
  perOwner: Limit;
  pages: Pick<PageDirectory, 'find' | 'require'>;
  /** The collections of a page that have a schema. */
  readSchemas(pageId: number): Promise<Array<{ collection: string; schema: CollectionSchema }>>;
  /** The API of this service, which is known only when all routes are. */
  api(): Handler;
  /** Invented people, as page checks have them. */
  people: {
    make(page: PageRow, person: { name: string; role?: GrantableRole }): Promise<number>;
    remove(person: { userId: number; pageId: number }): Promise<void>;
  };
}
