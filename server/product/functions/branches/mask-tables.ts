/** Reads rows of the database. */
type Read = (sql: string) => Promise<unknown[][]>;

/** Columns whose texts may stay, by the end of their names, and the texts that do: they say what something is, and not who. */
const KEPT: Array<[RegExp, (column: string) => string]> = [
  [
    /(?:^|_)(?:id|uuid)$|Id$/,
    (column) =>
      `(typeof(${column}) = 'blob' and length(${column}) <= 16 or ${hasOnly(column, '0-9A-Za-z_:-')} and (length(${column}) >= 20 or ${column} glob '*[0-9]*'))`,
  ],
  [
    /(?:^|_)(?:slug|status|state|type|kind|color|currency|locale|lang)$|Slug$/,
    (column) => hasOnly(column, '0-9A-Za-z_.:-'),
  ],
  [
    /(?:^|_)(?:at|date|time)$|At$/,
    (column) => `(${hasOnly(column, '0-9TZ:.+ -')} and ${column} glob '[0-9][0-9]*')`,
  ],
];
const MAX_KEPT = 64;

const hasOnly = (column: string, letters: string) =>
  `(typeof(${column}) = 'text' and length(${column}) <= ${MAX_KEPT} and ${column} not glob '*[^${letters}]*')`;

interface Column {
  table: string;
  /** Quoted. */
  name: string;
  /** A condition for the texts that stay. */
  kept: string;
  isUnique: boolean;
  isReference: boolean;
}

/**
 * Writes the statements that replace texts. What a key holds is replaced by the same text wherever it is, and by no text that
 * another key holds, so that references still match. Other texts become random ones of the same length.
 */
export async function maskTables(read: Read, tables: readonly string[]): Promise<string[]> {
  const columns: Column[] = [];
  const referenced = new Set<string>();
  for (const table of tables) columns.push(...(await readColumns(read, table, referenced)));
  const keys = columns.filter(({ isUnique, isReference }) => isUnique && !isReference);
  const masks = quote(`quire_masks_${crypto.randomUUID()}`);
  return [
    `create table ${masks} (old, new, primary key (old)) without rowid`,
    ...keys.map(
      ({ table, name, kept }) =>
        `insert or ignore into ${masks} (old) select distinct ${name} from ${quote(table)} where typeof(${name}) in ('text', 'blob') and length(${name}) > 0 and not ${kept}`,
    ),
    `update ${masks} set new = case typeof(old) when 'blob' then randomblob(length(old)) else ${randomText('old')} end`,
    lengthen(masks, `select new from ${masks} group by new having count(*) > 1`),
    // Otherwise a row would get what another row has until it is replaced too.
    ...columns
      .filter(({ isUnique }) => isUnique)
      .map(({ table, name }) => lengthen(masks, `select ${name} from ${quote(table)}`)),
    // What is replaced already stays, and so do keys that stay in references to them.
    `insert or ignore into ${masks} select new, new from ${masks}`,
    ...keys
      .filter(({ table }) => referenced.has(table.toLowerCase()))
      .map(
        ({ table, name, kept }) =>
          `insert or ignore into ${masks} select distinct ${name}, ${name} from ${quote(table)} where ${kept}`,
      ),
    // References come first: no key that changes is referred to then.
    ...update(
      columns.filter(({ isReference }) => isReference),
      masks,
    ),
    ...update(
      columns.filter(({ isReference }) => !isReference),
      masks,
    ),
    `drop table ${masks}`,
  ];
}

async function readColumns(read: Read, table: string, referenced: Set<string>): Promise<Column[]> {
  const names = await read(`select name from pragma_table_info(${text(table)})`);
  const references = await read(`select "from", "table" from pragma_foreign_key_list(${text(table)})`);
  const unique = await read(
    `select i.name from pragma_index_list(${text(table)}) l, pragma_index_info(l.name) i where l."unique" = 1`,
  );
  for (const [, parent] of references) referenced.add(String(parent).toLowerCase());
  return names.map(([given]) => {
    const [name, has] = [quote(String(given)), (rows: unknown[][]) => rows.some(([each]) => each === given)];
    const rules = KEPT.filter(([ending]) => ending.test(String(given)));
    return {
      ...{ table, name, kept: rules.map(([, rule]) => rule(name))[0] ?? 'false' },
      ...{ isUnique: has(unique), isReference: has(references) },
    };
  });
}

/** Begins with a letter, so that it is no number. */
const randomText = (column: string) =>
  `substr('x' || lower(hex(randomblob(length(${column}) / 2 + 1))), 1, length(${column}))`;

const lengthen = (masks: string, taken: string) =>
  `update ${masks} set new = case typeof(old) when 'blob' then randomblob(24) else new || '-' || lower(hex(randomblob(8))) end where new in (${taken})`;

/** Updates each table once. */
function update(columns: readonly Column[], masks: string): string[] {
  return [...Map.groupBy(columns, ({ table }) => table)].map(([table, own]) => {
    const values = own.map(({ name, kept }) => {
      const known = `(select new from ${masks} where old = +${name})`;
      const other = `case typeof(${name}) when 'text' then ${randomText(name)} else zeroblob(length(${name})) end`;
      return `${name} = case when typeof(${name}) in ('text', 'blob') then coalesce(${known}, case when ${kept} then ${name} else ${other} end) else ${name} end`;
    });
    return `update ${quote(table)} set ${values.join(', ')}`;
  });
}

export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
