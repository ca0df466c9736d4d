import { parseJson } from '../../lib/json.ts';
import { ProviderError } from '../../platform/providers/index.ts';

const FENCE = '```';

/** Reads what was to be a JSON object. Models put it into a block of code sometimes. */
export function parseObject(content: string): Record<string, unknown> {
  try {
    const value = parseJson(Buffer.from(withoutFence(content.trim())), { rounds: true });
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The caller cannot repair what the model wrote.
  }
  throw new ProviderError(
    'failed',
    'The model did not answer in the requested format. Try again, or raise maxTokens.',
  );
}

/** No regular expression: a prompt can make a model write so many spaces that one takes minutes. */
function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < 2 * FENCE.length) return text;
  return text.slice(FENCE.length, -FENCE.length).replace(/^json/, '');
}
