import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Ajv from 'ajv';
import { startEngine } from '../engines/engine.ts';
import { takePorts } from '../ports.ts';
import type { KubernetesObject } from './container-files.ts';

/**
 * Renders the chart without Helm, which Debian does not have. Caddy has the libraries that Helm renders templates with,
 * text/template and Sprig. What Helm adds to them (`include`, `toYaml`, `required`, `tpl`, `lookup`) cannot be used.
 */

const CHART = join(import.meta.dir, '../../../deploy/chart');
const TEMPLATES = join(CHART, 'templates');
const read = (path: string) => readFileSync(join(CHART, path), 'utf8');

type Values = Record<string, unknown>;

export interface Rendered {
  objects: KubernetesObject[];
  notes: string;
}

export interface ChartRenderer {
  /** Renders all templates with these values over those of the chart. */
  render(values: Values, release?: string): Promise<Rendered>;
  stop(): Promise<void>;
}

/** The values of the chart with others over them, as Helm merges them. */
export function mergeValues(over: Values): Values {
  return merge(Bun.YAML.parse(read('values.yaml')) as Values, over);
}

/** What the chart's schema does not allow in values. Helm refuses them with equal words. */
export function listValueFaults(values: Values): string[] {
  const ajv = new Ajv({ allErrors: true, strict: false });
  const validate = ajv.compile(JSON.parse(read('values.schema.json')));
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const name = params.additionalProperty ?? params.allowedValues?.join(', ');
    return `${instancePath.slice(1)}: ${message}${name ? ` (${name})` : ''}`;
  });
}

export async function startChartRenderer(): Promise<ChartRenderer> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-chart-'));
  const port = takePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const config = join(folder, 'Caddyfile');
  writeFileSync(
    config,
    `{\n admin off\n}\n${url} {\n root * ${folder}\n templates {\n mime text/plain\n }\n file_server\n}\n`,
  );
  const caddy = await startEngine({
    name: 'caddy',
    command: ['caddy', 'run', '--config', config, '--adapter', 'caddyfile'],
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    isReady: () => fetch(url).then(() => true),
  });
  const names = readdirSync(TEMPLATES).filter((name) => !name.startsWith('_'));

  async function renderOne(name: string, context: object): Promise<string> {
    const definition = `{{ define "file" }}${read(join('templates', name))}{{ end }}`;
    // Inside a definition, `$` is what it was called with, as in Helm.
    const text = `${read('templates/_helpers.tpl')}${definition}{{ template "file" (fromJson ${quote(context)}) }}`;
    writeFileSync(join(folder, 'file.txt'), text);
    const response = await fetch(`${url}/file.txt`);
    if (!response.ok) throw new Error(`${name} cannot be rendered: ${caddy.output().slice(-2000)}`);
    return response.text();
  }

  return {
    async render(over, release = 'quire') {
      const { appVersion, ...chart } = Bun.YAML.parse(read('Chart.yaml')) as Record<string, string>;
      const context = {
        Values: mergeValues(over),
        Release: { Name: release, Namespace: 'default', Service: 'Helm' },
        Chart: { Name: chart.name, Version: chart.version, AppVersion: appVersion },
      };
      const objects: KubernetesObject[] = [];
      let notes = '';
      for (const name of names) {
        const text = await renderOne(name, context);
        if (name === 'NOTES.txt') notes = text;
        else if (text.trim()) objects.push(Bun.YAML.parse(text) as KubernetesObject);
      }
      return { objects, notes };
    },
    async stop() {
      await caddy.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A text in a template with a JSON document. */
const quote = (value: object) => JSON.stringify(JSON.stringify(value));

function merge(under: Values, over: Values): Values {
  const merged = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isMap(below) && isMap(value) ? merge(below, value) : value;
  }
  return merged;
}

const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
