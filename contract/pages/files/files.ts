import { z } from 'zod';
import { binary, Done, idParams } from '../../fields.ts';
import { MAX_PAGE_FILES_BYTES } from '../../rules/limits.ts';
import { PageWarning } from '../warnings.ts';
import { PageFile } from './page-file.ts';

/** The wire shapes of a page's files, and their limits. */

export const PageFileList = z.object({ files: z.array(PageFile), totalBytes: z.int() });
export type PageFileList = z.infer<typeof PageFileList>;

/** Bytes for what an upload has besides files: headers of 2,000 parts, the list of files to keep, and index.html. */
const SLACK_BYTES = 24 * 1024 * 1024;
/** The largest body of an upload that replaces all files. */
export const UPLOAD_LIMIT = MAX_PAGE_FILES_BYTES + SLACK_BYTES;

/** The form that replaces all files: the name of each field is a path. */
export const FilesForm = z
  .object({
    keep: z.string().optional().meta({
      description: 'JSON: { path: hash } of files that the page already has and keeps without sending them.',
    }),
    file: z.array(binary).optional().meta({
      description: 'Files whose filename is their path. Any other field name is the path of its file.',
    }),
  })
  .catchall(binary);

const wholeNumber = (description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be the number of a version')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: 999_999_999, description });

export const FileChangeQuery = z.object({
  base_version: wholeNumber('Fails with 409 unless the page is at this version.'),
});
export const FileQuery = z.object({ version: wholeNumber('The version to read, if not the current one.') });

export const filePathParams = idParams.extend({
  path: z
    .string()
    .min(1)
    .meta({ description: 'The path of the file, such as `images/cat.png`.', maxLength: 1_000 }),
});

const changed = {
  version: z.int(),
  url: z.string(),
  warnings: z
    .array(PageWarning)
    .meta({ description: 'Warnings about the index.html of this request, at most 50; empty without one.' }),
};

export const ReplacedFiles = Done.extend({ ...PageFileList.shape, ...changed });
export type ReplacedFiles = z.infer<typeof ReplacedFiles>;
export const WrittenFile = Done.extend({ file: PageFile, ...changed });
export type WrittenFile = z.infer<typeof WrittenFile>;
export const DeletedFile = Done.extend({ version: z.int() });
export type DeletedFile = z.infer<typeof DeletedFile>;
