/** The width and height of a PNG. */
export function sizeOfPng(png: Uint8Array): [number, number] {
  if (Buffer.from(png.subarray(1, 4)).toString() !== 'PNG') throw new Error('not a PNG');
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}
