/** Takes the text of a table apart, so that two people can change different columns of it. */

/** A column, a constraint, or what follows the columns. */
export interface Item {
  kind: 'column' | 'constraint' | 'options';
  /** Identifies the item in every version of a table. */
  key: string;
  name: string;
  /** As it was written, without comments. */
  text: string;
}

export interface TableText {
  /** The text before the columns. */
  head: string;
  items: Item[];
}

const CONSTRAINTS = new Set(['constraint', 'primary', 'unique', 'check', 'foreign']);
const TOKEN =
  /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+|[\s\S]/gy;

/** The items of a table; undefined if the text is not of the usual form. */
export function parseTable(sql: string): TableText | undefined {
  const head: string[] = [];
  const parts: string[][] = [[]];
  let depth = 0;
  let isOver = false;
  for (const [token] of sql.matchAll(TOKEN)) {
    const isComment = token.startsWith('--') || token.startsWith('/*');
    const word = isComment || /^\s/.test(token) ? ' ' : token;
    if (isOver) parts.at(-1)?.push(word);
    else if (depth === 0) {
      if (word === '(') depth = 1;
      else head.push(word);
    } else if (word === ')' && depth === 1) {
      isOver = true;
      parts.push([]);
    } else if (word === ',' && depth === 1) parts.push([]);
    else {
      depth += word === '(' ? 1 : word === ')' ? -1 : 0;
      parts.at(-1)?.push(word);
    }
  }
  if (!isOver) return undefined;
  const texts = parts.map((words) => words.join('').replace(/ +/g, ' ').trim());
  const options = texts.pop() ?? '';
  const items = texts.map(toItem);
  if (options !== '') items.push({ kind: 'options', key: 'options', name: options, text: options });
  const isClear = new Set(items.map(({ key }) => key)).size === items.length;
  return isClear ? { head: head.join('').trim(), items } : undefined;
}

function toItem(text: string): Item {
  const [first = ''] =
    text.match(/^(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|[^\s(]+)/) ?? [];
  const word = first.toLowerCase();
  if (!CONSTRAINTS.has(word)) {
    const name = unquote(first);
    return { kind: 'column', key: `column ${name.toLowerCase()}`, name, text };
  }
  if (word === 'primary') return { kind: 'constraint', key: 'constraint primary', name: 'PRIMARY KEY', text };
  return { kind: 'constraint', key: `constraint ${text.toLowerCase()}`, name: text, text };
}

function unquote(name: string): string {
  const [quote] = name;
  if (quote === '[') return name.slice(1, -1);
  if (quote !== '"' && quote !== "'" && quote !== '`') return name;
  return name.slice(1, -1).replaceAll(quote + quote, quote);
}

/** The text of a table with these items. */
export function writeTable({ head, items }: TableText): string {
  const options = items.find(({ kind }) => kind === 'options');
  const order = ['column', 'constraint'] as const;
  const inside = order.flatMap((kind) => items.filter((item) => item.kind === kind));
  const body = inside.map(({ text }) => text).join(', ');
  return `${head} (${body})${options ? ` ${options.text}` : ''}`;
}
