import { jsonInit, request } from '../api.ts';
import { streamChat } from './chat-stream.ts';
import type { Permission } from './permission.ts';

type Options = { signal?: AbortSignal | undefined };

export function createPageFeatures(
  { api }: { api: string },
  permission: Pick<Permission, 'run'>,
): Quire.PageFeatures {
  /** Calls a feature, and asks the visitor to log in or to consent if needed. */
  function ask(path: string, fields: object, signal?: AbortSignal): Promise<Response> {
    return permission.run(() => request(`${api}/page-api-${path}`, jsonInit('POST', fields, signal)), signal);
  }

  async function askJson<T>(path: string, { signal, ...fields }: Options): Promise<T> {
    return (await ask(path, fields, signal)).json() as Promise<T>;
  }

  function chat(options: Quire.ChatOptions & { stream: true }): ReturnType<typeof streamChat>;
  function chat(options: Quire.ChatOptions): Promise<Quire.ChatAnswer>;
  function chat(options: Quire.ChatOptions) {
    const { signal, ...fields } = options;
    if (!options.stream) return askJson<Quire.ChatAnswer>('ai', options);
    return streamChat((stopped) => ask('ai', fields, stopped), signal);
  }

  return {
    chat,
    async models() {
      const response = await request(`${api}/page-api-models`, {});
      return ((await response.json()) as { models: Quire.ChatModel[] }).models;
    },
    generateImage: (options) =>
      askJson('image-gen', typeof options === 'string' ? { prompt: options } : options),
    searchImages: (options) =>
      askJson('image-search', typeof options === 'string' ? { query: options } : options),
    async recognizeImage({ image, ...options }) {
      return askJson('image-recognition', { ...options, ...(image && (await encode(image))) });
    },
    spawn: (options) => askJson('spawn', options),
  };
}

/** Encodes an image as the service expects it. */
async function encode(image: Blob): Promise<{ image_base64: string; mime_type?: string }> {
  const bytes = new Uint8Array(await image.arrayBuffer());
  let binary = '';
  // Encoded in pieces, because the number of arguments of a call is limited.
  for (let at = 0; at < bytes.length; at += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return { image_base64: btoa(binary), ...(image.type && { mime_type: image.type }) };
}
