import { z } from 'zod';
import { isTextType } from '../../../../../contract/rules/file-types.ts';

/** The bytes of a file as a tool returns them. */
export const FileContent = z.object({
  type: z.string(),
  size: z.int(),
  content: z.string().optional().meta({ description: 'The text of a text file.' }),
  content_base64: z.string().optional().meta({ description: 'The bytes of any other file.' }),
});

export async function readBytes(response: Response): Promise<z.infer<typeof FileContent>> {
  const type = response.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = isTextType(type) ? decodeText(bytes) : undefined;
  const content = text === undefined ? { content_base64: bytes.toString('base64') } : { content: text };
  return { type, size: bytes.length, ...content };
}

/** Bytes as text. Undefined if they are not UTF-8, whatever the name of the file says. */
function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
