import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { databaseFile, NAMESPACE, toFileName } from '../folder.ts';

/** What a replacement that is not decided yet begins with. */
const UNDECIDED = 'new-';
/** What a decided one begins with: the owner and the name of the file follow. */
const DECIDED = 'decided-';
const FILE = 'database.sqlite';
/** In place of the file, if the database is to be empty. */
const NOTHING = 'nothing';

/** A file that takes the place of a database. */
interface Replacement {
  /** Puts it in place. The host of the database must not run. */
  finish(): Promise<void>;
  /** Removes the file, if it was not put in place. */
  discard(): void;
}

/**
 * Puts files in place of databases. A folder with the new file gets another name when all is ready: from then on the
 * new database is the one that counts, and whoever finds the folder puts it in place, also after a crash.
 */
export class Replacements {
  private readonly folder: string;

  /** `databases` has a folder per owner. */
  constructor(private readonly databases: string) {
    this.folder = join(databases, 'replacements');
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Finishes what was decided, of one owner or of all, and removes what was not. */
  finishAll(ownerId?: number): void {
    for (const name of readdirSync(this.folder)) {
      const [, owner, file] = /^decided-(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
      if (owner !== undefined && file !== undefined) {
        if (ownerId === undefined || Number(owner) === ownerId) this.finishOne(name, owner, file);
      } else if (ownerId === undefined) {
        rmSync(join(this.folder, name), { recursive: true, force: true });
      }
    }
  }

  /** Takes a file for a database, or nothing. The database stays as it is until the replacement is finished. */
  async prepare(ownerId: number, databaseId: number, file: string | undefined): Promise<Replacement> {
    const undecided = join(this.folder, UNDECIDED + randomBytes(6).toString('hex'));
    mkdirSync(undecided, { mode: 0o700 });
    if (file === undefined) writeFileSync(join(undecided, NOTHING), '');
    else renameSync(file, join(undecided, FILE));
    sync(join(undecided, file === undefined ? NOTHING : FILE));
    sync(undecided);
    const name = `${DECIDED}${ownerId}-${toFileName(databaseId)}`;
    return {
      discard: () => rmSync(undecided, { recursive: true, force: true }),
      finish: async () => {
        renameSync(undecided, join(this.folder, name));
        sync(this.folder);
        this.finishOne(name, String(ownerId), toFileName(databaseId));
      },
    };
  }

  private finishOne(name: string, owner: string, file: string): void {
    const decided = join(this.folder, name);
    const target = databaseFile(join(this.databases, owner), file);
    const isNothing = existsSync(join(decided, NOTHING));
    if (isNothing || existsSync(join(decided, FILE))) {
      mkdirSync(join(this.databases, owner, NAMESPACE), { recursive: true, mode: 0o700 });
      // The old log must be gone before the new file is there: SQLite would take it for the new file's log.
      for (const suffix of ['-wal', '-shm', ...(isNothing ? [''] : [])])
        rmSync(target + suffix, { force: true });
      sync(dirname(target));
      if (!isNothing) renameSync(join(decided, FILE), target);
      sync(dirname(target));
    }
    rmSync(decided, { recursive: true, force: true });
    sync(this.folder);
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
