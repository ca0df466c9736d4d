import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** A handle for queries. */
export type Db = Kysely<Tables>;
/** A handle inside a transaction. */
export type Tx = Transaction<Tables>;
