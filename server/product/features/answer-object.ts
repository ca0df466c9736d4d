import { findInputFaults } from '../../../contract/agents/input-faults.ts';
import { parseJson } from '../../lib/json.ts';
import { FeatureError } from './feature-error.ts';

const FENCE = '```';

type Fields = Record<string, unknown>;

/** The answer of a model is not what the caller's schema describes. Nobody pays for it. */
export class UnfitAnswer extends FeatureError {
  constructor(what: string) {
    const message = `${what} Nothing was charged. Try again, raise maxTokens, or relax response_format.`;
    super(502, { error: 'provider_error', message });
  }
}

/** Reads what was to be a JSON object that fits a schema. Models put it into a block of code sometimes. */
export function parseAnswer(content: string, schema: Fields): Fields {
  const value = parseObject(content);
  const [fault] = findInputFaults(schema, value);
  if (fault) {
    const { path, message } = fault;
    throw new UnfitAnswer(
      `The answer of the model does not fit response_format: ${path === '' ? 'it' : path} ${message}.`,
    );
  }
  return value;
}

function parseObject(content: string): Fields {
  try {
    const value = parseJson(Buffer.from(withoutFence(content.trim())), { rounds: true });
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // The caller cannot repair what the model wrote.
  }
  throw new UnfitAnswer('The answer of the model is not a JSON object, or was cut off.');
}

/** No regular expression: a prompt can make a model write so many spaces that one takes minutes. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < 2 * FENCE.length) return text;
  return text.slice(FENCE.length, -FENCE.length).replace(/^json/, '');
}
