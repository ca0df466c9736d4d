import { z } from 'zod';
import { MessageKey } from '../error-body.ts';
import { shortText } from '../fields.ts';
import { MAX_PAGE_NAME } from '../rules/limits.ts';

/** The wire shapes of imports: what is taken from files that were made elsewhere, and what is left. */

/** What the files are. */
const IMPORT_KINDS = ['site', 'saved page', 'component', 'worker', 'val town', 'nothing'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/** What a file becomes. */
const TAKEN_AS = ['document', 'file', 'settings', 'code', 'migration', 'component'] as const;
export type TakenAs = (typeof TAKEN_AS)[number];

const MAX_ADDRESS = 2_000;
/** Characters of a slug, before it is made to fit. */
const MAX_SLUG = 200;
/** The most lines of a report about what was left. */
export const MAX_LEFT = 1_000;

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the digest of a report')
  .meta({
    description:
      'The digest of the report that a person has seen. With it, the import is published, if it is still the same; without it, nothing is.',
  });

const choices = {
  digest: digest.optional(),
  title: shortText(MAX_PAGE_NAME).optional().meta({ description: 'The name of the page, if not its own.' }),
  slug: shortText(MAX_SLUG).optional().meta({
    description: 'The last part of its address. Without a page: the slug of the function.',
  }),
  state: z
    .enum(['published', 'draft'], { error: 'must be published or draft' })
    .optional()
    .meta({ description: 'Only you can see a page that is a draft.' }),
};

export const ImportQuery = z.object({
  ...choices,
  name: shortText(MAX_SLUG).optional().meta({ description: 'The name of the file or folder that is sent.' }),
});
export type ImportQuery = z.infer<typeof ImportQuery>;

export const ImportAddress = z.strictObject({
  url: shortText(MAX_ADDRESS).meta({
    description: 'The address of a page, of an archive (.zip, .tar.gz), or of a repository.',
  }),
  ...choices,
});
export type ImportAddress = z.infer<typeof ImportAddress>;

const Taken = z.object({
  path: z.string(),
  as: z.enum(TAKEN_AS),
  size: z.int(),
  function: z
    .string()
    .optional()
    .meta({ description: 'The slug of the function that it becomes a part of.' }),
});
export type Taken = z.infer<typeof Taken>;

const Left = z.object({
  path: z.string().meta({ description: 'A file, a folder with a slash at its end, or a setting.' }),
  why: z.string().meta({ description: 'Why it is not published, as the end of a sentence.' }),
  ...MessageKey.shape,
  files: z.int().optional().meta({ description: 'Of a folder: how many files.' }),
});
export type Left = z.infer<typeof Left>;

const ImportedPage = z.object({
  name: z.string(),
  slug: z.string().optional(),
  files: z.int(),
  bytes: z.int(),
  spa: z.boolean(),
});

const ImportedFunction = z.object({
  slug: z.string(),
  hasDatabase: z.boolean(),
  migrations: z.array(z.string()),
  schedules: z.array(z.string()),
  secrets: z.array(z.string()).meta({ description: 'The names of variables, which become secrets.' }),
});

export const ImportReport = z.object({
  kind: z.enum(IMPORT_KINDS),
  digest: digest.nullable().meta({
    description: 'Send it with the same files or address to publish. Null if there is nothing to publish.',
  }),
  taken: z.array(Taken),
  left: z.array(Left).meta({ description: `At most ${MAX_LEFT}.` }),
  more_left: z.int().meta({ description: 'How many more were left.' }),
  page: ImportedPage.nullable(),
  functions: z.array(ImportedFunction),
  published: z
    .object({
      page: z
        .object({ id: z.int(), slug: z.string(), url: z.string(), is_published: z.boolean() })
        .nullable(),
      functions: z.array(z.object({ slug: z.string(), url: z.string() })),
    })
    .nullable()
    .meta({ description: 'What was published; null if the request had no digest.' }),
});
export type ImportReport = z.infer<typeof ImportReport>;
