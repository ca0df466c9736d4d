import { z } from 'zod';
import { CheckStep } from '../checks/steps.ts';
import { rule } from '../rules/texts/rule.ts';
import { MAX_ERROR_SOURCE } from './limits.ts';

/** What led to an error, kept so that it can be made to happen again. */

/** Steps of a visit that are kept: the last ones before the error. */
export const MAX_VISIT_STEPS = 12;
/** Bytes of what is kept with one error. */
export const MAX_VISIT_BYTES = 4 * 1024;
const MAX_WINDOW = 10_000;

const steps = z
  .array(CheckStep)
  .max(MAX_VISIT_STEPS, rule('has more than {max} items', { max: MAX_VISIT_STEPS }));
const width = z.int().min(1).max(MAX_WINDOW).meta({ description: 'The width of the window.' });

/** What a browser tells about the visit in which an error happened, on pages that can be repaired. */
export const ReportedVisit = z.strictObject({
  url: z
    .string()
    .max(MAX_ERROR_SOURCE, rule('must have at most {max} characters', { max: MAX_ERROR_SOURCE }))
    .meta({ description: 'Kept without its query.' }),
  width,
  steps,
});
export type ReportedVisit = z.infer<typeof ReportedVisit>;

/** Who did it. Nobody's name is kept. */
const as = z.string().meta({
  description: 'What the visitor was: nobody (not logged in), visitor, owner, or a role on the team.',
});

export const ErrorVisit = z.object({
  kind: z.literal('visit'),
  path: z.string().meta({
    description:
      'The file of the page; empty for its document. Parts that the author did not write are replaced.',
  }),
  as,
  width,
  steps: steps.meta({
    description: 'What was done before. Letters and digits that the author did not write are replaced.',
  }),
});
export type ErrorVisit = z.infer<typeof ErrorVisit>;

export const ErrorCall = z.object({
  kind: z.literal('call'),
  function: z.string(),
  as,
  body: z.string().meta({
    description:
      'The body of the call. Letters and digits of texts, and numbers with six or more digits, that the author did not write are replaced.',
  }),
});
export type ErrorCall = z.infer<typeof ErrorCall>;

/** What led to an error: a visit of the page, or a call of one of its functions. */
export const KeptContext = z.discriminatedUnion('kind', [ErrorVisit, ErrorCall]);
export type KeptContext = z.infer<typeof KeptContext>;
