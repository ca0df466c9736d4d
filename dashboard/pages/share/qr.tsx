import { useMemo } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, saveFile } from '../../ui/index.ts';
import { makeQrCode, toPngFile, toSvgFile } from './qr-code.ts';

/** The QR code of the page, to scan from this screen or to print. */
export function QrCode({ address, name }: { address: string; name: string }) {
  const code = useMemo(() => makeQrCode(address), [address]);
  return (
    <section class="share-qr" aria-label={t('QR code')}>
      <svg
        viewBox={`0 0 ${code.size} ${code.size}`}
        role="img"
        aria-label={t('QR code of {address}', { address })}
        shape-rendering="crispEdges"
      >
        <path d={code.path} />
      </svg>
      <div>
        <h3>{t('Scan it with a phone')}</h3>
        <p class="hint">{t('Or print it for a door, a table or a poster.')}</p>
        <div class="share-files">
          <Button
            kind="bare"
            icon="download"
            label={t('Download the QR code as PNG')}
            onClick={async () => saveFile(`${name}.png`, await toPngFile(code))}
          >
            PNG
          </Button>
          <Button
            kind="bare"
            icon="download"
            label={t('Download the QR code as SVG')}
            onClick={() => saveFile(`${name}.svg`, toSvgFile(code))}
          >
            SVG
          </Button>
        </div>
      </div>
    </section>
  );
}
