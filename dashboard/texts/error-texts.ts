let loading: Promise<unknown> | undefined;

/**
 * Loads what errors and the service's own sentences say in the language of the person. The first screen needs none of
 * them, so they do not delay it. English needs no file.
 */
export function loadErrorTexts(): Promise<unknown> {
  const file = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="error-texts"]')?.content;
  // Without the file, errors are in English, which is better than to say nothing.
  loading ??= file
    ? import(file).catch(() => {
        loading = undefined;
      })
    : Promise.resolve();
  return loading;
}
