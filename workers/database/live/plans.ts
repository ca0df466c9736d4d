import { ALL_TABLES as ALL } from '../../protocol.ts';

/**
 * Which tables a statement uses, as SQLite's own plan says. It resolves views, joins, triggers, cascades and REPLACE:
 * https://sqlite.org/opcode.html
 */

/** Stands for every virtual table: a plan shows only their addresses. */
const VIRTUAL = '@virtual';

export interface TableUse {
  reads: ReadonlySet<string>;
  writes: ReadonlySet<string>;
}

const EVERYTHING: TableUse = { reads: new Set([ALL]), writes: new Set([ALL]) };
/** Cached plans, and the longest text that is cached. */
const MAX_CACHED = 256;
const MAX_CACHED_LENGTH = 4096;
/** A table with a longer name counts as all tables. */
const MAX_NAME_LENGTH = 200;
/** The flag of `OpenWrite` that its root page is in a register, so that the plan does not show it. */
const ROOT_IN_REGISTER = 0x10;

/** These change the schema, and with it the meaning of other statements. */
const SCHEMA = new Set([
  'CreateBtree',
  'Destroy',
  'DropIndex',
  'DropTable',
  'DropTrigger',
  'ParseSchema',
  'SetCookie',
  'SqlExec',
  'VCreate',
  'VDestroy',
  'VRename',
]);
/** These take values from a row: a table that is opened to be written is then read too. */
const TAKES = new Set(['Column', 'Count', 'IdxRowid', 'RowData', 'Rowid']);

type Step = [opcode: string, p1: number, p2: number, p3: number, p5: number];

export class TablePlans {
  readonly #plans = new Map<string, TableUse>();
  /** Tables by the root pages of their trees and of their indexes. */
  #tables: Map<number, string> | undefined;

  constructor(private readonly sql: SqlStorage) {}

  /** Must be called after the schema has changed. */
  forget(): void {
    this.#plans.clear();
    this.#tables = undefined;
  }

  find(statement: string, parameters: number): TableUse {
    const known = this.#plans.get(statement);
    if (known) return known;
    const found = this.#read(statement, parameters);
    if (statement.length > MAX_CACHED_LENGTH) return found;
    for (const oldest of this.#plans.keys()) {
      if (this.#plans.size < MAX_CACHED) break;
      this.#plans.delete(oldest);
    }
    this.#plans.set(statement, found);
    return found;
  }

  #read(statement: string, parameters: number): TableUse {
    try {
      const values = new Array<null>(parameters).fill(null);
      const rows = [...this.sql.exec(`EXPLAIN ${statement}`, ...values).raw()];
      return this.#toUse(
        rows.map((row) => [String(row[1]), ...[2, 3, 4, 6].map((at) => Number(row[at]))] as Step),
      );
    } catch {
      // What SQLite cannot explain fails, or is not about tables.
      return EVERYTHING;
    }
  }

  #toUse(steps: Step[]): TableUse {
    const reads = new Set<string>();
    const writes = new Set<string>();
    const taken = new Set(steps.flatMap(([opcode, p1]) => (TAKES.has(opcode) ? [p1] : [])));
    for (const [opcode, p1, p2, , p5] of steps) {
      if (SCHEMA.has(opcode)) return EVERYTHING;
      switch (opcode) {
        case 'OpenRead':
        case 'ReopenIdx':
          reads.add(this.#findTable(p2));
          break;
        case 'OpenWrite': {
          const table = p5 & ROOT_IN_REGISTER ? ALL : this.#findTable(p2);
          writes.add(table);
          // The counters of AUTOINCREMENT are no data of the statement.
          if (taken.has(p1) && table !== 'sqlite_sequence') reads.add(table);
          break;
        }
        case 'Clear':
          writes.add(this.#findTable(p1));
          break;
        case 'VOpen':
          reads.add(VIRTUAL);
          break;
        case 'VUpdate':
          writes.add(VIRTUAL);
      }
    }
    return { reads, writes };
  }

  #findTable(root: number): string {
    this.#tables ??= this.#readTables();
    const table = this.#tables.get(root) ?? ALL;
    return table.length <= MAX_NAME_LENGTH ? table : ALL;
  }

  #readTables(): Map<number, string> {
    const rows = [...this.sql.exec('SELECT rootpage, tbl_name, sql FROM sqlite_master').raw()];
    const virtual = rows.flatMap(([root, name]) => (Number(root) === 0 ? [`${String(name)}_`] : []));
    const tables = new Map([[1, 'sqlite_master']]);
    for (const [root, name] of rows) {
      const table = String(name);
      // What a virtual table keeps is in tables that begin with its name.
      const isPart = virtual.some((start) => table.startsWith(start));
      tables.set(Number(root), isPart ? VIRTUAL : table);
    }
    return tables;
  }
}
