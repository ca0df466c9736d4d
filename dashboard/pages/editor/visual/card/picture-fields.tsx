import { useState } from 'preact/hooks';
import { relativePath } from '../../../../editor/files/index.ts';
import { t } from '../../../../texts/index.ts';
import { Button, Progress, TextField } from '../../../../ui/index.ts';
import { ChooseButton } from '../../../files/choose-button.tsx';
import { fileKind, isSvg } from '../../../files/kind.ts';
import { useUploads } from '../../files/use-uploads.ts';
import type { Selection } from '../selection.ts';
import type { VisualEditor } from '../visual-editor.ts';
import { PictureChoice } from './picture-choice.tsx';
import { useTyped } from './use-typed.ts';

const MAX_ADDRESS = 2_000;
const MAX_DESCRIPTION = 500;

interface PictureProps {
  visual: VisualEditor;
  picture: NonNullable<Selection['picture']>;
}

/** Another picture in the same place, and its description. */
export function PictureFields({ visual, picture: { id, src, alt } }: PictureProps) {
  const { work } = visual.surroundings;
  const [isChoosing, setChoosing] = useState(false);
  const [written, setWritten] = useState(/^data:/i.test(src) ? '' : src);
  const use = (address: string) => {
    setWritten(address);
    if (visual.change(`src-${id}`, { kind: 'picture', id, src: address })) visual.reload();
  };
  const usePath = (path: string) => use(relativePath(visual.path, path));
  const uploads = useUploads(work, ([path]) => path !== undefined && usePath(path));
  const description = useTyped(alt, (value) => {
    if (visual.change(`alt-${id}`, { kind: 'attribute', id, name: 'alt', value }))
      visual.send({ attribute: { id, name: 'alt', value } });
  });
  const pictures = work.paths().filter((path) => fileKind(path) === 'image' || isSvg(path));
  return (
    <div class="visual-fields">
      <div class="actions">
        <ChooseButton
          accept="image/*"
          disabled={uploads.sending !== undefined}
          onChoose={(chosen) => uploads.take(chosen, '', { isPasted: true })}
        >
          {t('Upload a picture')}
        </ChooseButton>
        {pictures.length > 0 && (
          <Button kind="quiet" onClick={() => setChoosing(!isChoosing)}>
            {t('Choose…')}
          </Button>
        )}
      </div>
      {uploads.sending && (
        <Progress label={uploads.sending.label} done={uploads.sending.sent} total={uploads.sending.total} />
      )}
      {uploads.failure && (
        <p class="fault" role="alert">
          {uploads.failure.message}
        </p>
      )}
      {isChoosing && (
        <PictureChoice pageId={visual.surroundings.pageId} paths={pictures} onChoose={usePath} />
      )}
      <TextField
        label={t('Address')}
        value={written}
        onInput={(typed) => (isSettled(typed) ? use(typed.trim()) : setWritten(typed))}
        maxLength={MAX_ADDRESS}
        placeholder="https://"
      />
      <TextField
        label={t('Description')}
        hint={t('For people who cannot see it. Empty if it only decorates.')}
        value={description.value}
        onInput={description.onInput}
        maxLength={MAX_DESCRIPTION}
      />
    </div>
  );
}

/** Not each key: what is typed on the way to an address is not a picture. */
const isSettled = (typed: string) =>
  /^(https:\/\/\S+\.\S{2,}\/\S+|data:image\/\S+)$/i.test(typed.trim()) ||
  /^[^:\s]+\.(png|jpe?g|gif|webp|avif|svg)$/i.test(typed.trim());
