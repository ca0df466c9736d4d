import type { Tool } from '../tools.ts';

/** A picture in a result, for models that can see. */
export interface PictureBlock {
  type: 'image';
  data: string;
  mimeType: 'image/png';
}

/** Bytes of a picture in a result. Larger ones are left out: clients refuse them, and the result has their URL. */
const MAX_PICTURE_BYTES = 4 * 1024 * 1024;

/** Reads the picture that the response of a tool names, if any, through the service's own routes. */
export async function readPicture(
  tool: Tool,
  response: Response,
  read: (path: string) => Promise<Response>,
): Promise<PictureBlock[]> {
  if (!tool.findPicture || !response.ok) return [];
  const url = tool.findPicture((await response.json()) as Record<string, unknown>);
  if (url === undefined) return [];
  const found = await read(new URL(url).pathname);
  const bytes = found.ok ? await found.bytes() : undefined;
  if (!bytes || bytes.length > MAX_PICTURE_BYTES) return [];
  return [{ type: 'image', data: Buffer.from(bytes).toString('base64'), mimeType: 'image/png' }];
}
