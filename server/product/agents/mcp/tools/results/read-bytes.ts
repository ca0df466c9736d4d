import { isTextType } from '../../../../../../contract/rules/file-types.ts';
import { trimTrailing } from '../../../../../lib/text.ts';

/** The bytes of a file as a tool returns them. */
export interface FileContent {
  type: string;
  size: number;
  /** The text of a text file. */
  content?: string;
  /** The bytes of any other file. */
  content_base64?: string;
}

export async function readBytes(response: Response): Promise<FileContent> {
  const type = response.headers.get('content-type') ?? '';
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = isTextType(type) ? decodeText(bytes) : undefined;
  const content = text === undefined ? { content_base64: bytes.toString('base64') } : { content: text };
  return { type, size: bytes.length, ...content };
}

/** Bytes as text. Undefined if they are not UTF-8, whatever the name of the file says. */
export function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes of a text in base64. Undefined if it is not base64: `Buffer` ignores other characters. */
export function decodeBase64(given: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Buffer.from(given, 'base64');
  return bytes.toString('base64').replaceAll('=', '') === trimTrailing(given, '=')
    ? new Uint8Array(bytes)
    : undefined;
}
