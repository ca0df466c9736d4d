import { z } from 'zod';
import { VendorFailure } from '../failures.ts';
import type { EmbeddingProvider } from '../provider.ts';
import { estimateTokens, readFigure } from '../usage.ts';
import { fetchJson } from '../vendor-fetch.ts';

/** The most numbers of a vector: more than any model has. */
const MAX_DIMENSIONS = 8_192;
/** A hundred vectors of usual models have a quarter of this. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

const Answer = z.object({
  data: z.array(z.object({ index: z.int(), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) })),
  usage: z.object({ prompt_tokens: z.unknown() }).optional().catch(undefined),
});

interface Settings {
  url: string;
  key: string | undefined;
  model: string;
}

/** Any endpoint that is compatible with OpenAI's embeddings API: also Ollama and llama.cpp. */
export function createEmbeddings({ url, key, model }: Settings): EmbeddingProvider {
  const endpoint = `${url.replace(/\/+$/, '')}/embeddings`;
  return {
    async embed({ texts, signal }) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
        signal,
        // A redirect would take the key to another server.
        redirect: 'error' as const,
      };
      const { data: answer } = Answer.safeParse(await fetchJson(endpoint, init, MAX_ANSWER_BYTES));
      const vectors = answer?.data.toSorted((one, other) => one.index - other.index);
      const length = vectors?.[0]?.embedding.length;
      const isSound =
        vectors?.length === texts.length &&
        vectors.every(({ index, embedding }, place) => index === place && embedding.length === length);
      if (!vectors || !isSound) throw new VendorFailure('The vendor did not answer with one vector a text.');
      const tokens = readFigure(answer?.usage?.prompt_tokens) ?? estimateTokens(texts.join(''));
      return { vectors: vectors.map(({ embedding }) => embedding), tokens };
    },
  };
}
