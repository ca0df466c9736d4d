import { useEffect, useId, useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';

const SIZES = [48, 28, 18, 14];
const SAMPLE = t('The quick brown fox jumps over the lazy dog. 0123456789');

/** What a font looks like. */
export function FontSample({ bytes, onError }: { bytes: Blob; onError: () => void }) {
  const family = `sample-${useId()}`;
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let face: FontFace | undefined;
    let isGone = false;
    const load = async () => {
      // From bytes, not from a URL: a damaged font fails here and not silently.
      const loaded = await new FontFace(family, await bytes.arrayBuffer()).load();
      if (isGone) return;
      face = loaded;
      document.fonts.add(face);
      setReady(true);
    };
    load().catch(onError);
    return () => {
      isGone = true;
      if (face) document.fonts.delete(face);
    };
  }, [bytes]);
  if (!isReady) return null;
  return (
    <div class="page-font" style={{ fontFamily: `"${family}"` }}>
      {SIZES.map((size) => (
        <p key={size} style={{ fontSize: `${size}px` }}>
          {SAMPLE}
        </p>
      ))}
    </div>
  );
}
