import type { ImportReport } from '../../contract/imports/imports.ts';
import { count, saySize } from '../terminal/amounts.ts';

/** Lines of each list that people read in a terminal. With `--json`, all are there. */
const MAX_LINES = 40;
const MAX_PATH = 40;

/** What an import takes and leaves, for people. */
export function sayReport(report: ImportReport): string {
  const taken = report.taken.map(({ path, as, function: slug }): [string, string] => [
    path,
    slug === undefined ? as : `${as} of ${slug}`,
  ]);
  const left = report.left.map(({ path, why, files }): [string, string] => [
    files === undefined ? path : `${path} (${count(files, 'file')})`,
    why,
  ]);
  return [...sayParts(report), ...section('Taken', taken, 0), ...section('Left', left, report.more_left)]
    .map(toLine)
    .join('\n');
}

/** Somebody else may have made the files: a title with line breaks must not look like more lines of the report. */
const toLine = (text: string) => text.replaceAll(/[\n\r\v\f\u0085\u2028\u2029]+/g, ' ');

function sayParts({ kind, page, functions }: ImportReport): string[] {
  const said = page
    ? [
        `Page      ${page.name}: ${count(page.files + 1, 'file')}, ${saySize(page.bytes)}${page.spa ? ', a single-page app' : ''}`,
      ]
    : [];
  const deployed = functions.map((each) => {
    const parts = [
      ...(each.hasDatabase ? ['a database'] : []),
      ...(each.migrations.length > 0 ? [count(each.migrations.length, 'migration')] : []),
      ...each.schedules.map((cron) => `the schedule ${cron}`),
      ...(each.secrets.length > 0 ? [`the secrets ${each.secrets.join(', ')}`] : []),
    ];
    return `Function  ${each.slug}${parts.length > 0 ? `, with ${parts.join(', ')}` : ''}`;
  });
  return kind === 'nothing' ? ['Nothing can be published.'] : [...said, ...deployed];
}

function section(heading: string, rows: Array<[string, string]>, more: number): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MAX_LINES);
  const width = Math.min(MAX_PATH, Math.max(...shown.map(([path]) => Bun.stringWidth(path))));
  const hidden = rows.length - shown.length + more;
  return [
    heading,
    ...shown.map(
      ([path, what]) => `  ${path}${' '.repeat(Math.max(0, width - Bun.stringWidth(path)))}  ${what}`,
    ),
    ...(hidden > 0 ? [`  and ${hidden.toLocaleString('en')} more (--json lists them)`] : []),
  ];
}

/** Where what was published is. */
export function sayPublished({ published }: ImportReport): string {
  const { page, functions } = published ?? { page: null, functions: [] };
  return [
    ...functions.map(({ slug, url }) => `deployed   ${slug} at ${url}`),
    ...(page ? [`${page.is_published ? 'published ' : 'draft     '} ${page.url}`] : []),
  ].join('\n');
}
