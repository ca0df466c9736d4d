import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { CHART_SCHEMA, chartSchema } from '../../scripts/settings.ts';
import { readConfig } from '../../server/platform/config/config.ts';
import {
  type ChartRenderer,
  listValueFaults,
  mergeValues,
  type Rendered,
  startChartRenderer,
} from '../support/cli/chart.ts';
import { listKubernetesFaults } from '../support/cli/container-files.ts';

const CHART = join(import.meta.dir, '../../deploy/chart');

/** What has no default. */
const needed = {
  settings: {
    QUIRE_BASE_URL: 'https://quire.example.com',
    QUIRE_TRUSTED_PROXIES: '10.1.2.0/24',
    S3_BUCKET: 'quire',
  },
  secrets: {
    DATABASE_URL: 'postgres://quire:pass<word>&"\'@postgres.example.internal:5432/quire',
    REDIS_URL: 'redis://:password@redis.example.internal:6379',
    S3_ACCESS_KEY_ID: 'access',
    S3_SECRET_ACCESS_KEY: 'secret',
    QUIRE_SECRET: 'x'.repeat(32),
  },
};
const { secrets: _, ...withoutSecrets } = needed;
/** Everything that can be set, with a secret that exists. */
const everything = {
  image: {
    repository: 'registry.example.com/quire',
    tag: '2.0',
    pullPolicy: 'Always',
    pullSecrets: [{ name: 'registry' }],
  },
  replicas: 5,
  settings: {
    ...needed.settings,
    QUIRE_BASE_URL: 'https://quire.example.com:8443/',
    QUIRE_PAGES_HOST: 'quire-pages.example',
    QUIRE_FUNCTIONS_HOST: 'quire-functions.example:8443',
    QUIRE_DRAIN_SECONDS: '30',
    QUIRE_QUOTA_BYTES: '10737418240',
  },
  existingSecret: 'quire-secrets',
  seccompProfile: { type: 'Localhost', localhostProfile: 'quire.json' },
  resources: { requests: { cpu: '500m' }, limits: { memory: '8Gi' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'example.com/buffering': 'off' },
    tlsSecret: 'quire-tls',
  },
};

let renderer: ChartRenderer;
let least: Rendered;
let most: Rendered;
beforeAll(async () => {
  renderer = await startChartRenderer();
  least = await renderer.render(needed);
  // A name that YAML would read as a number.
  most = await renderer.render(everything, '1234');
});
afterAll(() => renderer?.stop());

const kinds = ({ objects }: Rendered) => objects.map(({ kind }) => kind).sort();
const find = ({ objects }: Rendered, kind: string) => objects.find((object) => object.kind === kind);
const readPod = (rendered: Rendered) => find(rendered, 'Deployment')?.spec.template;
const readContainer = (rendered: Rendered) => readPod(rendered).spec.containers[0];
const ALWAYS = ['ConfigMap', 'Deployment', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'];

describe('the objects of the chart', () => {
  test('are those that the values ask for', () => {
    expect(kinds(least)).toEqual([...ALWAYS, 'Secret'].sort());
    expect(kinds(most)).toEqual([...ALWAYS, 'Ingress'].sort());
    for (const { objects, notes } of [least, most])
      expect(JSON.stringify(objects) + notes).not.toContain('<no value>');
  });

  test('are what the schemas of Kubernetes describe', async () => {
    for (const { objects } of [least, most])
      for (const object of objects)
        expect([object.kind, await listKubernetesFaults(object)]).toEqual([object.kind, []]);
    const wrong = structuredClone(find(least, 'Deployment'));
    if (!wrong) throw new Error('there is no Deployment');
    wrong.spec.template.spec.containers[0].readynessProbe = {};
    expect(await listKubernetesFaults(wrong)).toEqual([
      '/spec/template/spec/containers/0/readynessProbe is not a field that Kubernetes knows',
    ]);
    wrong.spec.replicas = '3';
    wrong.spec.template.spec.containers[0].imagePullPolicy = 'Sometimes';
    expect((await listKubernetesFaults(wrong)).join()).toMatch(
      /replicas must be integer.*imagePullPolicy must/,
    );
  });

  test('name only what there is', () => {
    for (const rendered of [least, most]) {
      const names = rendered.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      const used = readContainer(rendered).envFrom.map(
        ({ configMapRef, secretRef }: Record<string, { name: string }>) =>
          configMapRef ? `ConfigMap ${configMapRef.name}` : `Secret ${secretRef?.name}`,
      );
      expect([...names, 'Secret quire-secrets']).toEqual(expect.arrayContaining(used));
      const pod = readPod(rendered);
      const container = readContainer(rendered);
      const readSelector = (kind: string) => find(rendered, kind)?.spec.selector;
      expect(readSelector('Deployment').matchLabels).toEqual(pod.metadata.labels);
      expect(readSelector('PodDisruptionBudget').matchLabels).toEqual(pod.metadata.labels);
      expect(readSelector('Service')).toEqual(pod.metadata.labels);
      expect(find(rendered, 'NetworkPolicy')?.spec.podSelector.matchLabels).toEqual(pod.metadata.labels);
      const volumes = pod.spec.volumes.map(({ name }: { name: string }) => name);
      expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes);
      const ports = container.ports.map(({ name }: { name: string }) => name);
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(ports).toContain(container[probe].httpGet.port);
    }
    const paths = find(most, 'Ingress')?.spec.rules.flatMap(
      (rule: { http: { paths: { backend: { service: object } }[] } }) => rule.http.paths,
    );
    for (const { backend } of paths)
      expect(backend.service).toEqual({ name: find(most, 'Service')?.metadata.name, port: { name: 'http' } });
  });

  test('have what was set', () => {
    const container = readContainer(most);
    expect(container).toMatchObject({
      image: 'registry.example.com/quire:2.0',
      imagePullPolicy: 'Always',
      resources: everything.resources,
    });
    expect(readContainer(least).image).toBe(`quire:${packageJson.version}`);
    expect(find(most, 'Deployment')?.spec.replicas).toBe(5);
    expect(readPod(most).spec).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      securityContext: { seccompProfile: everything.seccompProfile },
    });
    expect(container.envFrom[1]).toEqual({ secretRef: { name: 'quire-secrets' } });
    const hosts = ['quire.example.com', '*.quire-pages.example', '*.quire-functions.example'];
    const ingress = find(most, 'Ingress');
    expect(ingress?.spec.rules.map(({ host }: { host: string }) => host)).toEqual(hosts);
    expect(ingress?.spec.tls).toEqual([{ secretName: 'quire-tls', hosts }]);
    expect([ingress?.spec.ingressClassName, ingress?.metadata.annotations]).toEqual([
      'nginx',
      everything.ingress.annotations,
    ]);
    expect(most.notes).toContain('instance=1234');
  });

  test('let Quire run without privileges, and write only to its volumes', () => {
    const { securityContext } = readPod(least).spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
    // The user of the image.
    const image = readFileSync(join(CHART, '../Dockerfile'), 'utf8');
    expect(image).toContain(`--uid ${securityContext.runAsUser} `);
    expect(readContainer(least).securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(
      readContainer(least).volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath),
    ).toEqual(['/var/lib/quire', '/tmp']);
  });

  test('give a pod more time to stop than a node needs', () => {
    for (const rendered of [least, most]) {
      const drainSeconds = Number(find(rendered, 'ConfigMap')?.data?.QUIRE_DRAIN_SECONDS);
      const { terminationGracePeriodSeconds } = readPod(rendered).spec;
      expect(terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 30 + 35);
    }
  });

  test('restart nodes when a setting or a secret changes', async () => {
    const marks = async (values: object) => readPod(await renderer.render({ ...needed, ...values })).metadata;
    const before = await marks({});
    expect(await marks({})).toEqual(before);
    const changed = { settings: { ...needed.settings, QUIRE_CELLS: '8' } };
    expect(await marks(changed)).not.toEqual(before);
    const secrets = { ...needed.secrets, QUIRE_SECRET_OLD: 'y'.repeat(32) };
    expect(await marks({ secrets })).not.toEqual(before);
  });
});

test('the templates use nothing that Caddy has and Helm has not', () => {
  const folder = join(CHART, 'templates');
  const actions = readdirSync(folder).flatMap(
    (name) => readFileSync(join(folder, name), 'utf8').match(/\{\{.*?\}\}/g) ?? [],
  );
  expect(actions.length).toBeGreaterThan(50);
  const own =
    /\b(include|import|readFile|fileExists|listFiles|httpInclude|httpError|placeholder|markdown|splitFrontMatter|stripHTML|humanize|maybe|env|expandenv)\b/;
  expect(actions.filter((action) => own.test(action))).toEqual([]);
});

describe('the settings', () => {
  const readEnvironment = (rendered: Rendered) => ({
    ...find(rendered, 'ConfigMap')?.data,
    ...find(rendered, 'Secret')?.stringData,
    QUIRE_CLUSTER_ADDRESS: readContainer(rendered)
      .env.find(({ name }: { name: string }) => name === 'QUIRE_CLUSTER_ADDRESS')
      .value.replace('$(POD_IP)', '10.0.0.1'),
  });

  test('are those with which a server starts', () => {
    const config = readConfig(readEnvironment(least));
    expect(config.cluster?.address).toBe('10.0.0.1:7000');
    expect([config.drainMs, config.baseUrl]).toEqual([10_000, 'https://quire.example.com']);
    expect(config.databaseUrl).toBe(needed.secrets.DATABASE_URL);
    const full = readConfig({ ...needed.secrets, ...readEnvironment(most) });
    expect([full.drainMs, full.quotas.bytes]).toEqual([30_000, 10_737_418_240]);
    expect(() => readConfig(readEnvironment(most))).toThrow('QUIRE_CLUSTER_ADDRESS');
  });

  test('are the ones of today: npm run settings', async () => {
    expect(JSON.parse(readFileSync(CHART_SCHEMA, 'utf8'))).toEqual(await chartSchema());
  });

  test('the version of the chart is that of the program', () => {
    const { version, appVersion } = Bun.YAML.parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as {
      version: string;
      appVersion: string;
    };
    expect([version, appVersion]).toEqual([packageJson.version, packageJson.version]);
  });
});

describe('values that cannot work are refused with the name of what is wrong', () => {
  test('and those that can are not', () => {
    const page = readFileSync(join(CHART, '../../docs/scaling.md'), 'utf8');
    const [, documented = ''] = /```yaml\n(image:[\s\S]*?)```/.exec(page) ?? [];
    const fromPage = Bun.YAML.parse(documented) as Record<string, unknown>;
    expect(fromPage).toMatchObject({ existingSecret: 'quire' });
    for (const values of [needed, everything, fromPage])
      expect(listValueFaults(mergeValues(values))).toEqual([]);
  });

  const settings = (more: object) => ({ ...needed, settings: { ...needed.settings, ...more } });
  test.each<[object, string]>([
    [{}, "settings: must have required property 'QUIRE_BASE_URL'"],
    [withoutSecrets, "secrets: must have required property 'QUIRE_SECRET'"],
    [{ ...needed, existingSecret: 'quire' }, 'secrets: must NOT have more than 0 properties'],
    [
      settings({ QUIRE_DRAIN_SECOND: '5' }),
      'settings: must NOT have additional properties (QUIRE_DRAIN_SECOND)',
    ],
    [
      settings({ QUIRE_SECRET: 'x'.repeat(32) }),
      'settings: must NOT have additional properties (QUIRE_SECRET)',
    ],
    [settings({ QUIRE_DATA: '/data' }), 'settings: must NOT have additional properties (QUIRE_DATA)'],
    [settings({ QUIRE_CLUSTER_SHARDS: 4 }), 'settings/QUIRE_CLUSTER_SHARDS: must be string'],
    [settings({ QUIRE_DRAIN_SECONDS: '10s' }), 'settings/QUIRE_DRAIN_SECONDS: must match pattern'],
    [settings({ QUIRE_BASE_URL: 'quire.example.com' }), 'settings/QUIRE_BASE_URL: must match pattern'],
    [
      { ...needed, secrets: { ...needed.secrets, QUIRE_SECRET: 'short' } },
      'secrets/QUIRE_SECRET: must NOT have fewer',
    ],
    [{ ...needed, secrets: { ...needed.secrets, S3_BUCKET: 'quire' } }, 'secrets: must NOT have additional'],
    [{ ...needed, replicas: 0 }, 'replicas: must be >= 1'],
    [{ ...needed, replica: 2 }, ': must NOT have additional properties (replica)'],
    [{ ...needed, image: { tag: 1.5 } }, 'image/tag: must be string'],
    [{ ...needed, seccompProfile: { type: 'None' } }, 'seccompProfile/type: must be equal to one of'],
    [{ ...needed, ingress: { enabled: 'yes' } }, 'ingress/enabled: must be boolean'],
  ])('%j', (values, message) => {
    expect(listValueFaults(mergeValues(values as Record<string, unknown>)).join('\n')).toContain(message);
  });
});
