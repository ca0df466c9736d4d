import { z } from 'zod';

/** The wire shapes about the service as a whole: its health and its description. */

/** The fields of the health report. The API description promises only `status`. */
export const HealthFields = z.object({
  status: z.literal('ok'),
  isolation: z.string(),
  /** How functions are sandboxed, and each kind of process. */
  sandbox: z.string(),
  boxes: z.record(z.string(), z.string()),
  /** Functions that are running. */
  cells: z.int(),
  embedded: z.array(z.string()),
  external: z.array(z.string()),
  providers: z.record(z.string(), z.string()),
  /** On a node of a cluster: how many of its database hosts run, and how many should. */
  databaseHosts: z.object({ running: z.int(), wanted: z.int() }).optional(),
});
export type HealthFields = z.infer<typeof HealthFields>;

type Health = HealthFields & { version: string };
/** The part of the health report that the API description promises. */
export const Health = z.object({ status: z.literal('ok') }).catchall(z.unknown()) as unknown as z.ZodType<
  Health,
  Health
>;
export const Alive = z.object({ status: z.literal('alive') });
/** What operators want to know about a node, besides whether it is ready. */
const NodeFigures = z.object({
  freeBytes: z.int().meta({ description: 'Free space on the disk of the data folder.' }),
  lastBackup: z.object({ ageSeconds: z.int(), result: z.string() }).nullable(),
  delayedSchedules: z.int().meta({ description: 'Schedules that are more than a minute late.' }),
  clockDifferenceSeconds: z.number().meta({ description: "How far its clock is ahead of PostgreSQL's." }),
});
export const Ready = NodeFigures.extend({ status: z.literal('ready'), degraded: z.array(z.string()) });
export const Unready = z.union([
  z.object({ status: z.literal('draining') }),
  NodeFigures.extend({
    status: z.literal('not ready'),
    reasons: z.array(z.string()).meta({ description: 'What is wrong with this node: `clock`, `database`.' }),
    degraded: z.array(z.string()),
  }),
]);

/** What a new machine sends to join the cluster, and gets. */
export const ClusterJoin = z.strictObject({
  lookup: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be the lookup of a join token')
    .meta({ description: 'Derived from the join token. It finds the settings and cannot open them.' }),
});
export const SealedSettings = z.object({
  sealed: z.string().meta({ description: 'The settings of the cluster, encrypted for the join token.' }),
});

/** The API description itself. */
export const Description = z.record(z.string(), z.unknown());

/** The request headers of resources that have an ETag. */
export const CacheHeaders = z.object({ 'If-None-Match': z.string().optional() });

/** The request headers of files, which can be read in parts. */
export const FileHeaders = CacheHeaders.extend({
  'If-Modified-Since': z.string().optional(),
  Range: z.string().optional().meta({ description: 'One part, such as `bytes=0-499`.' }),
  'If-Range': z.string().optional(),
});

/** The index to search the documentation: the response of `GET /docs/search.json`. */
export const DocsIndex = z.object({
  documents: z.array(
    z.object({
      href: z.string(),
      title: z.string(),
      about: z.string().optional().meta({ description: 'One line about the document.' }),
      headings: z.array(z.object({ id: z.string(), title: z.string() })),
    }),
  ),
});
export type DocsIndex = z.infer<typeof DocsIndex>;
