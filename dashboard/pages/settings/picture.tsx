import { useState } from 'preact/hooks';
import type { PreviewBody } from '../../../contract/features/features.ts';
import { MAX_PREVIEW_INSTRUCTIONS } from '../../../contract/rules/limits.ts';
import { loadMe } from '../../session.ts';
import { t } from '../../texts/index.ts';
import { Button, Form, PagePicture, Section, say, TextField, useLoad } from '../../ui/index.ts';
import { checkPage, hasImageProvider, makePreviewImage } from '../api.ts';
import type { SettingsProps } from './apply.ts';

/** Makes the preview image of the page, in two ways. */
function useMaking({ page, onChange }: SettingsProps) {
  const [isMaking, setMaking] = useState(false);
  const make = async (prepare: () => Promise<PreviewBody>) => {
    setMaking(true);
    try {
      const { imageUrl } = await makePreviewImage(page.id, await prepare());
      onChange({ ...page, preview_image: imageUrl });
      say(t('Links to the page now show this picture.'));
    } finally {
      setMaking(false);
    }
  };
  return {
    isMaking,
    generate: (wish: string) =>
      make(async () => ({ html: page.html_content, ...(wish && { customInstructions: wish }) })),
    takeScreenshot: () =>
      make(async () => {
        const { screenshot } = await checkPage(page.id, {});
        if (!screenshot)
          throw new Error(t('The page could not be drawn. Check it in the editor to see why.'));
        return { source: 'screenshot' };
      }),
  };
}

/** The preview image of the page. */
export function PictureSection({ page, onChange }: SettingsProps) {
  const [instructions, setInstructions] = useState('');
  const { isMaking, generate, takeScreenshot } = useMaking({ page, onChange });
  const provider = useLoad(hasImageProvider, []);
  const submit = async () => {
    await generate(instructions.trim());
    if (provider.value) await loadMe();
  };
  return (
    <Section
      id="picture"
      title={t('Preview image')}
      hint={t('Shown with links to the page in chats and on social media.')}
    >
      <div class="page-image">
        <figure aria-busy={isMaking}>
          <PagePicture page={{ name: page.name, preview_image: page.preview_image }} />
          <figcaption class="hint" aria-live="polite">
            {isMaking ? t('Generating image…') : page.preview_image ? t('Current image') : t('No image yet')}
          </figcaption>
        </figure>
        <Form
          submit={page.preview_image ? t('Generate new image') : t('Generate image')}
          onSubmit={submit}
          aside={
            page.is_published && (
              <Button kind="quiet" onClick={takeScreenshot}>
                {t('Use a screenshot')}
              </Button>
            )
          }
        >
          {provider.value && (
            <TextField
              label={t('Instructions')}
              value={instructions}
              onInput={setInstructions}
              rows={3}
              maxLength={MAX_PREVIEW_INSTRUCTIONS}
              placeholder={t('A quiet watercolor of an open book')}
            />
          )}
          <p class="hint">{describeCost(provider.value)}</p>
        </Form>
      </div>
    </Section>
  );
}

function describeCost(hasProvider: boolean | undefined): string {
  if (hasProvider === undefined) return t('Generated from the name and the text of the page.');
  return hasProvider
    ? t(
        'The image provider generates it from the page and your instructions. Costs 4 of your credits, or nothing if it fails.',
      )
    : t(
        'Free. This server has no image provider, so it draws a card with the name, description and colors of the page.',
      );
}
