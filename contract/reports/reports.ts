import { z } from 'zod';
import { AdminPage } from '../admin/content.ts';
import { idOrSlugParams, queryNumber, shortText, timestamp } from '../fields.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import {
  MAX_REPORT_CONTACT,
  MAX_REPORT_TEXT,
  MAX_REPORTED_PAGE,
  REPORT_REASONS,
  REPORT_STATES,
} from './limits.ts';

/** The wire shapes of reports: what visitors say about pages that should not be there. */

const NOT_EMPTY = 'must not be empty';

const someText = (max: number) =>
  shortText(max)
    .transform((value) => value.trim())
    .refine((value) => value.length > 0, NOT_EMPTY)
    .meta({ maxLength: max, minLength: 1 });

const reason = z.enum(REPORT_REASONS, { error: choiceRule(REPORT_REASONS) });

export const NewReport = z.strictObject({
  page: someText(MAX_REPORTED_PAGE).meta({ description: 'The slug, the id or an address of the page.' }),
  reason,
  text: shortText(MAX_REPORT_TEXT)
    .transform((value) => value.replaceAll('\r\n', '\n').trim())
    .default('')
    .meta({ maxLength: MAX_REPORT_TEXT, description: 'What is wrong. The owner of the page sees it.' }),
  contact: shortText(MAX_REPORT_CONTACT)
    .transform((value) => value.trim())
    .default('')
    .meta({
      maxLength: MAX_REPORT_CONTACT,
      description: 'Where administrators can ask you. Nobody else sees it.',
    }),
});
export type NewReport = z.infer<typeof NewReport>;

export const ReportSent = z.object({ id: z.uuid() });

const answer = z.object({ text: z.string(), at: timestamp }).nullable();

/** A report as the owner of the page sees it: not who sent it. */
export const OwnReport = z.object({
  id: z.uuid(),
  reason,
  text: z.string(),
  createdAt: timestamp,
  state: z.enum(REPORT_STATES),
  answer: answer.meta({ description: 'What you have answered.' }),
});
export type OwnReport = z.infer<typeof OwnReport>;
export const OwnReportList = z.object({ reports: z.array(OwnReport) });
export type OwnReportList = z.infer<typeof OwnReportList>;

export const AdminReport = z.object({
  id: z.uuid(),
  page: AdminPage,
  hasChanged: z.boolean().meta({ description: 'Whether the page has another version since the report.' }),
  reason,
  text: z.string(),
  contact: z.string().meta({ description: 'Where to ask the person who sent it; empty if they gave none.' }),
  createdAt: timestamp,
  state: z.enum(REPORT_STATES),
  closedAt: timestamp.nullable(),
  answer: answer.meta({ description: 'What the owner of the page has answered.' }),
  picture: z.string().nullable().meta({
    description:
      'The path of a picture of the page, taken when it was reported. Null without a browser, or if not everyone can see it.',
  }),
});
export type AdminReport = z.infer<typeof AdminReport>;
export const AdminReportList = z.object({
  reports: z.array(AdminReport),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});
export type AdminReportList = z.infer<typeof AdminReportList>;

export const AdminReportQuery = z.object({
  state: z.enum(REPORT_STATES, { error: choiceRule(REPORT_STATES) }).optional(),
  limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
  offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
});
export type AdminReportQuery = z.infer<typeof AdminReportQuery>;

const reportId = z.uuid().meta({ description: 'The id of a report.' });
export const adminReportParams = z.object({ id: reportId });
export const ownReportParams = idOrSlugParams.extend({ reportId });

export const DismissReport = z.strictObject({
  all: z.boolean('must be true or false').default(false).meta({
    description: 'True: all open reports of the same page.',
  }),
});
export type DismissReport = z.infer<typeof DismissReport>;

export const AnswerReport = z.strictObject({
  text: someText(MAX_REPORT_TEXT).meta({ description: 'Administrators see it, and nobody else.' }),
});
export type AnswerReport = z.infer<typeof AnswerReport>;

/** The picture of a reported page. Its name is a secret. */
export const reportPictureParams = z.object({ file: z.string().regex(/^[0-9a-f]{64}\.webp$/) });
export const reportPicturePath = (name: string) => `/report-pictures/${name}.webp`;
