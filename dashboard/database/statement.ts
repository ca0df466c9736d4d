import { t } from '../texts/index.ts';

/** Recognizes what a statement does, as far as the console needs to know. */

const TOKEN =
  /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+|\S/g;

/** The tokens of a statement, without comments and without anything in parentheses. */
function outerTokens(sql: string): string[] {
  let depth = 0;
  return (sql.match(TOKEN) ?? []).filter((token) => {
    if (token.startsWith('--') || token.startsWith('/*')) return false;
    if (token === ')') depth -= 1;
    const isOuter = depth === 0 && token !== ')';
    if (token === '(') depth += 1;
    return isOuter && token !== '(';
  });
}

const ACTS = ['select', 'values', 'insert', 'replace', 'update', 'delete'];

/** The tokens from the verb on, which follows the CTEs if the statement starts with WITH. */
function readAct(sql: string): { words: string[]; tokens: string[] } {
  const all = outerTokens(sql);
  const isWith = all[0]?.toLowerCase() === 'with';
  const start = isWith ? all.findIndex((token) => ACTS.includes(token.toLowerCase())) : 0;
  const tokens = all.slice(Math.max(0, start));
  return { tokens, words: tokens.map((token) => token.toLowerCase()) };
}

/** Describes what a statement deletes permanently. Undefined if a WHERE clause limits it. */
export function describeLoss(sql: string): string | undefined {
  const { tokens, words } = readAct(sql);
  const [verb, kind = ''] = words;
  if (verb === 'drop') return dropped(kind, nameAt(tokens, words[2] === 'if' ? 4 : 2));
  if (verb === 'delete')
    return words.includes('where') ? undefined : t('all rows of {table}', { table: nameAt(tokens, 2) });
  const drop = verb === 'alter' ? words.indexOf('drop', 3) : -1;
  if (drop < 0) return undefined;
  const column = words[drop + 1] === 'column' ? drop + 2 : drop + 1;
  return t('the column {column} of {table}', {
    column: nameAt(tokens, column),
    table: nameAt(tokens, 2),
  });
}

function dropped(kind: string, name: string): string {
  if (kind === 'table') return t('the table {name}', { name });
  if (kind === 'view') return t('the view {name}', { name });
  if (kind === 'index') return t('the index {name}', { name });
  return t('the {kind} {name}', { kind, name });
}

/** The table of an UPDATE without a WHERE clause, which changes all rows. */
export function findOverwritten(sql: string): string | undefined {
  const { tokens, words } = readAct(sql);
  if (words[0] !== 'update' || words.includes('where')) return undefined;
  return nameAt(tokens, words[1] === 'or' ? 3 : 1);
}

/** A name without quotes, with its schema if it has one. */
function nameAt(tokens: string[], at: number): string {
  const plain = (token = '') => token.replace(/^(["`])([\s\S]*)\1$|^\[([\s\S]*)\]$/, '$2$3');
  const first = plain(tokens[at]);
  return tokens[at + 1] === '.' ? `${first}.${plain(tokens[at + 2])}` : first;
}

/** Whether a statement returns rows, changes rows, or neither. */
export function classifyStatement(sql: string): 'rows' | 'changes' | 'other' {
  const { words } = readAct(sql);
  const verb = words[0] ?? '';
  if (['select', 'values', 'pragma', 'explain'].includes(verb) || words.includes('returning')) return 'rows';
  return ACTS.includes(verb) ? 'changes' : 'other';
}
