import { describe, expect, test } from 'bun:test';
import { ConfigError, readConfig } from './config.ts';

describe('without settings', () => {
  const config = readConfig({});

  test('serves on localhost:3000, with pages on their own hosts', () => {
    expect(config.baseUrl).toBe('http://localhost:3000');
    expect([config.isolation, config.pagesHost]).toEqual(['origin', 'pages.localhost:3000']);
    expect(config.dataFolder).toEndWith('/data');
  });

  test('uses the demo providers, and administrators can connect others', () => {
    expect(config.ai.provider).toBe('demo');
    expect(config.images.url).toBeUndefined();
    expect(config.imageSearch.provider).toBe('openverse');
    expect(config.isSetByEnvironment).toEqual({ chat: false, images: false, 'image-search': false });
    expect(config.creditsForNewUser).toBeUndefined();
  });
});

test.each([
  [{ QUIRE_BASE_URL: 'http://192.0.2.1:3000' }, 'sandbox', undefined],
  [{ QUIRE_BASE_URL: 'https://quire.example.com' }, 'sandbox', undefined],
  [
    { QUIRE_BASE_URL: 'https://quire.example.com', QUIRE_PAGES_HOST: 'Pages.Example.com' },
    'origin',
    'pages.example.com',
  ],
  [{ QUIRE_BASE_URL: 'http://quire.test:8080', QUIRE_PAGES_HOST: 'p.test' }, 'origin', 'p.test:8080'],
  [{ QUIRE_BASE_URL: 'http://quire.test:8080', QUIRE_PAGES_HOST: 'p.test:9090' }, 'origin', 'p.test:9090'],
  [{ QUIRE_ISOLATION: 'sandbox' }, 'sandbox', undefined],
  [{ QUIRE_ISOLATION: 'trusted' }, 'trusted', undefined],
  [{ PORT: '8080' }, 'origin', 'pages.localhost:8080'],
])('%o means %s isolation', (settings, isolation, pagesHost) => {
  const config = readConfig(settings as unknown as Record<string, string>);
  expect([config.isolation, config.pagesHost]).toEqual([isolation, pagesHost] as unknown as [
    typeof config.isolation,
    string,
  ]);
});

test('what the environment sets cannot be changed by administrators', () => {
  const real = {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: 'http://10.0.0.1/v1',
    QUIRE_AI_MODEL: 'm',
  };
  expect(readConfig(real).isSetByEnvironment).toEqual({ chat: true, images: false, 'image-search': false });
  const search = { QUIRE_IMAGE_SEARCH_URL: 'http://10.0.0.1/' };
  expect(readConfig(search).isSetByEnvironment['image-search']).toBe(true);
  expect(readConfig({ ...real, QUIRE_CREDITS_NEW_USER: '5' }).creditsForNewUser).toBe(5);
});

test('names all invalid settings in one message', () => {
  const wrong = {
    PORT: 'abc',
    QUIRE_BASE_URL: 'https://quire.example.com/path',
    QUIRE_ISOLATION: 'none',
    QUIRE_TRUSTED_PROXIES: '10.0.0.0/8,nonsense',
    QUIRE_QUOTA_PAGES: '-1',
    QUIRE_SECRET: 'short',
    DATABASE_URL: 'mysql://x',
    QUIRE_AI_URL: 'ftp://x',
    REDIS_URL: 'http://x',
    S3_ENDPOINT: 'x',
    QUIRE_CLUSTER_ADDRESS: 'node-1',
    QUIRE_CLUSTER_SHARDS: '0',
  };
  const read = () => readConfig(wrong);
  expect(read).toThrow(ConfigError);
  for (const name of Object.keys(wrong)) expect(read).toThrow(name);
});

test.each([
  [{ QUIRE_AI_PROVIDER: 'anthropic' }, 'QUIRE_AI_KEY'],
  [{ QUIRE_AI_PROVIDER: 'openai-compatible' }, 'QUIRE_AI_URL'],
  [{ QUIRE_IMAGE_URL: 'http://x' }, 'QUIRE_IMAGE_MODEL'],
  [{ S3_BUCKET: 'b' }, 'S3_SECRET_ACCESS_KEY'],
  [{ QUIRE_CLUSTER_ADDRESS: '10.0.0.1:7000' }, 'DATABASE_URL'],
  [{ QUIRE_CLUSTER_ADDRESS: '10.0.0.1:7000' }, 'REDIS_URL'],
  [{ QUIRE_CLUSTER_ADDRESS: '10.0.0.1:7000' }, 'S3_BUCKET'],
  [{ QUIRE_CLUSTER_ADDRESS: '10.0.0.1:7000' }, 'QUIRE_SECRET'],
  [{ QUIRE_ISOLATION: 'origin', QUIRE_BASE_URL: 'http://192.0.2.1' }, 'QUIRE_PAGES_HOST'],
])('%o requires %s', (settings, missing) => {
  expect(() => readConfig(settings as unknown as Record<string, string>)).toThrow(missing);
});

test('an empty setting counts as not set', () => {
  expect(readConfig({ PORT: '', QUIRE_PAGES_HOST: '' }).port).toBe(3000);
});

const CLUSTER = {
  QUIRE_CLUSTER_ADDRESS: '10.0.0.1:7000',
  DATABASE_URL: 'postgres://x/y',
  REDIS_URL: 'redis://x',
  S3_BUCKET: 'b',
  S3_ACCESS_KEY_ID: 'k',
  S3_SECRET_ACCESS_KEY: 's',
  QUIRE_SECRET: 'x'.repeat(32),
};

test('every shard of a node has a port', () => {
  const at = (port: number) => ({
    ...CLUSTER,
    QUIRE_CLUSTER_ADDRESS: `[fd00::1]:${port}`,
    QUIRE_CLUSTER_SHARDS: '4',
  });
  expect(readConfig(at(65_532)).cluster?.address).toBe('[fd00::1]:65532');
  expect(() => readConfig(at(65_533))).toThrow('the last port would be 65536');
  const withTls = (port: number) => readConfig({ ...at(port), QUIRE_CLUSTER_TLS: 'on' }).cluster?.hasTls;
  expect(withTls(65_531)).toBeTrue();
  expect(() => withTls(65_532)).toThrow('the last port would be 65536');
});

test('TLS is for the nodes of a cluster, at an address that others can reach', () => {
  expect(readConfig(CLUSTER).cluster?.hasTls).toBeFalse();
  expect(() => readConfig({ QUIRE_CLUSTER_TLS: 'on' })).toThrow('QUIRE_CLUSTER_ADDRESS: must be set');
  for (const host of ['0.0.0.0', '[::]'])
    expect(() =>
      readConfig({ ...CLUSTER, QUIRE_CLUSTER_TLS: 'on', QUIRE_CLUSTER_ADDRESS: `${host}:7000` }),
    ).toThrow('must be an address at which the other nodes reach this one');
});

describe('the drain time', () => {
  test.each([
    ['0 on one machine', {}, 0],
    ['five seconds in a cluster', CLUSTER, 5_000],
    ['the given value', { ...CLUSTER, QUIRE_DRAIN_SECONDS: '0' }, 0],
    ['at most ten minutes', { QUIRE_DRAIN_SECONDS: '600' }, 600_000],
  ])('is %s', (_, settings, milliseconds) => {
    expect(readConfig(settings).drainMs).toBe(milliseconds);
  });

  test('cannot be longer than ten minutes', () => {
    expect(() => readConfig({ QUIRE_DRAIN_SECONDS: '601' })).toThrow('QUIRE_DRAIN_SECONDS');
  });
});

test('metrics can be read from this machine unless others are named', () => {
  expect(readConfig({}).metricsAllow).toEqual(['127.0.0.0/8', '::1/128']);
  expect(readConfig({ QUIRE_METRICS_ALLOW: '10.0.0.5' }).metricsAllow).toEqual(['10.0.0.5']);
});

test('a quota of 0 means no limit, as for rates', () => {
  const none = { QUIRE_QUOTA_PAGES: '0', QUIRE_QUOTA_FUNCTIONS: '0', QUIRE_QUOTA_BYTES: '0' };
  const { pages, functions, bytes } = readConfig(none).quotas;
  expect([pages, functions, bytes]).toEqual([Infinity, Infinity, Infinity]);
});

const OIDC = { QUIRE_OIDC_CLIENT_ID: 'quire', QUIRE_OIDC_CLIENT_SECRET: 'secret' };

test.each([
  ['https://login.example.com', 'login.example.com'],
  ['https://login.example.com/realms/school', 'login.example.com'],
  ['http://localhost:8080', 'localhost'],
])('accepts %s as the provider of single sign-on, and names it after its host', (issuer, name) => {
  expect(readConfig({ ...OIDC, QUIRE_OIDC_ISSUER: issuer }).oidc).toMatchObject({ issuer, name });
});

test.each([
  ['http://login.example.com', 'must start with https://'],
  ['https://login.example.com/.well-known/openid-configuration', 'must be the issuer alone'],
  ['login.example.com', 'must be a URL'],
])('does not accept %s as the provider of single sign-on', (issuer, message) => {
  expect(() => readConfig({ ...OIDC, QUIRE_OIDC_ISSUER: issuer })).toThrow(message);
});

const AGE_KEY = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p';

test.each([
  [{}, { schedule: undefined, keep: { count: 10, days: undefined }, recipients: [], folder: undefined }],
  [{ QUIRE_BACKUP_KEEP: '1' }, { keep: { count: 1, days: undefined } }],
  [{ QUIRE_BACKUP_KEEP: '60, 3650d' }, { keep: { count: 60, days: 3650 } }],
  [{ QUIRE_BACKUP_KEY: `${AGE_KEY}, ${AGE_KEY}` }, { recipients: [AGE_KEY, AGE_KEY] }],
  [{ QUIRE_BACKUP_FOLDER: '/var/backups/quire' }, { folder: '/var/backups/quire' }],
])('reads how to back up from %o', (settings, backups) => {
  expect(readConfig(settings as Record<string, string>).backups).toMatchObject(backups);
});

test.each([
  ['QUIRE_BACKUP_KEEP', '0'],
  ['QUIRE_BACKUP_KEEP', '61'],
  ['QUIRE_BACKUP_KEEP', '7,3651d'],
  ['QUIRE_BACKUP_KEEP', '7,30'],
  ['QUIRE_BACKUP_KEEP', '30d'],
  ['QUIRE_BACKUP_KEY', 'AGE-SECRET-KEY-1QQQ'],
  ['QUIRE_BACKUP_KEY', `${AGE_KEY}, age1`],
  ['QUIRE_BACKUP_SCHEDULE', 'every night'],
  ['QUIRE_BACKUP_SCHEDULE', '0 3 * *'],
])('%s cannot be %s', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name}: must`);
});

test('backups of a cluster are in its bucket', () => {
  expect(() => readConfig({ ...CLUSTER, QUIRE_BACKUP_FOLDER: '/tmp' })).toThrow('QUIRE_BACKUP_FOLDER');
});

test('a setting with a few values names them, and one that is not a URL is named once', () => {
  expect(() => readConfig({ QUIRE_ISOLATION: 'x', QUIRE_BASE_URL: 'x' })).toThrow(
    [
      'These settings are invalid:',
      '  QUIRE_BASE_URL: must be a URL such as https://quire.example.com',
      '  QUIRE_ISOLATION: must be one of auto, origin, sandbox, trusted',
    ].join('\n'),
  );
});

test('needs the ID and the secret of the provider of single sign-on', () => {
  expect(() => readConfig({ QUIRE_OIDC_ISSUER: 'https://login.example.com' })).toThrow(
    'QUIRE_OIDC_CLIENT_SECRET',
  );
});

test.each([
  'mail.example.com',
  'http://mail.example.com',
  'smtp://',
  'smtp://:25',
  'smtp://a:50%@mail.example.com',
])('%s is not the URL of a mail server, and is not repeated', (url) => {
  const read = () => readConfig({ QUIRE_SMTP_URL: url });
  expect(read).toThrow('QUIRE_SMTP_URL: must be a URL such as smtp://');
  expect(read).not.toThrow('50%');
});

test('the sender of mail is at the host of the base URL, unless it is set', () => {
  const settings = { QUIRE_SMTP_URL: 'smtp://mail', QUIRE_BASE_URL: 'https://quire.example.com' };
  expect(readConfig(settings).mail?.from).toBe('Quire <quire@quire.example.com>');
  expect(readConfig({ ...settings, QUIRE_MAIL_FROM: 'a@b.example' }).mail?.from).toBe('a@b.example');
  expect(() => readConfig({ ...settings, QUIRE_MAIL_FROM: 'a@b.example\r\nBcc: c@d.example' })).toThrow(
    'QUIRE_MAIL_FROM',
  );
  expect(readConfig({}).mail).toBeUndefined();
});

describe('traces', () => {
  const on = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

  test('are off without a collector', () => {
    expect(readConfig({ OTEL_TRACES_SAMPLER_ARG: '1', OTEL_SERVICE_NAME: 'mine' }).traces).toBeUndefined();
  });

  test('are of one request in a hundred, unless something else is set', () => {
    expect(readConfig(on).traces).toMatchObject({
      url: 'http://localhost:4318/v1/traces',
      headers: {},
      ratio: 0.01,
      resource: { 'service.name': 'quire' },
    });
    const endpoint = 'https://collector.example.com/otlp/';
    const set = {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_TRACES_SAMPLER_ARG: '0',
      OTEL_SERVICE_NAME: 'a b',
    };
    expect(readConfig(set).traces).toMatchObject({
      url: 'https://collector.example.com/otlp/v1/traces',
      ratio: 0,
      resource: { 'service.name': 'a b' },
    });
  });

  test('have the headers that are set, decoded', () => {
    const headers = (text: string) => readConfig({ ...on, OTEL_EXPORTER_OTLP_HEADERS: text }).traces?.headers;
    expect(headers('Authorization=Bearer%20a%2Cb, x-empty= ,')).toEqual({
      authorization: 'Bearer a,b',
      'x-empty': '',
    });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@localhost:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4318/?token=a'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.01'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'always'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'no value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=b%0d%0ax-other: c'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=%zz'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c'],
  ])('%s cannot be %s', (name, value) => {
    const read = () => readConfig({ ...on, [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`${name}: must`);
  });
});
