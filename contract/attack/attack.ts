import { z } from 'zod';
import { branchName, Done, idOrSlugParams, timestamp } from '../fields.ts';
import { FINDING_KINDS, SEVERITIES } from './kinds.ts';

/** Attacks: a copy of a page with invented data, on which invented people try what they must not do. */

/** How many requests one attack makes at most. */
export const MAX_ATTACK_REQUESTS = 1_000;
/** Attacks per owner and day. */
export const ATTACKS_PER_DAY = 40;
/** Attacks per owner and day that begin by themselves, after a draft was published or a branch merged. */
export const MAX_BACKGROUND_ATTACKS = 10;

/** Who tries: nobody is not logged in, a stranger is logged in, a member is a viewer of the team. */
export const ATTACKERS = ['nobody', 'stranger', 'member', 'everyone'] as const;

export const AttackPage = z.strictObject({
  branch: branchName
    .optional()
    .meta({ description: 'The name of a branch of this page, which is attacked instead of the page.' }),
});

export const Finding = z
  .object({
    kind: z.enum(FINDING_KINDS),
    severity: z.enum(SEVERITIES).meta({ description: 'A question is for the author: is it meant so?' }),
    title: z.string(),
    who: z.enum(ATTACKERS),
    request: z.string().meta({ description: 'The request that proves it.' }),
    response: z.string(),
    why: z.string(),
    fix: z.string(),
    name: z.string().meta({ description: 'The collection, function or file that it is about.' }),
    fields: z.string(),
    key: z.string().meta({ description: 'The same in the next attack, if the finding is the same.' }),
    meant: z
      .object({ by: z.string(), at: timestamp })
      .nullable()
      .meta({ description: 'Who said that this is meant so, and when.' }),
  })
  .meta({ id: 'AttackFinding' });
export type Finding = z.infer<typeof Finding>;

const can = z.enum(['yes', 'no', 'own', '-']);
export type Can = z.infer<typeof can>;

export const AttackReport = z.object({
  findings: z.array(Finding),
  matrix: z.array(z.object({ what: z.string(), nobody: can, stranger: can, member: can })).meta({
    description: 'What each can do with what somebody else has made: yes, no, or only with their own.',
  }),
  left: z.array(z.string()).meta({ description: 'What was not tried, and why.' }),
  durationMs: z.int(),
});
export type AttackReport = z.infer<typeof AttackReport>;

/** A report with what it is about. */
export const PageAttack = AttackReport.extend({
  version: z.int().meta({ description: 'The version of the page that was attacked.' }),
  at: timestamp.meta({ description: 'When the attack ended.' }),
});
export type PageAttack = z.infer<typeof PageAttack>;

export const LastAttack = z.object({
  attack: PageAttack.nullable().meta({ description: 'null if the page was never attacked.' }),
});
export type LastAttack = z.infer<typeof LastAttack>;

export const findingParams = idOrSlugParams.extend({ key: z.string().regex(/^[0-9a-f]{16}$/) });
export const Meant = Done;
