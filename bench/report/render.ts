import { table } from '../support/table.ts';
import { ARCHITECTURES, type Architecture, type Figure, isMet, type Value } from './figure.ts';
import type { AllResults, Run } from './results.ts';

/** Writes the figures of both architectures as Markdown tables. */

const NOT_MEASURED = '–';

/** The tables of one benchmark, and a line for each run that they come from. */
export function renderBenchmark(name: string, figures: Figure[], results: AllResults): string {
  const runs = Object.fromEntries(
    ARCHITECTURES.map((architecture) => [architecture, results[architecture][name]]),
  ) as Record<Architecture, Run | undefined>;
  return [
    ...figures.map((figure) => renderFigure(figure, runs)),
    ARCHITECTURES.map((architecture) => describeRun(architecture, runs[architecture])).join('\n'),
  ].join('\n\n');
}

/** Replaces what is between the two markers of each benchmark; the rest of the document stays as it is. */
export function fillDocument(document: string, tables: Record<string, string>): string {
  let filled = document;
  for (const [name, text] of Object.entries(tables)) {
    const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
    const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`bench/README.md needs a line "${begin}" and then "${end}".`);
    filled = `${filled.slice(0, from + begin.length)}\n\n${text}\n\n${filled.slice(to)}`;
  }
  return filled;
}

function renderFigure(figure: Figure, runs: Record<Architecture, Run | undefined>): string {
  const hasGoal = Object.values(figure.rows).some((goal) => goal !== undefined);
  const head = [
    figure.name,
    ...ARCHITECTURES.map((architecture) => formatHead(architecture, runs[architecture])),
  ];
  const rows = Object.entries(figure.rows).map(([row, goal]) => [
    row,
    ...ARCHITECTURES.map((architecture) => {
      const value = runs[architecture]?.values[figure.name]?.[row];
      if (value === undefined) return NOT_MEASURED;
      const met = goal && isMet(goal, value, architecture);
      const verdict = met === undefined ? '' : met ? ', met' : ', **missed**';
      return format(value, figure.digits) + verdict;
    }),
    ...(hasGoal ? [goal?.text ?? ''] : []),
  ]);
  return table([...head, ...(hasGoal ? ['goal'] : [])], rows);
}

function formatHead(architecture: Architecture, run: Run | undefined): string {
  return run ? `${architecture}, ${day(run.date)}` : architecture;
}

function describeRun(architecture: Architecture, run: Run | undefined): string {
  if (!run) return `- ${architecture}: not run yet.`;
  return `- ${architecture}, ${day(run.date)}: ${run.machine}. ${run.note}`.trim();
}

function format(value: Value, digits: number): string {
  const one = (number: number) =>
    number.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (typeof value === 'number') return one(value);
  return Array.isArray(value) ? value.map(one).join(' / ') : `${one(value.from)} to ${one(value.to)}`;
}

/** 2026-11-16 as 16 November 2026; other text as it is. */
function day(date: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return date;
  return new Date(date).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
}
