import { z } from 'zod';
import { REACHES } from './collection-rules.ts';

const reach = z.enum(REACHES);

/** The records that each action is allowed on: none, only one's own, or all. */
const Reaches = z
  .object({ read: reach, create: reach, update: reach, delete: reach })
  .meta({ id: 'Reaches' });
export type Reaches = z.infer<typeof Reaches>;

/** What someone can do with the data of a page. */
export const DataAccess = z.object({
  byMode: Reaches.meta({ description: 'Collections that have no rules.' }),
  byRules: z.record(z.string(), Reaches).meta({ description: 'Collections that have rules, by name.' }),
});
export type DataAccess = z.infer<typeof DataAccess>;
