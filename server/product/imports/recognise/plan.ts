import type { z } from 'zod';
import type { CreateFunction } from '../../../../contract/functions/functions.ts';
import type { ImportKind, Left, Taken } from '../../../../contract/imports/imports.ts';
import type { PatchPage } from '../../../../contract/pages/pages.ts';

/** A file that was sent. */
export interface ImportFile {
  path: string;
  size: number;
  /** Unpacks its bytes. */
  bytes(): Uint8Array;
}

/** A component, which is compiled into a script. */
export interface Component {
  code: string;
  files: Record<string, string>;
}

/** A page to publish. */
export interface PagePlan {
  name: string;
  html: string;
  /** What `PATCH /api/pages/:id` takes, without the name, the document and `is_published`. The API checks it. */
  settings: z.input<typeof PatchPage>;
  isPublished: boolean;
  storageMode: string;
  schemas: Record<string, unknown>;
  spec: string | undefined;
  /** The files beside the document, by their paths in the page. */
  files: Array<{ path: string; file: ImportFile }>;
  component?: Component | undefined;
}

/** A function to deploy. */
export interface FunctionPlan {
  /** What `POST /api/functions` takes. */
  body: z.input<typeof CreateFunction>;
  secrets: Record<string, string>;
  migrations: Array<{ name: string; sql: string }>;
  /** Whether it can get another slug if its own is taken. */
  canBeRenamed: boolean;
}

/** What to publish, what becomes of each file, and what is left. */
export interface Plan {
  kind: ImportKind;
  page: PagePlan | undefined;
  functions: FunctionPlan[];
  taken: Taken[];
  left: Left[];
}
