import { z } from 'zod';
import { VendorFailure } from '../failures.ts';
import type { AspectRatio, ImageProvider, ImageRequest } from '../provider.ts';
import { fetchBytes, fetchJson } from '../vendor-fetch.ts';

/** The largest picture that is accepted. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

/** The largest response: a picture in base64, plus the JSON around it. */
const MAX_ANSWER_BYTES = Math.ceil((MAX_IMAGE_BYTES / 3) * 4) + 64 * 1024;

type Sizes = Record<AspectRatio, string>;

/** OpenAI's own models support only a few sizes, so we use the nearest one. */
const GPT_SIZES: Sizes = {
  '1:1': '1024x1024',
  '16:9': '1536x1024',
  '9:16': '1024x1536',
  '4:3': '1536x1024',
  '3:4': '1024x1536',
};
const DALL_E_SIZES: Sizes = {
  '1:1': '1024x1024',
  '16:9': '1792x1024',
  '9:16': '1024x1792',
  '4:3': '1792x1024',
  '3:4': '1024x1792',
};
/** Other models accept any size whose sides are multiples of 64. */
const COMMON_SIZES: Sizes = {
  '1:1': '1024x1024',
  '16:9': '1344x768',
  '9:16': '768x1344',
  '4:3': '1152x896',
  '3:4': '896x1152',
};

const Answer = z.object({
  data: z
    .array(z.object({ b64_json: z.base64().min(1) }).or(z.object({ url: z.url({ protocol: /^https?$/ }) })))
    .min(1),
});

interface OpenAiImagesSettings {
  url: string;
  key: string | undefined;
  model: string;
}

/** Any endpoint that is compatible with OpenAI's images API. */
export function createOpenAiImages({ url, key, model }: OpenAiImagesSettings): ImageProvider {
  const endpoint = `${url.replace(/\/+$/, '')}/images/generations`;
  return {
    async generate({ prompt, aspectRatio, signal, fetchExternal }) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        // No `response_format`: newer models reject it, and we support both response formats.
        body: JSON.stringify({ model, prompt, n: 1, size: chooseSizes(model)[aspectRatio] }),
        signal,
        // A redirect would take the key to another server.
        redirect: 'error' as const,
      };
      const answer = Answer.safeParse(await fetchJson(endpoint, init, MAX_ANSWER_BYTES));
      const picture = answer.data?.data[0];
      if (!picture) throw new VendorFailure("There is no picture in the vendor's answer.");
      if ('url' in picture) return download(picture.url, endpoint, { signal, fetchExternal });
      const bytes = Buffer.from(picture.b64_json, 'base64');
      if (bytes.byteLength > MAX_IMAGE_BYTES) throw new VendorFailure("The vendor's picture is too large.");
      return bytes;
    },
  };
}

/**
 * Downloads a picture. Only the vendor's own server, which the operator has chosen, may have an address that is not
 * public: a model on this machine has one.
 */
async function download(
  address: string,
  endpoint: string,
  { signal, fetchExternal }: Pick<ImageRequest, 'signal' | 'fetchExternal'>,
): Promise<Uint8Array> {
  if (new URL(address).origin === new URL(endpoint).origin)
    return fetchBytes(address, { signal, redirect: 'error' }, MAX_IMAGE_BYTES);
  const options = { signal, maxBytes: MAX_IMAGE_BYTES, accept: 'image/*' };
  const { status, bytes } = await fetchExternal(address, options).catch((error: Error) => {
    throw new VendorFailure(`The vendor's picture could not be read: ${error.message}.`);
  });
  if (status !== 200) throw new VendorFailure("The vendor's picture could not be read.", status);
  return bytes;
}

function chooseSizes(model: string): Sizes {
  if (/^(chat)?gpt-/.test(model)) return GPT_SIZES;
  return model.startsWith('dall-e') ? DALL_E_SIZES : COMMON_SIZES;
}
