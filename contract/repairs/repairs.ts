import { z } from 'zod';
import { Finding } from '../attack/attack.ts';
import { StepResult } from '../checks/steps.ts';
import { MessageKey } from '../error-body.ts';
import { idParams, timestamp } from '../fields.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import { DOUBTS, REPAIR_OUTCOMES, REPAIR_STEPS } from './kinds.ts';

/** Repairs: the builder mends the cause of an error on a branch, and what happened there proves it. */

const REPAIR_DATA = ['masked', 'all'] as const;

export const StartRepair = z.strictObject({
  data: z.enum(REPAIR_DATA, choiceRule(REPAIR_DATA)).default('masked').meta({
    description:
      'What the branch copies. masked: names, addresses and free text are replaced. all: records and databases as they are; the builder cannot read them.',
  }),
});
export type StartRepair = z.infer<typeof StartRepair>;

export const repairParams = idParams.extend({ repair: z.uuid() });

/** One try to make the error happen. */
export const Replay = z.object({
  failed: z.boolean().meta({ description: 'Whether the error happened.' }),
  tries: z.int(),
  error: z.string().nullable().meta({ description: 'The error as the browser or the function gave it.' }),
  others: z.array(z.string()).meta({ description: 'Other errors of the page’s scripts.' }),
  steps: z.array(StepResult),
  screenshot: z.string().nullable().meta({ description: 'A picture for a day.' }),
});
export type Replay = z.infer<typeof Replay>;

const Counted = z.object({ before: z.int(), after: z.int() });

export const Evidence = z.object({
  before: Replay.nullable(),
  after: Replay.nullable(),
  check: Counted.extend({ errors: z.array(z.string()) })
    .nullable()
    .meta({ description: 'Errors in the console of a browser that opens the page, before and after.' }),
  attack: Counted.extend({
    findings: z.array(z.string()),
    new: z
      .array(Finding.pick({ kind: true, name: true, fields: true }))
      .optional()
      .meta({ description: 'What the new ones are about, in the same order.' }),
  })
    .nullable()
    .meta({ description: 'Findings that are high, before and after, and the titles of those that are new.' }),
  changes: z.array(z.object({ path: z.string(), diff: z.string() })),
});
export type Evidence = z.infer<typeof Evidence>;

export const Repair = z
  .object({
    id: z.string(),
    about: z.object({ fingerprint: z.string(), message: z.string() }).meta({ description: 'The error.' }),
    state: z.enum(['running', 'ended']),
    step: z.enum(REPAIR_STEPS),
    outcome: z.enum(REPAIR_OUTCOMES).nullable().meta({
      description:
        'repaired: it failed before and passes after, and check and attack found nothing new. not_repaired: the branch was changed, and `doubts` says what does not prove it. not_reproduced, unchanged, cancelled, lost: the branch is gone.',
    }),
    message: z.string().meta({ description: 'The outcome in a sentence.' }),
    doubts: z.array(z.enum(DOUBTS)),
    reason: z
      .object({ message: z.string(), ...MessageKey.shape })
      .nullable()
      .meta({ description: 'Why it could not be finished.' }),
    said: z
      .string()
      .nullable()
      .meta({ description: 'What the builder says it did. It read text of strangers.' }),
    data: z.enum(REPAIR_DATA),
    branch: z
      .object({ id: z.int(), name: z.string(), slug: z.string(), url: z.string(), review: z.string() })
      .nullable()
      .meta({ description: 'The branch, and where a person looks at it and brings it to the page.' }),
    evidence: Evidence,
    credits: z.number(),
    started_at: timestamp,
    ended_at: timestamp.nullable(),
  })
  .meta({ id: 'Repair' });
export type Repair = z.infer<typeof Repair>;

export const RepairList = z.object({
  repairs: z.array(Repair),
  enabled: z.boolean().meta({ description: 'Whether the owner has turned repairs on for this page.' }),
  problem: z.string().nullable().meta({ description: 'What this server lacks for repairs.' }),
  left: z.int().meta({ description: 'How many can be started today.' }),
});
export type RepairList = z.infer<typeof RepairList>;
