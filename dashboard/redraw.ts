import { signal } from '@preact/signals';
import { loadErrorTexts, whenMissing } from './texts/index.ts';

const areHere = signal(false);

/** What shows a sentence of the service in English is drawn again when its translation is here. */
export function redrawWithErrorTexts(): void {
  whenMissing(() => {
    if (areHere.value) return;
    void loadErrorTexts().then((isLoaded) => {
      areHere.value = isLoaded;
    });
  });
}
