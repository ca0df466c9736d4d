import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMetrics } from './metrics.ts';

/** Runs the alert rules in `deploy/prometheus` with what servers really said, by Prometheus's own `promtool`. */

const RULES = join(import.meta.dir, '../../../deploy/prometheus/alerts.yml');

/** What Prometheus reads from a server for some minutes: the text of `/metrics`, or nothing if it does not respond. */
export interface Phase {
  text: string | undefined;
  minutes: number;
}

const FIRING = 'ALERTS{alertstate="firing"';

/** Asserts that no alert fires at the end of the first phase, and that this one, with these labels, does at the end of the last. */
export async function expectAlert(
  name: string,
  phases: Phase[],
  { others = [] as string[], labels = '' } = {},
) {
  const firing = `${FIRING},alertname!~"${['', ...others].join('|') || 'none'}"}`;
  await testRules(name, phases, [
    { expr: `count(${firing})`, eval_time: `${(phases[0]?.minutes ?? 0) - 1}m`, exp_samples: [] },
    {
      expr: `clamp_max(count(${FIRING},alertname="${name}",${labels}}), 1)`,
      eval_time: `${sumMinutes(phases) - 1}m`,
      exp_samples: [{ labels: '{}', value: 1 }],
    },
  ]);
}

/** Asserts that no alert fires at the end of the last phase. */
export async function expectNoAlert(phases: Phase[]) {
  await testRules('none', phases, [
    { expr: `count(${FIRING}})`, eval_time: `${sumMinutes(phases) - 1}m`, exp_samples: [] },
  ]);
}

const sumMinutes = (phases: Phase[]) => phases.reduce((sum, { minutes }) => sum + minutes, 0);

async function testRules(name: string, phases: Phase[], expected: object[]): Promise<void> {
  const test = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [{ interval: '1m', input_series: toSeries(phases), promql_expr_test: expected }],
  };
  const folder = mkdtempSync(join(tmpdir(), 'quire-alerts-'));
  try {
    const path = join(folder, 'test.json');
    writeFileSync(path, JSON.stringify(test));
    const ran = Bun.spawn(['promtool', 'test', 'rules', path], { stdout: 'pipe', stderr: 'pipe' });
    const [output, errors, code] = await Promise.all([
      new Response(ran.stdout).text(),
      new Response(ran.stderr).text(),
      ran.exited,
    ]);
    if (code !== 0) throw new Error(`${name} does not fire as it should:\n${output}${errors}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toSeries(phases: Phase[]): { series: string; values: string }[] {
  const read = phases.map(({ text, minutes }) => {
    const values = new Map<string, number>();
    for (const [name, value] of text === undefined ? [] : readMetrics(text)) values.set(label(name), value);
    values.set(label('up'), text === undefined ? 0 : 1);
    return { values, minutes };
  });
  const names = new Set(read.flatMap(({ values }) => [...values.keys()]));
  // A rule that needs the buckets would need them here too.
  const used = [...names].filter((name) => !name.includes('_bucket'));
  return used.map((series) => ({
    series,
    values: read.map(({ values, minutes }) => toValues(values.get(series), minutes)).join(' '),
  }));
}

/** As a test of Prometheus writes them: a value and how often it repeats. */
function toValues(value: number | undefined, minutes: number): string {
  return value === undefined ? `_x${minutes}` : `${value}+0x${minutes - 1}`;
}

/** Adds the labels that Prometheus gives to what it reads. */
function label(name: string): string {
  const [plain = '', labels = ''] = name.split(/[{}]/);
  return `${plain}{job="quire",instance="node"${labels && `,${labels}`}}`;
}
