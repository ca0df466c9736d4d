import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Schema } from '../../../server/sites/docs-site/index.ts';
import { type Document, follow, listOperations, type Media, type Operation } from './document.ts';
import type { Sent } from './request.ts';

/** A received response. */
export interface Got {
  status: number;
  headers: Headers;
  text: string;
  /** For a stream, the data of each event that was read. */
  events?: unknown[];
}

/** Returns what is wrong with a response, or undefined. */
export type Check = (sent: Sent, got: Got) => string | undefined;

const BODILESS = new Set([204, 205, 301, 302, 303, 304, 416]);
/** Server errors that are declared and expected. */
const HONEST_FAILURES = new Set([501, 503, 507]);

export function createCheck(original: Document): Check {
  const document = closed(original);
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'api', ...(document as object) });
  const operations = listOperations(document).map((each) => ({
    ...each,
    matches: new RegExp(`^${each.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>();

  function findFault(schema: Schema, value: unknown): string | undefined {
    const known = compiled.get(schema);
    const validate = known ?? ajv.compile(absolute(schema));
    if (!known) compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  }

  function bodyFault(media: Media, got: Got, type: string): string | undefined {
    if (got.events) {
      const { 'x-event-data': data } = media;
      if (!data) return 'events come that are not described';
      for (const event of got.events) {
        const fault = findFault(data, event);
        if (fault) return `event ${JSON.stringify(event).slice(0, 200)}: ${fault}`;
      }
      return undefined;
    }
    if (type !== 'application/json') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(got.text);
    } catch {
      return 'the body is not JSON';
    }
    return findFault(media.schema, value);
  }

  function answerFault({ responses }: Operation, got: Got): string | undefined {
    const found = responses[got.status] ?? responses.default;
    if (!found) return `the status ${got.status} is not declared`;
    const { content = {}, headers = {} } = follow(document, found);
    for (const name of Object.keys(headers)) {
      // Other headers are optional, such as Location.
      if ((got.status === 429 || name === 'X-Request-Id') && !got.headers.has(name))
        return `${name} is missing`;
    }
    if (BODILESS.has(got.status)) return got.text === '' ? undefined : 'there is a body';
    const type = got.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    const media = content[type] ?? content['*/*'];
    if (!media) return `the media type ${JSON.stringify(type)} is not declared with ${got.status}`;
    return bodyFault(media, got, type);
  }

  return (sent, got) => {
    const isOurs = sent.operation.operationId !== 'callFunction';
    if (isOurs && got.status >= 500 && !HONEST_FAILURES.has(got.status)) return `the status is ${got.status}`;
    if (!got.headers.has('x-request-id')) return 'X-Request-Id is missing';
    if (sent.method === 'OPTIONS') return undefined;
    const { path } = sent.operation;
    // With another method the path may belong to another operation.
    const asked = operations.filter(({ method }) => method === sent.method);
    const operation =
      asked.find((each) => each.path === path) ?? asked.find(({ matches }) => matches.test(path));
    if (operation) return answerFault(operation, got);
    if (got.status !== 405) return `the status is ${got.status}, and not 405`;
    if (!got.headers.has('allow')) return 'Allow is missing';
    return path.startsWith('/api/')
      ? findFault({ $ref: '#/components/schemas/Error' }, JSON.parse(got.text))
      : undefined;
  };
}

/** References point into the document, wherever the schema is compiled. */
function absolute(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/')) as Schema;
}

/** A copy in which a response cannot have a field that is not described. */
function closed(document: Document): Document {
  const copy = structuredClone(document);
  const visit = (value: unknown, isPart: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const schema = value as Schema;
    if (
      schema.type === 'object' &&
      schema.properties &&
      schema.additionalProperties === undefined &&
      !isPart
    ) {
      schema.additionalProperties = false;
    }
    for (const [key, inner] of Object.entries(value))
      visit(inner, key === 'allOf' || (isPart && Array.isArray(value)));
  };
  visit(copy.components.schemas, false);
  for (const methods of Object.values(copy.paths)) {
    for (const { responses } of Object.values(methods)) visit(responses, false);
  }
  return copy;
}
