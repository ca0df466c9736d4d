import { useState } from 'preact/hooks';
import { loadMe } from '../../session.ts';
import { Form, Section, say, TextField, useLoad } from '../../ui/index.ts';
import { hasImageProvider, makePreviewImage } from '../api.ts';
import { PagePicture } from '../list/picture.tsx';
import type { SettingsProps } from './apply.ts';

/** The picture that links to the page show. */
export function PictureSection({ page, onChange }: SettingsProps) {
  const [instructions, setInstructions] = useState('');
  const [isMaking, setMaking] = useState(false);
  const provider = useLoad(hasImageProvider, []);
  const make = async () => {
    setMaking(true);
    try {
      const wish = instructions.trim();
      const { imageUrl, message } = await makePreviewImage(page.id, {
        html: page.html_content,
        ...(wish && { customInstructions: wish }),
      });
      onChange({ ...page, preview_image: imageUrl });
      say(message);
      if (provider.value) await loadMe();
    } finally {
      setMaking(false);
    }
  };
  return (
    <Section title="Preview image" hint="What links to the page show in chats and on social sites.">
      <div class="page-image">
        <figure aria-busy={isMaking}>
          <PagePicture page={page} />
          <figcaption class="hint" aria-live="polite">
            {isMaking ? 'Making the picture…' : page.preview_image ? 'The picture now' : 'No picture yet'}
          </figcaption>
        </figure>
        <Form submit={page.preview_image ? 'Make a new one' : 'Make a picture'} onSubmit={make}>
          {provider.value && (
            <TextField
              label="Instructions"
              value={instructions}
              onInput={setInstructions}
              rows={3}
              maxLength={1000}
              placeholder="A quiet watercolour of an open book"
            />
          )}
          <p class="hint">{costOf(provider.value)}</p>
        </Form>
      </div>
    </Section>
  );
}

function costOf(hasProvider: boolean | undefined): string {
  if (hasProvider === undefined) return 'Made from the name and the text of the page.';
  return hasProvider
    ? 'Made by the image provider from the page and your instructions. Costs 4 of your credits; nothing when it fails.'
    : 'Free: no image provider is set up here, so the service draws a card from the name, description and colours of the page.';
}
