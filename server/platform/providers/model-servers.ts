import { z } from 'zod';
import type { ModelServers } from '../../../contract/admin/connections.ts';
import { MAX_LISTED_MODELS, MAX_MODEL_NAME } from '../../../contract/rules/provider-kinds.ts';
import { fetchJson } from './vendor-fetch.ts';

type ModelServer = ModelServers['servers'][number];

/** Programs that serve models, and the ports they have unless somebody changes them. */
const USUAL_PORTS: [name: string, port: number][] = [
  ['Ollama', 11434],
  ['LM Studio', 1234],
  ['llama.cpp', 8080],
  ['vLLM', 8000],
];

/** A server on the same machine answers at once. */
const LOCAL_MS = 1_000;
const MAX_LIST_BYTES = 512 * 1024;

const Models = z.object({ data: z.array(z.object({ id: z.string().min(1).max(MAX_MODEL_NAME) })) });

/** Finds the model servers on this machine. It asks only its own loopback address, at these ports. */
export async function findModelServers(ports = USUAL_PORTS): Promise<ModelServer[]> {
  const found = await Promise.all(
    ports.map(async ([name, port]): Promise<ModelServer[]> => {
      const url = `http://127.0.0.1:${port}/v1`;
      const models = await listModels({ url, signal: AbortSignal.timeout(LOCAL_MS) });
      return models ? [{ name, url, models }] : [];
    }),
  );
  return found.flat();
}

/** The models of a server with an OpenAI-compatible API. Undefined if it does not say. */
export async function listModels(options: {
  url: string;
  key?: string | undefined;
  headers?: Record<string, string>;
  signal: AbortSignal;
}): Promise<string[] | undefined> {
  const { url, key, signal } = options;
  const headers = {
    accept: 'application/json',
    ...(key && { authorization: `Bearer ${key}` }),
    ...options.headers,
  };
  const init = { headers, signal, redirect: 'error' as const };
  const answer = await fetchJson(`${url.replace(/\/+$/, '')}/models`, init, MAX_LIST_BYTES).catch(
    () => undefined,
  );
  const { data } = Models.safeParse(answer);
  return data && [...new Set(data.data.map(({ id }) => id))].slice(0, MAX_LISTED_MODELS);
}
