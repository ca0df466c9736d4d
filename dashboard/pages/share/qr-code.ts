import { encode } from 'uqr';

/** Empty modules around the code, which scanners need. */
const QUIET = 4;
/** Pixels per module of a PNG: enough for a poster. */
const PNG_SCALE = 24;

/** A QR code as one path of an SVG, on a grid of `size` by `size`. */
interface QrCode {
  size: number;
  path: string;
}

/** Makes the QR code of an address. Every run of dark modules is one rectangle. */
export function makeQrCode(address: string): QrCode {
  // With this level, a scanner can read a code of which about 15 % is damaged or covered.
  const { data, size } = encode(address, { ecc: 'M', border: QUIET });
  let path = '';
  for (const [y, row] of data.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x]) x++;
      path += `M${start} ${y}h${x - start}v1H${start}z`;
    }
  }
  return { size, path };
}

/** The code as a file, dark on white whatever the look of the dashboard is. */
export function toSvgFile({ size, path }: QrCode): Blob {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="512" height="512" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`;
  return new Blob([svg], { type: 'image/svg+xml' });
}

export function toPngFile({ size, path }: QrCode): Promise<Blob> {
  const canvas = new OffscreenCanvas(size * PNG_SCALE, size * PNG_SCALE);
  const brush = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  brush.scale(PNG_SCALE, PNG_SCALE);
  brush.fillStyle = '#fff';
  brush.fillRect(0, 0, size, size);
  brush.fillStyle = '#000';
  brush.fill(new Path2D(path));
  return canvas.convertToBlob({ type: 'image/png' });
}
