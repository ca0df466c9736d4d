import { z } from 'zod';
import { REACHES } from './collection-rules.ts';

const reach = z.enum(REACHES);

/** With which records someone can do something: none, only their own, or all. */
const Reaches = z
  .object({ read: reach, create: reach, update: reach, delete: reach })
  .meta({ id: 'Reaches' });
export type Reaches = z.infer<typeof Reaches>;

/** What someone can do with the data of a page. */
export const DataAccess = z.object({
  byMode: Reaches.meta({ description: 'With collections that have no rules.' }),
  byRules: z.record(z.string(), Reaches).meta({ description: 'With collections that have rules, by name.' }),
});
export type DataAccess = z.infer<typeof DataAccess>;
