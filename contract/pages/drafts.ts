import { z } from 'zod';
import { Done, idParams, note, rowId, timestamp } from '../fields.ts';
import { filePathParams } from './files/files.ts';
import { PageFile } from './files/page-file.ts';
import { htmlContent } from './pages.ts';
import { PreviewLink } from './previews.ts';
import { PageWarning } from './warnings.ts';

/** The wire shapes of drafts: what is saved beside a page, and not published yet. */

const baseVersion = z.int('must be a whole number').min(1, 'must be the number of a version').meta({
  description: 'The version that the draft is based on.',
});
const revision = z.int('must be a whole number').meta({
  description: 'Fails with 409 and currentRevision unless the draft has this revision.',
});

export const draftParams = idParams.extend({ draft: rowId });
export const draftFileParams = draftParams.extend({ path: filePathParams.shape.path });

export const CreateDraft = z.strictObject({
  html_content: htmlContent.optional().meta({ description: 'By default the document of the version.' }),
  note: note.default(''),
  base_version: baseVersion.optional().meta({ description: 'By default the current version.' }),
});
export type CreateDraft = z.infer<typeof CreateDraft>;
/** A new draft as clients send it: fields with a default may be left out. */
export type NewDraft = z.input<typeof CreateDraft>;

export const PatchDraft = z
  .strictObject({ html_content: htmlContent, note, base_version: baseVersion, revision })
  .partial();
export type PatchDraft = z.infer<typeof PatchDraft>;

export const PublishDraft = z
  .strictObject({
    note: note.meta({ description: 'The note on the version. By default that of the draft.' }),
    base_version: baseVersion.meta({
      description:
        'Fails with 409 and currentVersion unless the page is at this version. By default that of the draft.',
    }),
    revision,
  })
  .partial();
export type PublishDraft = z.infer<typeof PublishDraft>;

export const DraftFileQuery = z.object({
  revision: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a revision')
    .transform(Number)
    .optional()
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 999_999_999,
      description: 'Fails with 409 and currentRevision unless the draft has this revision.',
    }),
});

export const Draft = z.object({
  id: z.int(),
  note: z.string(),
  base_version: z.int(),
  revision: z.int().meta({ description: 'Counts the times that the draft was saved.' }),
  size: z.int().meta({ description: 'The size of the document in bytes.' }),
  author: z.string().nullable().meta({ description: 'Who saved the draft last.' }),
  createdAt: timestamp,
  updatedAt: timestamp,
});
export type Draft = z.infer<typeof Draft>;

/** A draft with the address at which anyone can see it. */
export const LinkedDraft = Draft.extend(PreviewLink.shape);
export type LinkedDraft = z.infer<typeof LinkedDraft>;

export const DraftList = z.object({
  drafts: z.array(LinkedDraft),
  currentVersion: z.int().meta({ description: 'The version that is published now.' }),
});
export type DraftList = z.infer<typeof DraftList>;

export const DraftDetail = LinkedDraft.extend({
  html_content: z.string(),
  files: z
    .array(PageFile)
    .meta({ description: 'To read a file: GET /api/pages/:id/drafts/:draft/files/<path>' }),
});
export type DraftDetail = z.infer<typeof DraftDetail>;

export const SavedDraft = Done.extend({
  draft: LinkedDraft,
  warnings: z.array(PageWarning).meta({
    description:
      'Warnings about the document and the files of this request, at most 50 of each, and what is serious in the version that is published, if it was attacked.',
  }),
});
export type SavedDraft = z.infer<typeof SavedDraft>;

export const WrittenDraftFile = SavedDraft.extend({ file: PageFile });
export type WrittenDraftFile = z.infer<typeof WrittenDraftFile>;

export const ReplacedDraftFiles = SavedDraft.extend({ files: z.array(PageFile), totalBytes: z.int() });
export type ReplacedDraftFiles = z.infer<typeof ReplacedDraftFiles>;

export const PublishedDraft = Done.extend({ version: z.int(), url: z.string() });
export type PublishedDraft = z.infer<typeof PublishedDraft>;
