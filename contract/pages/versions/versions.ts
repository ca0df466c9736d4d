import { z } from 'zod';
import { earlierThan, note, timestamp } from '../../fields.ts';
import { PageFile } from '../files/page-file.ts';
import { PreviewLink } from '../previews.ts';

/** The versions of a page. */

export const VersionsQuery = z.object({
  before: earlierThan('the number of a version', 'must be the number of a version'),
});

export const Version = z.object({
  version: z.int(),
  createdAt: timestamp,
  size: z.int(),
  author: z.string().nullable(),
  current: z.boolean(),
  note: z.string().optional().meta({ description: 'The note of its author, if there is one.' }),
});
export type Version = z.infer<typeof Version>;
export const VersionList = z.object({ versions: z.array(Version) });
export type VersionList = z.infer<typeof VersionList>;
export const VersionDetail = Version.extend({
  ...PreviewLink.shape,
  html_content: z.string(),
  files: z.array(PageFile).meta({ description: 'To read a file: GET /api/pages/:id/files/<path>?version=' }),
});
export type VersionDetail = z.infer<typeof VersionDetail>;
export const PatchVersion = z.strictObject({ note });
