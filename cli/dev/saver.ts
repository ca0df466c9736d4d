import type { PageWarning } from '../../contract/pages/warnings.ts';
import type { PageFolder } from '../project/folder.ts';

/** What happened to a folder that was saved. */
export interface Saved {
  /** The URL that shows it and reloads. */
  url: string;
  warnings: PageWarning[];
  /** The functions whose logs are interesting. */
  functions: string[];
}

/** Where the folder is saved to. */
export interface Saver {
  /** Undefined if nothing has changed. */
  save(page: PageFolder): Promise<Saved | undefined>;
  /** Says how to go on. */
  end(): void;
}
