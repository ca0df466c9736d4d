import { z } from 'zod';
import { timestamp } from '../../fields.ts';
import { REPAIR_OUTCOMES } from '../../repairs/kinds.ts';

/** What an owner wants to know first: what happened in the last day, and what waits for them. */

/** The most items in each list of the home screen. */
export const MAX_HOME_ITEMS = 5;

export const Home = z.object({
  pages: z.int().meta({ description: 'How many pages the user has.' }),
  functions: z.int(),
  storage: z.object({
    bytes: z.int(),
    quota: z.int().nullable().meta({ description: 'The storage quota in bytes; null without a limit.' }),
    history: z
      .object({ bytes: z.int(), quota: z.int().nullable() })
      .meta({ description: 'What earlier states take. It does not count towards the storage quota.' }),
  }),
  lastDay: z.object({
    views: z.int(),
    pageErrors: z.int().meta({ description: 'Errors in visitors’ browsers.' }),
    calls: z.int(),
    functionErrors: z.int(),
  }),
  takenDownPages: z
    .array(z.object({ id: z.int(), name: z.string() }))
    .meta({ description: 'Pages that an administrator took down.' }),
  takenDownFunctions: z.array(z.object({ slug: z.string() })),
  failingPages: z.array(z.object({ id: z.int(), name: z.string(), errors: z.int() })),
  failingFunctions: z.array(z.object({ slug: z.string(), errors: z.int(), calls: z.int() })),
  openReports: z.int().meta({
    description: 'Reports of pages that nobody has decided. 0 for people who are not administrators.',
  }),
  reportedPages: z
    .array(z.object({ id: z.int(), name: z.string(), reports: z.int() }))
    .meta({ description: 'Pages with reports that nobody has decided, and that you can answer.' }),
  exposedPages: z.array(z.object({ id: z.int(), name: z.string(), findings: z.int() })).meta({
    description: 'Pages in which the last attack has found something serious that is not meant so.',
  }),
  failedJobs: z.array(z.object({ slug: z.string(), jobs: z.int() })).meta({
    description: 'Functions with jobs that have failed and are not tried again, those with most first.',
  }),
  repairs: z
    .array(z.object({ id: z.int(), name: z.string(), message: z.string(), outcome: z.enum(REPAIR_OUTCOMES) }))
    .meta({
      description: 'Repairs of errors that ended in the last day, the latest first, with their page.',
    }),
  unusedBranches: z
    .array(z.object({ id: z.int(), name: z.string(), branch: z.string(), endsAt: timestamp }))
    .meta({
      description:
        'Branches that nobody uses: the id of the branch, the name of its page and its own, and when it is deleted.',
    }),
  drafts: z
    .array(z.object({ id: z.int(), name: z.string(), drafts: z.int() }))
    .meta({ description: 'Pages with changes that are saved and not published, the latest first.' }),
});
export type Home = z.infer<typeof Home>;

/** The days of the small charts beside pages and functions. */
export const ACTIVITY_DAYS = 14;

const daily = z.array(z.int()).meta({
  description: `One number for each of the last ${ACTIVITY_DAYS} days, in UTC. The last one is today.`,
});

export const Activity = z.object({
  pages: z
    .array(z.object({ id: z.int(), views: daily }))
    .meta({ description: 'Your pages that somebody has seen in this time.' }),
  functions: z
    .array(z.object({ slug: z.string(), calls: daily }))
    .meta({ description: 'Your functions that were called in this time.' }),
});
export type Activity = z.infer<typeof Activity>;

export const VisitorsNow = z.object({
  visitors: z.int().meta({ description: 'People who are on your pages now.' }),
  pages: z
    .array(z.object({ id: z.int(), name: z.string(), visitors: z.int() }))
    .meta({ description: 'The pages that they are on, those with most first.' }),
});
export type VisitorsNow = z.infer<typeof VisitorsNow>;
