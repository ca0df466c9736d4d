import { createHmac } from 'node:crypto';
import { z } from 'zod';

/** Counts changes of the archive's form that an older Quire could not read. */
export const FORMAT = 1;

/** Of an archive made by a later Quire nothing else may be understood. */
export const FormatOnly = z.object({ format: z.int(), quire: z.string() });

/** The first entry of an archive: what made it, and what is needed to read it. */
export const Manifest = z.strictObject({
  format: z.literal(FORMAT),
  quire: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  /** The last migration of the tables. */
  migration: z.string(),
  createdAt: z.string(),
  baseUrl: z.string(),
  /** Whether the key is in the archive, or the operator's own (QUIRE_SECRET), and how to recognize it. */
  secret: z.strictObject({ kept: z.enum(['archive', 'setting']), fingerprint: z.string() }),
});
export type Manifest = z.infer<typeof Manifest>;

const count = z.int().min(0);

/** The last entry but the sums: what there must have been. */
export const Totals = z.strictObject({
  rows: z.record(z.string(), count),
  /** The highest key each table has given out. */
  sequences: z.record(z.string(), count.max(2 ** 53)),
  blobs: count,
  databases: count,
  /** Blobs that rows name and that were not there when the archive was made, and databases that could not be copied. */
  missing: z.array(z.string()),
});
export type Totals = z.infer<typeof Totals>;

/** Tells one key from another without telling it. */
export function fingerprint(key: Buffer): string {
  return createHmac('sha256', key).update('quire backup').digest('hex').slice(0, 32);
}
